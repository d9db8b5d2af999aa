package cli

import (
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"reeve/internal/pathname"
)

// fromHere gives a path argument its place: relative to the working folder,
// not to the first root, as everything else that is typed into a shell. What
// begins with ~ is left to the profile, which alone knows whether that is the
// home folder or a plain name. Bytes that are no UTF-8 take the escaped form.
func fromHere(path string) (string, error) {
	if path == "" || path[0] == '~' {
		return path, nil // an empty path is the gate's to refuse
	}
	path = escapeBytes(path)
	if filepath.IsAbs(path) || filepath.VolumeName(path) != "" {
		return path, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", usagef("the working folder is gone: write the whole path.")
	}
	abs := filepath.Join(pathname.EscapePath(dir), path)
	if strings.HasSuffix(path, "/") && !strings.HasSuffix(abs, "/") {
		abs += "/" // it was meant to be a folder
	}
	return abs, nil
}

// escapeBytes escapes the components of a path that are not valid UTF-8.
// Everything else stays as it was typed, the escaped form included.
func escapeBytes(path string) string {
	if utf8.ValidString(path) {
		return path
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if !utf8.ValidString(p) {
			parts[i] = pathname.Escape(p)
		}
	}
	return strings.Join(parts, "/")
}
