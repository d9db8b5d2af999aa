package node_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"reeve"
)

// updates are the ways of changing a file that a watcher must take for an
// update of it.
func updates(path string) map[string]reeve.Call {
	return map[string]reeve.Call{
		"a write": &reeve.WriteFile{Path: path, Content: "second\n"},
		"an edit": &reeve.EditFile{Path: path, Edits: []reeve.Edit{{Old: "first", New: "third"}}},
	}
}

// watched makes a file, and a change to it by Reeve once watch has begun.
func watched(t *testing.T, name string, watch func(dir string)) string {
	t.Helper()
	base, dir := newBase(t)
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("first\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	n, err := standing(base)
	if err != nil {
		t.Fatal(err)
	}
	watch(dir)
	out, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: updates(path)[name]})
	if err != nil || out.Result == nil {
		t.Fatalf("%+v %v", out.Pending, err)
	}
	if err := n.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	return dir
}

// mark makes a file that ends a watch: whatever went before is told before.
func mark(t *testing.T, dir string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "mark"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The last word of fsnotify on a changed file is that it is there, and it is
// never said to be removed.
func TestFsnotifySeesAnUpdate(t *testing.T) {
	for name := range updates("") {
		t.Run(name, func(t *testing.T) {
			w, err := fsnotify.NewWatcher()
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			dir := watched(t, name, func(dir string) {
				if err := w.Add(dir); err != nil {
					t.Fatal(err)
				}
			})
			mark(t, dir)
			var about []fsnotify.Event
			for e := range w.Events {
				if filepath.Base(e.Name) == "mark" {
					break
				}
				if filepath.Base(e.Name) == "a.txt" {
					about = append(about, e)
				}
			}
			if len(about) == 0 {
				t.Fatal("nothing was seen")
			}
			for _, e := range about {
				if e.Has(fsnotify.Remove) {
					t.Errorf("said to be removed: %v", about)
				}
			}
			if last := about[len(about)-1]; !last.Has(fsnotify.Create) && !last.Has(fsnotify.Write) {
				t.Errorf("the last word is %v: %v", last, about)
			}
		})
	}
}

const chokidarScript = `
const { default: chokidar } = await import(process.argv[3]);
const w = chokidar.watch(process.argv[2], { ignoreInitial: true });
w.on("all", (what, path) => console.log(what, path.split("/").pop()));
w.on("ready", () => console.log("ready"));
`

// Chokidar, which most tools of the JavaScript world watch with, tells of a
// change, and of nothing that came or went. REEVE_CHOKIDAR names a folder that
// it is installed in, with bin/node to run it.
func TestChokidarSeesAnUpdate(t *testing.T) {
	place := os.Getenv("REEVE_CHOKIDAR")
	if place == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must name chokidar: .ci/chokidar")
		}
		t.Skip("REEVE_CHOKIDAR is not set")
	}
	script := filepath.Join(t.TempDir(), "watch.mjs")
	if err := os.WriteFile(script, []byte(chokidarScript), 0o644); err != nil {
		t.Fatal(err)
	}
	for name := range updates("") {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(context.Background(), time.Minute)
			defer stop()
			lines := make(chan string)
			dir := watched(t, name, func(dir string) {
				cmd := exec.CommandContext(ctx, filepath.Join(place, "bin", "node"), script, dir, filepath.Join(place, "node_modules", "chokidar", "index.js"))
				cmd.Stderr = os.Stderr
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				in := bufio.NewScanner(out)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { stop(); io.Copy(io.Discard, out); cmd.Wait() })
				go func() {
					defer close(lines)
					for in.Scan() {
						lines <- in.Text()
					}
				}()
				if l := <-lines; l != "ready" {
					t.Fatal(l)
				}
			})
			var said []string
			marked := false
			for l := range lines {
				if l == "add mark" {
					break
				}
				if strings.Contains(l, " .reeve-") {
					continue // it has that name for the moment of the change
				}
				said = append(said, l)
				if strings.HasSuffix(l, " a.txt") && !marked {
					marked = true
					// It waits a moment before it says that something went.
					time.Sleep(300 * time.Millisecond)
					mark(t, dir)
				}
			}
			stop()
			if got := fmt.Sprint(said); got != "[change a.txt]" {
				t.Errorf("it said %s", got)
			}
		})
	}
}
