package ops

import (
	"context"
	"errors"
	"strings"

	"reeve"
	"reeve/internal/guard"
)

// maxBelow is the most entries of a folder that is removed as one change. It
// is the gate's own bound for judging a folder's contents.
const maxBelow = 10_000

// measure counts what is below a folder without opening any file. Links are
// counted and not followed.
type measure struct {
	reeve.Extent
	largest int64 // bytes of the largest file
	special int   // pipes, sockets and devices, which count as files
	most    int
	seen    int
	over    bool
}

// folder counts one folder's entries and what is below them.
func (m *measure) folder(ctx context.Context, f *guard.Folder) error {
	var names []guard.Entry
	err := f.Each(ctx, func(e guard.Entry) error {
		if m.seen++; m.seen > m.most {
			m.over = true
			return errStop
		}
		names = append(names, e)
		return nil
	})
	if err != nil && err != errStop {
		return err
	}
	for _, e := range names {
		if m.over {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		switch e.Kind {
		case reeve.Directory:
			m.Folders++
			if e.Protected {
				continue // the gate has refused the whole by now
			}
			in, err := f.Into(ctx, e.Name)
			if errors.Is(err, reeve.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			err = m.folder(ctx, in)
			in.Close()
			if err != nil {
				return err
			}
		case reeve.Symlink:
			m.Links++
		default:
			m.Files++
			info, err := f.Stat(ctx, e.Name)
			if err == nil && info.Kind == reeve.File {
				m.Size += info.Size
				m.largest = max(m.largest, info.Size)
			}
			if err == nil && info.Kind == reeve.Special {
				m.special++
			}
		}
	}
	return nil
}

// holdsText is what a folder holds, in words.
func holdsText(e *reeve.Extent) string {
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, counted(int64(n), one, many))
		}
	}
	add(e.Files, "file", "files")
	add(e.Folders, "folder", "folders")
	add(e.Links, "link", "links")
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ") + ", " + counted(e.Size, "byte", "bytes") + " in all"
}

// holdsText is what a folder holds, and what of it can't be kept.
func (m *measure) holdsText() string {
	text := holdsText(&m.Extent)
	if m.special > 0 {
		text += "; of " + counted(int64(m.special), "pipe, socket or device", "pipes, sockets or devices") + " in it no copy can be kept"
	}
	return text
}
