package node

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/history"
	"reeve/internal/pathname"
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

// found keeps what was displaced when a process ended before history had it.
// It is no change of its own: undo does not offer it, history shows it.
func (k *keeper) found(ctx context.Context, f capfs.Found) error {
	t := history.Thing{Target: reeve.Local, Path: pathname.EscapePath(f.Path), Effect: reeve.EffectReplace,
		Kind: f.Info().Kind, Displaced: displacedOf(f.Displaced)}
	_, details, err := k.store.Keep(ctx, history.Call{Change: history.NewID(), ID: f.Why, Verb: "recover",
		Subject: reeve.Subject{Kind: reeve.Owner}, At: time.Now()}, t)
	if err == nil && len(details) > 0 && details[0].NotKept != "" {
		err = errors.New(details[0].NotKept)
	}
	return err
}
