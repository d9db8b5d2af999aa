package native

import (
	"strings"

	"reeve"
	"reeve/internal/dialect"
)

// renderChanged shows what every changing tool came to: for each file a line
// that starts with what was done, then the changed lines. As in a read, lines
// of content start with their number and a tab, and ours never do.
func renderChanged(r reeve.Result, c dialect.Context) string {
	a := r.Answer.(*reeve.Changes)
	var b strings.Builder
	if a.DryRun {
		b.WriteString("Nothing was changed: this is a dry run.\n")
	}
	for i := range a.Files {
		changed(&b, &a.Files[i], a.DryRun, c)
	}
	return finish(&b, r.Notes)
}

func changed(b *strings.Builder, f *reeve.ChangedFile, dry bool, c dialect.Context) {
	b.WriteString(deed(f, dry))
	b.WriteString(".\n")
	for _, m := range f.Made {
		if !dry && (f.Did != reeve.DidMkdir || m != f.Path) && (f.Did != reeve.DidCopy || m != f.To) {
			b.WriteString("Made the folder " + m.String() + " as well")
			if f.MadeMore > 0 {
				b.WriteString(", and " + count(f.MadeMore, "folder", "folders") + " below it on the way")
			}
			b.WriteString(".\n")
		}
	}
	for i := range f.Excerpt {
		if i > 0 && f.Excerpt[i].N != f.Excerpt[i-1].N+1 {
			b.WriteString("…\n")
		}
		line(b, &f.Excerpt[i], nil)
	}
	if f.More > 0 {
		b.WriteString(count(int(f.More), "more changed line is", "more changed lines are") + " not shown; read_file shows them.\n")
	}
	for _, d := range f.Diff {
		// A difference line starts with a space, +, - or @; none of ours does.
		b.WriteString(strings.ReplaceAll(d.String(), "\n", `\n`) + "\n")
	}
	if kept := keptForm(f); kept != "" {
		b.WriteString("Kept as it was: " + kept + ".\n")
	}
	switch {
	case f.Via.IsZero():
	case f.Did == reeve.DidCopy:
		b.WriteString(f.Via.String() + " is a link; what it leads to was copied.\n")
	default:
		b.WriteString(f.Via.String() + " is a link to it; the file itself was changed.\n")
	}
	if !c.Session && !f.Version.IsZero() {
		b.WriteString("Version " + f.Version.String() + "\n")
	}
}

// deed is the first line of a file, without its full stop.
func deed(f *reeve.ChangedFile, dry bool) string {
	path := f.Path.String()
	would := ""
	if dry {
		would = "Would be: "
	}
	switch f.Did {
	case reeve.DidCreate:
		return would + "Created " + path + " (" + extent(f.Now) + ")"
	case reeve.DidOverwrite:
		return would + "Overwrote " + path + " (was " + extent(f.Was) + "; is now " + extent(f.Now) + ")"
	case reeve.DidEdit:
		return would + "Edited " + path + " (" + count(f.Replacements, "replacement", "replacements") + ")"
	case reeve.DidMkdir:
		return "Made the folder " + path
	case reeve.DidCopy:
		return "Copied " + path + " to " + f.To.String() + " (" + extent(f.Now) + ")"
	case reeve.DidMove:
		return "Moved " + path + " to " + f.To.String()
	case reeve.DidDelete:
		switch {
		case f.Kind == reeve.Directory && f.Was != nil && f.Was.Files+f.Was.Folders+f.Was.Links > 0:
			return "Deleted the folder " + path + " with all that was in it (" + extent(f.Was) + ")"
		case f.Kind == reeve.Directory:
			return "Deleted the empty folder " + path
		case f.Kind == reeve.Symlink:
			return "Deleted the link " + path + ", and not what it led to"
		}
		return "Deleted " + path + " (" + extent(f.Was) + ")"
	}
	if f.Kind == reeve.Directory {
		return "The folder " + path + " exists already; nothing was changed"
	}
	return path + " has exactly this content already; nothing was changed"
}

// extent is how much there is, in words.
func extent(e *reeve.Extent) string {
	if e == nil {
		return "nothing"
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, count(n, one, many))
		}
	}
	add(e.Files, "file", "files")
	add(e.Folders, "folder", "folders")
	add(e.Links, "link", "links")
	parts = append(parts, count(int(e.Size), "byte", "bytes"))
	if e.Counted {
		parts = append(parts, count(int(e.Lines), "line", "lines"))
	}
	return strings.Join(parts, ", ")
}

// keptForm is what is unusual about the text and was kept, nothing for plain
// UTF-8 with plain line ends.
func keptForm(f *reeve.ChangedFile) string {
	if f.Did != reeve.DidOverwrite && f.Did != reeve.DidEdit {
		return ""
	}
	var kept []string
	if f.Encoding != "" && f.Encoding != "utf-8" {
		kept = append(kept, f.Encoding)
	}
	if f.BOM {
		kept = append(kept, "the byte order mark")
	}
	if f.Endings != "" && f.Endings != "lf" {
		kept = append(kept, f.Endings+" line ends")
	}
	return strings.Join(kept, ", ")
}
