package attack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"reeve"
)

// Crowd is sessions that edit one file at the same time, each at an anchor of
// its own. Crowds of several processes may meet at one file.
type Crowd struct {
	Doer     reeve.Doer
	Path     string
	Name     string // of this crowd, among those that meet
	Sessions int
	Edits    int // that each session is to get through
}

// CrowdFile is what the file must hold to begin with.
func CrowdFile(names []string, sessions int) string {
	var b strings.Builder
	for _, n := range names {
		for k := range sessions {
			b.WriteString(anchor(n, k))
		}
	}
	return b.String()
}

func anchor(name string, k int) string { return fmt.Sprintf("end of %s-%d.\n", name, k) }

func crowdLine(name string, k, i int) string { return fmt.Sprintf("%s-%d did %d.\n", name, k, i) }

// Run makes all the edits, each again when it was told that it lost a race,
// and gives how often that was. Any other refusal is an error.
func (c Crowd) Run(ctx context.Context) (lost int64, err error) {
	var wg sync.WaitGroup
	var told atomic.Int64
	errs := make([]error, c.Sessions)
	for k := range c.Sessions {
		wg.Go(func() {
			s := reeve.Subject{Kind: reeve.Agent, Agent: "crowd", Door: "library", Session: fmt.Sprintf("%s-%d", c.Name, k)}
			for i := range c.Edits {
				for {
					out, err := c.Doer.Do(ctx, reeve.Request{Subject: s, Call: &reeve.EditFile{Path: c.Path,
						Edits: []reeve.Edit{{Old: anchor(c.Name, k), New: crowdLine(c.Name, k, i) + anchor(c.Name, k)}}}})
					if errors.Is(err, reeve.Changed) {
						told.Add(1)
						continue
					}
					if err == nil && out.Result == nil {
						err = errors.New("it was asked")
					}
					if err != nil {
						errs[k] = fmt.Errorf("%s-%d, edit %d: %w", c.Name, k, i, err)
						return
					}
					break
				}
			}
		})
	}
	wg.Wait()
	return told.Load(), errors.Join(errs...)
}

// CheckCrowd says what is wrong with a file that crowds have gone over: which
// edits are missing, and which are there more than once.
func CheckCrowd(content string, names []string, sessions, edits int) error {
	var b strings.Builder
	var wrong []string
	for _, n := range names {
		for k := range sessions {
			for i := range edits {
				line := crowdLine(n, k, i)
				b.WriteString(line)
				if c := strings.Count(content, line); c != 1 {
					wrong = append(wrong, fmt.Sprintf("%q stands there %d times", line, c))
				}
			}
			b.WriteString(anchor(n, k))
		}
	}
	switch {
	case len(wrong) > 0:
		return fmt.Errorf("%d of %d edits are not there once: %s", len(wrong), len(names)*sessions*edits, strings.Join(wrong[:min(len(wrong), 6)], ", "))
	case content != b.String():
		return errors.New("all edits are there, and not in their order or not alone")
	}
	return nil
}
