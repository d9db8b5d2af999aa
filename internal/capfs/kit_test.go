package capfs_test

import (
	"testing"

	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

func TestPortableLayer(t *testing.T) {
	capfstest.Run(t, func(t *testing.T) capfstest.World { return capfstest.OnDisk(t, capfs.NewPortable()) })
}
