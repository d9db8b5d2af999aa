package guard

import (
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// A path that ends in a slash says that it means a folder. What is found there
// has to be one: a file that came into being at "notes/" would stand where the
// next call wants to put something in.

// AsFolder reports whether the path was written as a folder's, with a slash or
// a dot at its end.
func (s *Seen) AsFolder() bool { return s.asFolder }

// asFolder refuses what a path written as a folder's cannot mean. Where the
// thing is yet to be copied, the verb knows what it will be.
func (c *call) asFolder(s *Seen) error {
	verb, p, path := c.Call.Verb(), s.held.Place(), s.Intent.Path
	if end := c.folderEnd(path); end != "" {
		s.asFolder = true
		switch {
		case p.Kind == reeve.Symlink:
			return notFolder(verb, s, end, "is a link", "To mean the link itself, leave the "+end+" out.")
		case p.Exists() && p.Kind != reeve.Directory:
			return notFolder(verb, s, end, "is no folder", "To mean the file, leave the "+end+" out.")
		case !p.Exists() && s.Intent.Kind == reeve.IntentWrite && !s.Intent.Tree:
			return FileAsFolder(verb, s.shown, path)
		}
	}
	if s.to == nil {
		return nil
	}
	if to := s.to.Place(); !to.Exists() && p.Kind != reeve.Directory && c.folderEnd(s.Intent.To) != "" {
		return FileAsFolder(verb, to.Display()+"/", s.Intent.To)
	}
	return nil
}

// folderEnd is what makes a path a folder's, nothing where it is not written
// as one.
func (c *call) folderEnd(path string) string {
	end := path[strings.LastIndexFunc(path, func(r rune) bool { return r != '/' && r != '\\' && r != '.' })+1:]
	if end == "" {
		return ""
	}
	if p, err := pathname.Parse(path, c.policy.Paths); err != nil || !p.Folder() {
		return ""
	}
	return end[len(end)-1:]
}

func notFolder(verb reeve.Verb, s *Seen, end, what, instead string) error {
	return &reeve.Error{Op: string(verb), Path: s.shown, Kind: reeve.IO, Code: reeve.NotDirectory,
		What: what + ", and the path is written as a folder's, with " + end + " at the end", Not: notDone(s.Effects[len(s.Effects)-1].Kind), Instead: instead}
}

// FileAsFolder refuses to make a file at a path that is written as a folder's.
func FileAsFolder(verb reeve.Verb, shown, path string) error {
	end := path[len(path)-1:]
	return &reeve.Error{Op: string(verb), Path: shown, Kind: reeve.Input, Code: reeve.Invalid,
		What: "is written as a folder's path, with " + end + " at the end, and what is to be made there is a file", Not: "Nothing was changed.",
		Instead: "For a file of that name leave the " + end + " out; to put the file into the folder, give the file's name behind it as well."}
}
