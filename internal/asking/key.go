package asking

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	keyFile = "key"
	keyLen  = 32
)

// Key gives the key of a state folder, which all of the owner's processes
// share, and makes it when there is none. A key that others could have read
// is refused.
func Key(state string) ([]byte, error) {
	dir := filepath.Join(state, folder)
	path := filepath.Join(dir, keyFile)
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// Under a name of its own first, so that nobody reads half a key; the
	// link decides which of two processes made it.
	tmp := filepath.Join(dir, "tmp-"+rand.Text())
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp)
	var b [keyLen]byte
	rand.Read(b[:]) // never fails
	_, err = f.Write(b[:])
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp, path); err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without links: the rename may replace another
		// process's key, whose open questions then have to be asked anew.
		if err := os.Rename(tmp, path); err != nil {
			return nil, err
		}
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if why := unsafeKey(st); why != "" {
		return nil, fmt.Errorf("the key %s %s; remove it, and a new one is made", path, why)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) != keyLen {
		return nil, fmt.Errorf("the key %s is damaged; remove it, and a new one is made", path)
	}
	return b, nil
}
