package console

import (
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ErrNoNotices says that this system has no program that shows a notice.
var ErrNoNotices = errors.New("no program here shows a notice")

// notifyTime is how long a program may take to hand a notice over.
const notifyTime = 30 * time.Second

// Notify shows two short texts on the desktop: with notify-send, on macOS with
// osascript, elsewhere not. It does not wait until the notice is there, which
// a desktop without a place for notices makes long; nil says that one was
// begun.
func Notify(title, body string) error {
	path, args := notifier(runtime.GOOS, title, body)
	if path == "" {
		return ErrNoNotices
	}
	_, err := notifyWith(path, args)
	return err
}

// notifyWith starts a program, which shares none of this process's input and
// output, and is ended after a while. done is closed when it is gone.
func notifyWith(path string, args []string) (done <-chan struct{}, err error) {
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	late := time.AfterFunc(notifyTime, func() { cmd.Process.Kill() })
	go func() {
		defer close(gone)
		cmd.Wait() // so that nothing is left of it in the system's table
		late.Stop()
	}()
	return gone, nil
}

// notifier is the program, by its own fixed place, and what it is given. No
// shell reads any of it, and the texts are arguments, never part of a script.
func notifier(goos, title, body string) (path string, args []string) {
	switch goos {
	case "darwin":
		return "/usr/bin/osascript", []string{
			"-e", "on run argv",
			"-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", title, body}
	case "windows", "js", "wasip1", "plan9", "ios", "android":
		return "", nil
	}
	// Some desktops read markup in both texts, and notify-send itself reads
	// backslashes in the second.
	plain := strings.NewReplacer("<", "‹", ">", "›", "&", "＆")
	return "/usr/bin/notify-send", []string{"--app-name=Reeve", "--", plain.Replace(title),
		strings.ReplaceAll(plain.Replace(body), `\`, `\\`)}
}
