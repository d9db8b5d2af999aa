package node

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

// knownRoots is what the state folder remembers of granted folders: what each
// path led to when the owner granted it, so that a folder that was put in its
// place while no process ran is not taken for it. There is one file for each
// path, replaced as a whole, so that processes do not lose each other's.
type knownRoots struct {
	dir string
	now func() time.Time
}

func newKnownRoots(state string, now func() time.Time) knownRoots {
	if now == nil {
		now = time.Now
	}
	return knownRoots{dir: filepath.Join(state, "roots"), now: now}
}

// knownFile is one file.
type knownFile struct {
	Path      reeve.Name     `json:"path"`
	Real      reeve.Name     `json:"real"`
	Identity  reeve.Identity `json:"identity"`
	UID       uint32         `json:"uid"`
	Suspended string         `json:"suspended,omitempty"`
	// By says what made it so, and At when, for people who look.
	By string    `json:"by"`
	At time.Time `json:"at"`
}

func (k knownRoots) file(path string) string {
	return filepath.Join(k.dir, string(capfs.RootID(path))+".json")
}

// of gives what is remembered of a path, the zero value when nothing is. What
// cannot be read suspends the root: nobody can tell what was granted.
func (k knownRoots) of(path string) capfs.Known {
	b, err := os.ReadFile(k.file(path))
	if errors.Is(err, fs.ErrNotExist) {
		return capfs.Known{}
	}
	unknown := capfs.Known{Real: path, Suspended: "what Reeve remembers of it cannot be read"}
	if err != nil {
		return unknown
	}
	var f knownFile
	if err := json.Unmarshal(b, &f); err != nil || string(f.Path) != path || !filepath.IsAbs(string(f.Real)) || f.Identity.IsZero() {
		return unknown
	}
	return capfs.Known{Real: string(f.Real), Identity: f.Identity, UID: f.UID, Suspended: f.Suspended}
}

// errKnown: something is remembered of the path already.
var errKnown = errors.New("the folder is known already")

// remember writes what a path leads to. With first it fails with errKnown
// when something is remembered already: of two processes that open a folder
// for the first time one decides.
func (k knownRoots) remember(path string, what capfs.Known, by string, first bool) error {
	if what.Identity.IsZero() {
		return errors.New("a folder that was never held cannot be remembered")
	}
	b, err := json.Marshal(knownFile{Path: reeve.Name(path), Real: reeve.Name(what.Real), Identity: what.Identity,
		UID: what.UID, Suspended: what.Suspended, By: by, At: k.now().UTC()})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	tmp := filepath.Join(k.dir, "tmp-"+rand.Text())
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(tmp)
	_, err = f.Write(append(b, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if first {
		err := os.Link(tmp, k.file(path))
		if errors.Is(err, fs.ErrExist) {
			return errKnown
		}
		if err == nil {
			return syncDir(k.dir)
		}
		// A file system without links: the last of two processes decides.
		if _, err := os.Lstat(k.file(path)); err == nil {
			return errKnown
		}
	}
	if err := os.Rename(tmp, k.file(path)); err != nil {
		return err
	}
	return syncDir(k.dir)
}

// forget drops what is remembered of a path.
func (k knownRoots) forget(path string) error {
	err := os.Remove(k.file(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// happened notes what became of a root between calls.
func (k knownRoots) happened(e capfs.Event) error {
	held := e.Root.Held
	if held.Identity.IsZero() {
		return nil
	}
	switch e.Kind {
	case capfs.RootTakenUp, capfs.RootOpened:
		was := k.of(e.Root.Path)
		if was == held || was.Suspended != "" && !was.SameFile(held.Identity) {
			return nil // another process saw what only the owner may settle
		}
		return k.remember(e.Root.Path, held, "taken up", false)
	case capfs.RootIsSuspended:
		// What another process or the owner has written since stands.
		if was := k.of(e.Root.Path); was.Real != held.Real || was.Identity != held.Identity || was.Suspended != "" {
			return nil
		}
		return k.remember(e.Root.Path, held, "suspended", false)
	}
	return nil
}

// fits reports that what stands somewhere is what is remembered, or that
// nothing is.
func fits(known, now capfs.Known) bool {
	return known.Real == "" || known.Suspended == "" && known.Real == now.Real && known.SameFile(now.Identity)
}

// errReplaced says that a grant would silently confirm another folder.
func errReplaced(path string) error {
	return fmt.Errorf("it is granted already, and something else stands there now: `reeve roots confirm %s` shows it and asks", path)
}
