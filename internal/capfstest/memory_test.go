package capfstest_test

import (
	"testing"

	"reeve/internal/capfstest"
)

func TestMemory(t *testing.T) {
	capfstest.Run(t, func(t *testing.T) capfstest.World { return capfstest.InMemory(capfstest.MemoryOptions{}) })
}

func TestMemoryFolding(t *testing.T) {
	capfstest.Run(t, func(t *testing.T) capfstest.World {
		return capfstest.InMemory(capfstest.MemoryOptions{Fold: true})
	})
}
