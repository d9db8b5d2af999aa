package attack_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/attack"
)

func planted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := attack.PlantMischief(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Two that begin alike make the same changes; and in a while every verb comes.
func TestMischiefIsTheSameForOneSeed(t *testing.T) {
	dir := planted(t)
	seen := map[reeve.Verb]bool{}
	a, err := attack.NewMischief(dir, 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := attack.NewMischief(dir, 5, 0)
	other, _ := attack.NewMischief(dir, 6, 0)
	same := 0
	for range 300 {
		p, q, o := a.Next(), b.Next(), other.Next()
		if !reflect.DeepEqual(p, q) {
			t.Fatalf("%+v\n%+v", p.Call, q.Call)
		}
		if reflect.DeepEqual(p.Call, o.Call) {
			same++
		}
		seen[p.Call.Verb()] = true
		if len(p.Before.Differs(p.After)) == 0 {
			t.Errorf("%T changes nothing", p.Call)
		}
	}
	if same > 100 {
		t.Error("the seed does not matter")
	}
	for _, v := range []reeve.Verb{reeve.VerbWriteFile, reeve.VerbEditFile, reeve.VerbCreateDirectory, reeve.VerbCopyPath, reeve.VerbMovePath, reeve.VerbDeletePath} {
		if !seen[v] {
			t.Errorf("never: %s", v)
		}
	}
}

func TestTreeTellsEachDifference(t *testing.T) {
	dir := planted(t)
	before, err := attack.ScanTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := before.Differs(before); len(diff) > 0 {
		t.Error(diff)
	}
	for what, change := range map[string]func(p string) error{
		"p0.txt: missing":       os.Remove,
		"p0.txt: 8 bytes":       func(p string) error { return os.WriteFile(p, []byte("changed\n"), 0o600) },
		"p0.txt.more: is there": func(p string) error { return os.WriteFile(p+".more", nil, 0o600) },
		"p0.txt: mode":          func(p string) error { return os.Chmod(p, 0o400) },
	} {
		if runtime.GOOS == "windows" && strings.HasSuffix(what, "mode") {
			continue
		}
		dir := planted(t)
		if err := change(filepath.Join(dir, "p0.txt")); err != nil {
			t.Fatal(err)
		}
		after, err := attack.ScanTree(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := before.Differs(after); len(diff) != 1 || !strings.HasPrefix(diff[0], what) {
			t.Errorf("%s: %q", what, diff)
		}
	}
}

func TestCheckCrowdFindsALostEdit(t *testing.T) {
	names := []string{"a", "b"}
	if err := attack.CheckCrowd(attack.CrowdFile(names, 2), names, 2, 0); err != nil {
		t.Error(err)
	}
	if err := attack.CheckCrowd(attack.CrowdFile(names, 2), names, 2, 1); err == nil {
		t.Error("edits are missing, and nothing is said")
	}
}

func TestSaverKnowsWhatItReplaced(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte("first"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := attack.Saver{Path: path, InPlace: inPlace}
		save := func() string {
			if err := s.Save("anchor"); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		save()
		if last := save(); len(s.Unknown(last)) > 0 || !s.Seen["first"] {
			t.Errorf("in place %v: %q", inPlace, s.Unknown(last))
		}
		// Somebody replaces the file behind its back.
		if err := os.WriteFile(path, []byte("another's"), 0o600); err != nil {
			t.Fatal(err)
		}
		if last := save(); !slices.Equal(s.Unknown(last), []string{s.Saved[1]}) {
			t.Errorf("in place %v: %q", inPlace, s.Unknown(last))
		}
	}
}

// A program that ends by itself was not killed, and that is said.
func TestKillAtTellsWhenThereWasNothingToKill(t *testing.T) {
	if os.Getenv("ATTACK_LINES") != "" {
		for i := range 3 {
			fmt.Println("line", i)
		}
		io.Copy(io.Discard, os.Stdin)
		fmt.Fprintln(os.Stderr, "it ended")
		os.Exit(4)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := func() *exec.Cmd {
		c := exec.Command(self, "-test.run=^TestKillAtTells")
		c.Env = append(os.Environ(), "ATTACK_LINES=3")
		return c
	}
	c := cmd()
	c.Stdin = bytes.NewReader(nil)
	if lines, err := attack.KillAt(c, 5, 0); err == nil || len(lines) != 3 || !strings.Contains(err.Error(), "it ended") {
		t.Errorf("%q %v", lines, err)
	}
	c = cmd()
	stdin, err := c.StdinPipe() // never closed: it waits
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if lines, err := attack.KillAt(c, 3, 0); err != nil || len(lines) != 3 {
		t.Errorf("%q %v", lines, err)
	}
}
