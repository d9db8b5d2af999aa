package record

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

const noBoot = "00000000"

// short is a hash of s, n characters long: names of segments must not tell
// the computer's own identifiers to whoever is shown a record.
func short(s string, n int) string {
	h := sha256.Sum256([]byte("reeve/record/" + strings.TrimSpace(s)))
	return hex.EncodeToString(h[:])[:n]
}

// machineID names this computer in segment names, so that a state folder
// shared by several keeps them apart. Without an identifier of the system's
// own a random one is kept in the state folder, under the host's name.
func machineID(root *os.Root) (string, error) {
	if id := systemID(); id != "" {
		return short(id, 12), nil
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	name := "machine-" + short(host, 12)
	for range 2 {
		if id, err := storedID(root, name); err == nil {
			return short(id, 12), nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := storeID(root, name); err != nil {
			return "", err
		}
	}
	return "", fs.ErrNotExist
}

// Boot tells one start of this computer from another, as it stands in the
// names of segments; empty where the system does not tell.
func Boot() string {
	if id := bootID(); id != noBoot {
		return id
	}
	return ""
}

// Machine is the name of this computer in a state folder: what its segments
// and journals begin with, so that another computer's are told from them.
func Machine(dir string) (string, error) {
	if id := systemID(); id != "" {
		return short(id, 12), nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return machineID(root)
}

func storedID(root *os.Root, name string) (string, error) {
	f, err := openRead(root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64))
	if err == nil && len(b) != 32 {
		err = errors.New(name + " is damaged; remove it to have it made anew")
	}
	return string(b), err
}

// storeID puts a new identifier in place unless another process was faster.
func storeID(root *os.Root, name string) error {
	id := rand.Text() + rand.Text()
	tmp := name + "-" + rand.Text()
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer root.Remove(tmp)
	_, err = f.WriteString(id[:32])
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := root.Link(tmp, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
