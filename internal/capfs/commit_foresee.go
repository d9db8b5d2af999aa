package capfs

import (
	"context"

	"reeve"
)

// Foresee says, for a question, what is unusual about the way in which a
// change would be made: a sentence, or nothing. It changes nothing, and what
// it says is a guess: the file system decides when the change is staged, and
// Done.Notes tells what was done.
func (l *Ladder) Foresee(ctx context.Context, at At, c reeve.Change) string {
	if c.Kind != reeve.Put || c.Expect.IsZero() {
		return ""
	}
	e, err := l.end(ctx, at.Parent, c.Place)
	if err != nil {
		return ""
	}
	defer e.close()
	why := ""
	err = l.fs.touch(ctx, e.m, func() error {
		was, err := e.look(e.name)
		if err != nil {
			return err
		}
		dir, err := e.self()
		if err != nil {
			return err
		}
		why = l.guess(&e, dir, was)
		return nil
	})
	if err != nil || why == "" {
		return ""
	}
	return "It will be written in place, because " + why + "; another program may see it half written."
}

// guess tells why a file would be written in place.
func (l *Ladder) guess(e *end, dir, was Info) string {
	switch {
	case mountOf(dir) != mountOf(was) && dir.Mount != 0:
		return whyMounted
	case stickyForbids(dir, was):
		return whySticky
	case dir.Seal != Unsealed:
		return "its folder is marked " + dir.Seal.word()
	case !e.writable():
		return whyClosed
	}
	l.probes.mu.Lock()
	can, known := l.probes.by[probeKey{mountOf(dir), dir.Device}]
	l.probes.mu.Unlock()
	if known && !can.exchange && !can.link {
		return whyNoNames
	}
	return ungiven(was)
}

// Why a new file cannot stand in for an old one.
const (
	whyMounted = "it is mounted by itself"
	whySticky  = "its folder lets nobody replace other users' files"
	whyClosed  = "its folder may not be written to"
	whyNoNames = "its file system can keep no second name"
)
