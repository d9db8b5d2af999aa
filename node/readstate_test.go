package node_test

import (
	"os"
	"path/filepath"
	"testing"

	"reeve"
	"reeve/node"
)

// A file that holds a byte order mark and nothing else shows no lines, and so
// could be read as often as one liked and never be written.
func TestAFileOfAByteOrderMarkAloneCanBeReadAndThenWritten(t *testing.T) {
	for name, mark := range map[string]string{"utf-8": "\xEF\xBB\xBF", "utf-16le": "\xFF\xFE", "utf-16be": "\xFE\xFF", "nothing at all": ""} {
		t.Run(name, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(base, "d")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "f.txt")
			if err := os.WriteFile(path, []byte(mark), 0o644); err != nil {
				t.Fatal(err)
			}
			y := &yard{t, dir, open(t, node.Config{Home: filepath.Join(base, "home"), Profile: "default", Approve: "allow",
				StateDir: filepath.Join(base, "state"), Folders: []node.Folder{{Path: dir, Access: reeve.ReadWrite}}})}
			if _, err := y.n.Do(t.Context(), reeve.Request{Subject: agent, Call: write(path, "x")}); err == nil {
				t.Error("written unseen")
			}
			y.agent(&reeve.ReadFile{Paths: []string{path}})
			y.agent(write(path, "x"))
			got, err := os.ReadFile(path)
			if err != nil || len(got) <= len(mark) || string(got[:len(mark)]) != mark {
				t.Errorf("it holds %q %v", got, err)
			}
		})
	}
}
