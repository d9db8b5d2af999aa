//go:build !linux && !darwin

package history

import "reeve"

func xattrs(uintptr) []reeve.XAttr { return nil }
