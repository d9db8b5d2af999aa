package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/pathname"
)

// Bounds of a folder that is copied as one change.
const (
	maxCopied      = 1000 // entries
	maxCopiedBytes = 256 << 20
)

// folderCopy collects the changes that make a copy of a folder: each folder
// before what is in it, in the order of names.
type folderCopy struct {
	shown   string
	to      reeve.Place
	changes []reeve.Change
	extent  reeve.Extent
	entries int
	wait    time.Duration // left for files that were just written
	left    []string      // pipes, sockets and devices, which are not copied
	leftAll int
}

func copyFolder(ctx context.Context, v *guard.View, r *guard.Reply) (guard.Work, error) {
	from, to := v.At(1).Place(), v.At(0).Place()
	if inside(to, from) {
		return guard.Work{}, &reeve.Error{Op: string(copyVerb), Path: v.At(1).Shown(), Kind: reeve.Input, Code: reeve.Invalid,
			What: "cannot be copied into itself (" + to.Display() + ")", Not: "Nothing was copied.", Instead: "Choose a place outside of it."}
	}
	top, err := v.Folder(ctx, 1)
	if err != nil {
		return guard.Work{}, unchanged(err)
	}
	defer top.Close()
	c := &folderCopy{shown: v.At(1).Shown(), to: to, wait: settleWait}
	c.changes = append(c.changes, reeve.Change{Kind: reeve.Mkdir, Place: to, Meta: modeOf(top.Info().Mode)})
	if err := c.folder(ctx, top, nil); err != nil {
		return guard.Work{}, unchanged(err)
	}
	shown := []guard.Shown{{Holds: holdsText(&c.extent), Bytes: c.extent.Size}}
	return guard.Work{Changes: c.changes, Shown: shown, After: func(made receipt, r *guard.Reply) reeve.Answer {
		t := told(r, from, reeve.DidCopy)
		t.To = r.Path(to)
		t.Now = &c.extent
		finish(&t, doneFor(made, 0), r)
		if c.leftAll > 0 {
			names := strings.Join(c.left, ", ")
			if c.leftAll > len(c.left) {
				names += ", …"
			}
			r.Note("Not copied: %s (%s).", counted(int64(c.leftAll), "pipe, socket or device", "pipes, sockets or devices"), names)
		}
		return &reeve.Changes{Files: []reeve.ChangedFile{t}}
	}}, nil
}

// below is the place that a name of the folder gets in the copy.
func (c *folderCopy) below(rel []reeve.Name) reeve.Place {
	p := c.to
	p.Components = slices.Concat(p.Components, rel)
	p.Missing += len(rel)
	p.Kind, p.Stamp, p.Links, p.Mode = reeve.Absent, reeve.Stamp{}, 0, 0
	return p
}

func (c *folderCopy) folder(ctx context.Context, f *guard.Folder, rel []reeve.Name) error {
	var list []guard.Entry
	err := f.Each(ctx, func(e guard.Entry) error {
		if c.entries++; c.entries > maxCopied {
			return tooLarge(copyVerb, c.shown, "holds more than "+grouped(maxCopied)+" entries, the most that are copied at once", "Copy what is in it in several calls: each folder, and each file, by its own path.")
		}
		list = append(list, e)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b guard.Entry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.entry(ctx, f, e, append(rel[:len(rel):len(rel)], reeve.Name(e.Name))); err != nil {
			return err
		}
	}
	return nil
}

func (c *folderCopy) entry(ctx context.Context, f *guard.Folder, e guard.Entry, rel []reeve.Name) error {
	if e.Protected {
		return &reeve.Error{Op: string(copyVerb), Path: c.shown, Kind: reeve.Policy, Code: reeve.Protected,
			What: "holds " + relShown(rel) + ", which is protected", Not: "Nothing was copied.",
			Instead: "Copy what is needed of it without that."}
	}
	switch e.Kind {
	case reeve.Directory:
		in, err := f.Into(ctx, e.Name)
		if err != nil {
			return err
		}
		defer in.Close()
		c.extent.Folders++
		c.changes = append(c.changes, reeve.Change{Kind: reeve.Mkdir, Place: c.below(rel), Meta: modeOf(in.Info().Mode)})
		return c.folder(ctx, in, rel)
	case reeve.File:
		file, version, err := settled(ctx, c.shown+": "+relShown(rel), &c.wait, func() (*guard.File, error) { return f.Open(ctx, e.Name) })
		if err != nil {
			return err
		}
		defer file.Close()
		c.extent.Files++
		if c.extent.Size += file.Size(); c.extent.Size > maxCopiedBytes {
			return tooLarge(copyVerb, c.shown, fmt.Sprintf("holds more than %s bytes, the most that are copied at once", grouped(maxCopiedBytes)), "Copy what is in it in several calls: each folder, and each file, by its own path.")
		}
		c.changes = append(c.changes, reeve.Change{Kind: reeve.Put, Place: c.below(rel),
			Content: reeve.FromPlace{Place: file.Place(), Version: version}, Meta: modeOf(file.Info().Mode)})
		return nil
	case reeve.Symlink:
		info, err := f.Stat(ctx, e.Name)
		if err != nil {
			return err
		}
		c.extent.Links++
		c.changes = append(c.changes, reeve.Change{Kind: reeve.Put, Place: c.below(rel), Content: reeve.LinkTo(info.Link)})
		return nil
	}
	if c.leftAll++; len(c.left) < deleteNames {
		c.left = append(c.left, relShown(rel))
	}
	return nil
}

// relShown is a path below a folder, odd names escaped.
func relShown(rel []reeve.Name) string {
	parts := make([]string, len(rel))
	for i, n := range rel {
		parts[i] = pathname.Escape(string(n))
	}
	return strings.Join(parts, "/")
}
