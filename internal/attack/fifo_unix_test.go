//go:build unix

package attack

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFIFOWriterTellsWhenItIsDisturbed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	w := WaitOnFIFO(path)
	if _, err := os.Lstat(path); err != nil {
		t.Fatal(err)
	}
	if err := w.Stop(); err != nil || w.Disturbed() {
		t.Errorf("looking without opening disturbed it: %v, %v", w.Disturbed(), err)
	}
	w = WaitOnFIFO(path)
	f, err := os.Open(path) // waits for the writer to be there
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	<-w.done
	if !w.Disturbed() {
		t.Error("it did not notice a reader")
	}
	if err := w.Stop(); err != nil || !w.Disturbed() {
		t.Errorf("after Stop: %v, %v", w.Disturbed(), err)
	}
}

func TestFIFOWriterOnNoPipe(t *testing.T) {
	if err := WaitOnFIFO(filepath.Join(t.TempDir(), "none")).Stop(); err == nil {
		t.Error("waiting on nothing gave no error")
	}
}
