package node_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reeve"
)

// A folder that is deep, with files on every level, comes back like any other.
func TestADeepFolderComesBack(t *testing.T) {
	y := newYard(t)
	const levels = 150
	dir := y.path("deep")
	for i := range levels {
		dir = filepath.Join(dir, "a")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Skip("the system takes no path of that length:", err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"), fmt.Append(nil, i), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := y.tree()
	y.agent(&reeve.DeletePath{Path: y.path("deep"), Recursive: true})
	if left := y.tree(); len(left) > 0 {
		t.Fatal("it was not deleted")
	}
	y.undo("")
	if got := y.tree(); !slices.Equal(got, before) {
		t.Errorf("%d of %d came back", len(got), len(before))
	}
	if _, err := os.Stat(filepath.Join(y.dir, "deep"+strings.Repeat("/a", levels), "f")); err != nil {
		t.Error(err)
	}
}
