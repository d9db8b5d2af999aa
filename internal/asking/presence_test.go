package asking

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"reeve"
)

// TestBeingAnotherProcess is the other process of the tests below.
func TestBeingAnotherProcess(t *testing.T) {
	state := os.Getenv("ASKING_TEST_STATE")
	if state == "" {
		t.Skip("only for the tests that start it")
	}
	if _, err := NewPresence(state).Announce(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if key, err := Key(state); err != nil || len(key) != 32 {
		os.Exit(1)
	}
	fmt.Println("here")
	time.Sleep(time.Minute)
	os.Exit(0)
}

func another(t *testing.T, state string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBeingAnotherProcess$")
	cmd.Env = append(os.Environ(), "ASKING_TEST_STATE="+state)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	s := bufio.NewScanner(out)
	for s.Scan() {
		if s.Text() == "here" {
			return cmd
		}
	}
	t.Fatal("the other process did not come up")
	return nil
}

func TestPagesOfOtherProcessesAreSeen(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	p := NewPresence(state)
	if p.Anybody() {
		t.Fatal("somebody, before there is a folder")
	}
	if _, err := os.Stat(state); err == nil {
		t.Fatal("looking made a folder")
	}
	cmd := another(t, state)
	if !p.Anybody() {
		t.Fatal("the other process is not seen")
	}
	e := &Elsewhere{Presence: p, Every: time.Millisecond}
	if !e.There(t.Context()) {
		t.Fatal("not there")
	}
	gone := make(chan struct{})
	go func() {
		e.Ask(t.Context(), reeve.Pending{})
		close(gone)
	}()
	cmd.Process.Kill() // its file stays, and counts for nothing
	cmd.Wait()
	<-gone
	if list, _ := filepath.Glob(filepath.Join(state, folder, "*"+hereEnd)); len(list) != 1 || p.Anybody() {
		t.Errorf("%v, somebody: %v", list, p.Anybody())
	}
	old := time.Now().Add(-time.Hour)
	list, _ := filepath.Glob(filepath.Join(state, folder, "*"+hereEnd))
	if err := os.Chtimes(list[0], old, old); err != nil {
		t.Fatal(err)
	}
	if p.Anybody() {
		t.Error("a file of an hour ago counts")
	}
	if _, err := os.Stat(list[0]); err == nil {
		t.Error("a crash's file is never removed")
	}
}

func TestTwoPagesOfOneProcess(t *testing.T) {
	p := NewPresence(t.TempDir())
	first, err := p.Announce()
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.Announce()
	if err != nil {
		t.Fatal(err)
	}
	first()
	first()
	if !p.Anybody() {
		t.Error("one of two went, and none is seen")
	}
	second()
	if p.Anybody() {
		t.Error("both went, and one is seen")
	}
}

func TestOneProcessAtATimeOpensAPage(t *testing.T) {
	state := t.TempDir()
	release, err := NewPresence(state).Opening()
	if err != nil || release == nil {
		t.Fatal(err)
	}
	if second, err := NewPresence(state).Opening(); err != nil || second != nil {
		t.Fatal("two open a page", err)
	}
	release()
	if third, err := NewPresence(state).Opening(); err != nil || third == nil {
		t.Fatal(err)
	} else {
		third()
	}
}

func TestAStateFolderThatCantBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := NewPresence(file)
	if _, err := p.Announce(); err == nil {
		t.Error("announced nowhere")
	}
	if _, err := p.Opening(); err == nil {
		t.Error("a right to open without a place to keep it")
	}
	if _, err := Key(file); err == nil {
		t.Error("a key that is kept nowhere")
	}
	if p.Anybody() {
		t.Error("somebody is nowhere")
	}
}

func TestAllProcessesShareOneKey(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	another(t, state)
	key, err := Key(state)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Key(state)
	if err != nil || string(again) != string(key) {
		t.Fatal("two keys", err)
	}
	path := filepath.Join(state, folder, keyFile)
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Key(state); err == nil {
			t.Error("a key that others could read is used")
		}
		os.Chmod(path, 0o600)
	}
	if err := os.WriteFile(path, key[:5], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Key(state); err == nil {
		t.Error("a short key is used")
	}
	os.Remove(path)
	if err := os.Symlink("/etc/hostname", path); err == nil {
		if _, err := Key(state); err == nil {
			t.Error("a link is used as the key")
		}
	}
}
