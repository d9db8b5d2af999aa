package cli

import (
	"strings"

	"reeve"
)

// nextCommands puts what to do about a file that was not read into the
// commands of this door. Each call of it stands alone, so that only a version
// says what the person has seen; the read is never made for him.
func nextCommands(e *reeve.Error, f *runFlags) *reeve.Error {
	if e.Code != reeve.NotRead || e.Path == "" {
		return e
	}
	read := "reeve call read_file " + shellWord("path="+e.Path)
	for _, dir := range f.root {
		read += " --root " + shellWord(dir)
	}
	for _, dir := range f.read {
		read += " --read " + shellWord(dir)
	}
	told := *e
	told.Instead = "Read all of it with `" + read + "`, which prints its version in the last line. " +
		"Then make this call again with if_version=VERSION added. A file that is too long for one read is changed with edit_file."
	return &told
}

// shellWord writes a word so that a shell takes it for one.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-=+:,@%~", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
