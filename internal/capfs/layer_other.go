//go:build !linux

package capfs

func systemLayer() Layer { return NewPortable() }
