package capfs_test

import (
	"testing"

	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

func TestLinuxCommitter(t *testing.T) {
	for name, o := range map[string]capfs.LinuxOptions{"as it is": {}, "without proc": {NoProc: true}} {
		t.Run(name, func(t *testing.T) {
			capfstest.RunCommitter(t, func(t *testing.T) capfstest.CommitWorld {
				return capfstest.CommitWorld{World: capfstest.OnDisk(t, capfs.NewLinux(o)), Committer: ladder(t, capfs.CommitOptions{})}
			})
		})
	}
}
