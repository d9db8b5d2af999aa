package capfs

import (
	"errors"
	"os"

	"reeve"
)

// carry: access lists, streams and attributes are many here and belong to the
// file itself, so a file that exists is written in place and keeps them all.
func carry(*os.File, Info, *os.File) ([]string, error) {
	return nil, &uncarried{"its access list and streams", errors.ErrUnsupported}
}

// word: there are no such marks here.
func (Seal) word() string { return "" }

func stickyForbids(Info, Info) bool { return false }

// mayBeClosed: here nobody can tell before it is tried.
func mayBeClosed() bool { return false }

// dress gives a new file its mode, as far as there is one here.
func dress(f *os.File, m reeve.Meta) (notes []string, err error) {
	if len(m.XAttrs) > 0 || m.Owner != nil {
		notes = append(notes, "Its owner and attributes could not be given back.")
	}
	return notes, f.Chmod(os.FileMode(m.Mode & 0o777))
}

// likeness: attributes and streams of a file are not copied here.
func likeness(int, *os.File) ([]string, error) { return nil, nil }

// stamp leaves the time: an opened folder cannot be given one here.
func stamp(*os.File, int64) error { return nil }

func ungiven(Info) string { return "its access list and streams cannot be given to a new file" }
