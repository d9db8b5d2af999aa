package node_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"reeve"
	"reeve/node"
)

// A client's next page may reach another process than its first: one that was
// started again, or one of several.
func TestACursorIsTakenByAnotherProcessOfTheSameState(t *testing.T) {
	root, state := t.TempDir(), filepath.Join(t.TempDir(), "state")
	for i := range 300 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("f%03d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folders := []node.Folder{{Path: root, Access: reeve.Read}}
	list := func(n *node.Node, cursor string) (*reeve.Listing, error) {
		out, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: &reeve.ListDirectory{Path: root, Cursor: cursor}})
		if err != nil {
			return nil, err
		}
		return out.Result.Answer.(*reeve.Listing), nil
	}
	one := open(t, node.Config{StateDir: state, Folders: folders})
	first, err := list(one, "")
	if err != nil || first.Cursor == "" {
		t.Fatal(first, err)
	}
	two := open(t, node.Config{StateDir: state, Folders: folders})
	second, err := list(two, first.Cursor)
	if err != nil || len(second.Entries) != 100 || second.Entries[0].Name.String() != "f200" {
		t.Fatal(second, err)
	}
	other := open(t, node.Config{Folders: folders})
	if _, err := list(other, first.Cursor); !errors.Is(err, reeve.Invalid) {
		t.Fatalf("another state takes the cursor: %v", err)
	}
}
