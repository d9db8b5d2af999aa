package capfstest_test

import (
	"testing"

	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

func TestMemoryCommitter(t *testing.T) {
	capfstest.RunCommitter(t, func(t *testing.T) capfstest.CommitWorld {
		m := capfstest.NewMemory(capfstest.MemoryOptions{})
		if err := m.Make(capfstest.Op{Verb: "dir", Path: "/base"}); err != nil {
			t.Fatal(err)
		}
		return capfstest.CommitWorld{
			World:     capfstest.World{Layer: m, Base: "/base", Make: m.Make},
			Committer: func(*capfs.FS) capfs.Committer { return m.Committer() },
		}
	})
}
