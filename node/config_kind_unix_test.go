//go:build unix

package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A configuration that is no ordinary file is one that cannot be read; it
// neither hangs a start nor fills the memory.
func TestAConfigurationThatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, link, large := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "large")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", link),
		os.WriteFile(large, make([]byte, maxConfig+1), 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{pipe: errNotRegular, link: errNotRegular, "/dev/zero": errNotRegular,
		dir: errNotRegular, large: errTooLarge, filepath.Join(dir, "none"): nil} {
		b, err := readConfig(path)
		if !errors.Is(err, want) || len(b) > 0 {
			t.Errorf("%s gave %d bytes and %v, want %v", path, len(b), err, want)
		}
		if want != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%q does not name the file", err)
		}
	}
	good := filepath.Join(dir, "good")
	if err := os.WriteFile(good, []byte(strings.Repeat("#", maxConfig)), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := readConfig(good); err != nil || len(b) != maxConfig {
		t.Errorf("a large but ordinary one gave %d bytes and %v", len(b), err)
	}
}
