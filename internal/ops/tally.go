package ops

import (
	"errors"

	"reeve"
	"reeve/internal/guard"
)

// maxPaths bounds the unreadable folders that are named.
const maxPaths = 20

// The reasons for leaving something out.
const (
	leftHidden     = "hidden"
	leftIgnored    = "ignored"
	leftProtected  = "protected"
	leftBinary     = "binary"
	leftUnreadable = "unreadable"
	leftSpecial    = "special"
	leftDepth      = "depth"
	stopCap        = "cap"
	stopTime       = "time"
)

// tally counts what was left out.
type tally struct {
	hidden, ignored, protected, binary, unreadable, special, depth int
	paths                                                          [][]string
}

// cannotRead counts a thing whose content could not be looked at.
func (t *tally) cannotRead(components []string) {
	t.unreadable++
	if len(t.paths) < maxPaths {
		t.paths = append(t.paths, append([]string(nil), components...))
	}
}

// skipped gives the counts in a fixed order.
func (t *tally) skipped(r *guard.Reply) []reeve.Skipped {
	var list []reeve.Skipped
	add := func(reason string, n int) {
		if n > 0 {
			list = append(list, reeve.Skipped{Reason: reason, Count: n})
		}
	}
	add(leftHidden, t.hidden)
	add(leftIgnored, t.ignored)
	add(leftProtected, t.protected)
	add(leftBinary, t.binary)
	add(leftSpecial, t.special)
	add(leftDepth, t.depth)
	if t.unreadable > 0 {
		s := reeve.Skipped{Reason: leftUnreadable, Count: t.unreadable}
		for _, p := range t.paths {
			if len(p) > 0 {
				s.Paths = append(s.Paths, r.RelPath(p))
			}
		}
		list = append(list, s)
	}
	return list
}

// outcome is what a failure below the start of a walk comes to.
type outcome int

const (
	fine       outcome = iota
	refused            // by policy: counted, never named
	unreadable         // the system does not let this user
	odd                // neither file nor folder
	gone               // it is not there any more, or became something else
	fatal              // anything else ends the call
)

func outcomeOf(err error) outcome {
	if err == nil {
		return fine
	}
	is := func(codes ...reeve.Code) bool {
		for _, c := range codes {
			if errors.Is(err, c) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.Is(err, reeve.Policy):
		return refused
	case is(reeve.Permission):
		return unreadable
	case is(reeve.SpecialFile):
		return odd
	case is(reeve.NotFound, reeve.NotDirectory, reeve.IsDirectory, reeve.Changed):
		return gone
	}
	return fatal
}
