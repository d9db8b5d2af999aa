//go:build unix && !linux

package history

import "testing"

func full(t *testing.T) { t.Skip("a small disk is made on Linux") }

func childFull(string) int { return 2 }
