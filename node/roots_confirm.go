package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// RootStanding is what stands at a path now, for the owner's eyes. Paths and
// texts are in the shown form.
type RootStanding struct {
	Path string
	Real string
	// Links are the links on the way, in the order in which they are met.
	Links []RootLink
	// UID is the folder's owner, where the system has such numbers.
	UID uint32

	path  string
	known capfs.Known
}

// RootLink is a link and its own text.
type RootLink struct{ Path, Text string }

// LookAtRoot looks at what stands at an absolute path now. The errors are
// those of capfs.FS.Stands.
func LookAtRoot(ctx context.Context, path string) (RootStanding, error) {
	if !filepath.IsAbs(path) {
		return RootStanding{}, fmt.Errorf("%q is not an absolute path", path)
	}
	files := capfs.New(capfs.Options{})
	defer files.Close()
	s, err := files.Stands(ctx, filepath.Clean(path))
	if err != nil {
		return RootStanding{}, err
	}
	out := RootStanding{Path: pathname.EscapePath(s.Path), Real: pathname.EscapePath(s.Real), UID: s.Info.UID, path: s.Path, known: s.Known}
	for _, l := range s.Links {
		out.Links = append(out.Links, RootLink{pathname.EscapePath(l.Path), pathname.Show(l.Text)})
	}
	return out, nil
}

// SettledRoot reports that what stands at a path is what the state folder
// remembers of it, so that there is nothing to confirm.
func SettledRoot(p Places, s RootStanding) bool {
	was := newKnownRoots(p.State, nil).of(s.path)
	return was.Real != "" && fits(was, s.known)
}

// ConfirmRoot is the owner's yes to what was looked at, and to nothing that
// has taken its place since: it is what the path is compared with from now on.
// Running nodes take it up at their next call.
func ConfirmRoot(p Places, s RootStanding) error {
	if err := newKnownRoots(p.State, nil).remember(s.path, s.known, "roots confirm", false); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.Config), 0o700); err != nil {
		return fmt.Errorf("it counts from the next start on; running servers could not be told: %w", err)
	}
	if err := bumpGeneration(p.Config); err != nil {
		return fmt.Errorf("it counts from the next start on; running servers could not be told: %w", err)
	}
	return nil
}
