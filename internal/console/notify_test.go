package console

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What an agent can name must neither run nor draw anything on the owner's
// desktop.
func TestNoticesAreHarmless(t *testing.T) {
	const title, body = "Reeve: Delete --help<b>\"$(id)`x`?", "/home/ann/<img src=x>&amp;\\n\nAnswer"
	path, args := notifier("linux", title, body)
	if path != "/usr/bin/notify-send" || len(args) != 4 || args[1] != "--" || strings.ContainsAny(args[2]+args[3], "<>&") {
		t.Errorf("%q %q", path, args)
	}
	if want := `/home/ann/‹img src=x›＆amp;\\n` + "\nAnswer"; args[3] != want {
		t.Errorf("%q, want %q: a backslash would be read", args[3], want)
	}
	if path, args = notifier("darwin", title, body); path != "/usr/bin/osascript" || args[len(args)-2] != title || args[len(args)-1] != body {
		t.Errorf("%q %q", path, args)
	}
	if strings.Contains(strings.Join(args[:len(args)-2], " "), "ann") {
		t.Errorf("%q: a name is part of the script", args)
	}
	if path, _ = notifier("windows", title, body); path != "" {
		t.Error(path)
	}
}

// The program gets the texts as they are, and nothing of this process.
func TestTheProgramThatShowsANotice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script of a shell")
	}
	dir := t.TempDir()
	out, bin := filepath.Join(dir, "out"), filepath.Join(dir, "notify-send")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\nprintf '%s|' \"$@\" > '"+out+"'\ncat >> '"+out+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, args := notifier("linux", "Reeve: Overwrite $(touch x).txt?", "/home/ann/$(touch x).txt\nAnswer")
	done, err := notifyWith(bin, args)
	if err != nil {
		t.Fatal(err)
	}
	<-done
	got, err := os.ReadFile(out)
	if want := "--app-name=Reeve|--|Reeve: Overwrite $(touch x).txt?|/home/ann/$(touch x).txt\nAnswer|"; string(got) != want || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if _, err := notifyWith(filepath.Join(dir, "nothing"), args); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
