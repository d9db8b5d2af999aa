package capfs_test

import (
	"testing"

	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

func TestLinuxLayer(t *testing.T) {
	for name, o := range map[string]capfs.LinuxOptions{
		"as it is":        {},
		"without openat2": {NoOpenat2: true},
		"without proc":    {NoProc: true},
	} {
		t.Run(name, func(t *testing.T) {
			capfstest.Run(t, func(t *testing.T) capfstest.World { return capfstest.OnDisk(t, capfs.NewLinux(o)) })
		})
	}
}
