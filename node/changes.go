package node

import (
	"path/filepath"
	"time"

	"reeve/internal/capfs"
	"reeve/internal/history"
	"reeve/internal/record"
)

// changes is what a node needs to change files: the committer, with its
// journals in the state folder, and the history.
type changes struct {
	ladder  *capfs.Ladder
	history *history.Store
	keeper  *keeper
}

func newChanges(files *capfs.FS, state string, now func() time.Time) (*changes, error) {
	machine, err := record.Machine(state)
	if err != nil {
		return nil, err
	}
	c := &changes{history: openHistory(state, machine, now)}
	c.keeper = newKeeper(c.history)
	c.ladder = capfs.NewCommitter(files, capfs.CommitOptions{Journal: journals(state), Machine: machine, Now: now})
	return c, nil
}

func journals(state string) string { return filepath.Join(state, "journal") }

func (c *changes) close() {
	c.ladder.Close()
	c.history.Close()
}
