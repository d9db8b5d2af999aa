package ops

import (
	"fmt"

	"reeve/internal/guard"
)

// notes say what the answer's fields do not.
func (f *finder) notes(v *guard.View) {
	if f.full == "bytes" {
		way := ""
		if f.found.Cursor == "" {
			way = f.narrower()
		}
		f.r.Note("The rest did not fit into one answer.%s", way)
	}
	if f.m.cut > 0 {
		f.r.Note("Of %s only the first %d bytes were searched for the text.", count(f.m.cut, "file", "files"), f.set.SearchBytes)
	}
	if f.m.unborn > 0 {
		f.r.Note("%s left out because the file system does not tell when they were created.", count(f.m.unborn, "entry was", "entries were"))
	}
	for _, why := range f.found.Incomplete {
		switch why {
		case stopCap:
			f.r.Note("A search looks at no more than %d entries at a time.%s", f.set.WalkEntries, f.narrower())
		case stopTime:
			f.r.Note("The time for one search was up.%s", f.narrower())
		case leftDepth:
			f.r.Note("Folders deeper than %d levels were not searched: give one of them as path.", f.depth())
		}
	}
	if f.call.Path == "" && len(v.Roots()) > 1 {
		f.r.Note("Only this granted folder was searched. For another one give its path; list_roots shows them.")
	}
}

func (f *finder) depth() int {
	if f.set.SearchDepth > 0 && f.set.SearchDepth < maxDepth {
		return f.set.SearchDepth
	}
	return maxDepth
}

// narrower tells how to go on where no cursor can.
func (f *finder) narrower() string {
	switch {
	case f.newest:
		return " These are the newest of what was seen; give a folder further down as path to see the rest."
	case f.found.Cursor != "":
		return ""
	case f.single:
		return " Read the file in pages instead, with read_file."
	}
	return " Give a folder further down as path."
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
