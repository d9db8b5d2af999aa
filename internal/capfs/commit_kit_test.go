package capfs_test

import (
	"path/filepath"
	"testing"

	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// ladder makes a committer with a journal of its own.
func ladder(t testing.TB, o capfs.CommitOptions) func(*capfs.FS) capfs.Committer {
	if o.Journal == "" {
		o.Journal = filepath.Join(t.TempDir(), "journal")
	}
	return func(fs *capfs.FS) capfs.Committer {
		l := capfs.NewCommitter(fs, o)
		t.Cleanup(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
		return l
	}
}

func TestPortableCommitter(t *testing.T) {
	capfstest.RunCommitter(t, func(t *testing.T) capfstest.CommitWorld {
		return capfstest.CommitWorld{World: capfstest.OnDisk(t, capfs.NewPortable()), Committer: ladder(t, capfs.CommitOptions{})}
	})
}
