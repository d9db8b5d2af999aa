package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// Node is one thing below a kept folder.
type Node struct {
	// Path is relative to the folder, in shown form.
	Path string         `json:"path"`
	Kind reeve.FileKind `json:"kind"`
	Meta *reeve.Meta    `json:"meta,omitempty"`
	Link string         `json:"link,omitempty"` // shown form
	Blob string         `json:"blob,omitempty"`
	Size int64          `json:"size,omitempty"`
	// NotKept says why its content was not kept.
	NotKept string `json:"not_kept,omitempty"`
}

// A manifest is one node a line, a folder before what is in it.
const (
	manifestNodes = 100_000
	manifestBytes = 64 << 20
)

// folder keeps what is in a displaced folder, and gives its manifest. What
// could not be kept of it is named there; short says so in words.
func (b *batch) folder(ctx context.Context, d Folder) (manifest *pending, short string, err error) {
	var text bytes.Buffer
	left, first, nodes := 0, "", 0
	err = d.Walk(ctx, func(rel string, d Displaced) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := d.Facts()
		n := Node{Path: shownRel(rel), Kind: f.Kind, Meta: meta(f)}
		switch f.Kind {
		case reeve.Symlink:
			n.Link = pathname.Escape(f.Link)
		case reeve.File:
			p, why := b.file(ctx, d, f, nil)
			if why != "" {
				n.NotKept, n.Size = why, f.Size
			} else {
				n.Blob, n.Size = p.hash, p.size
				if n.Meta.XAttrs == nil {
					n.Meta.XAttrs = p.xattrs
				}
			}
		case reeve.Directory:
			n.Meta = folderMeta(d, f)
		default:
			n.NotKept = "it is a pipe, socket or device"
		}
		if n.NotKept != "" {
			if left++; first == "" {
				first = n.Path + ", since " + n.NotKept
			}
		}
		line, err := json.Marshal(n)
		if err != nil {
			return err
		}
		text.Write(append(line, '\n'))
		if nodes++; nodes > manifestNodes || text.Len() > manifestBytes {
			return errors.New("there is too much in it")
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if left > 0 {
		short = fmt.Sprintf("%d of what is in it could not be kept (%s)", left, first)
	}
	manifest, err = b.bytes(ctx, text.Bytes())
	return manifest, short, err
}

func shownRel(rel string) string {
	parts := strings.Split(rel, "/")
	for i, p := range parts {
		parts[i] = pathname.Escape(p)
	}
	return strings.Join(parts, "/")
}

// At is the path of the file that holds what is kept: a file's bytes, or a
// folder's manifest.
func (s *Store) At(hash string) string {
	if !properHash(hash) {
		return ""
	}
	return filepath.Join(s.o.Dir, "history", filepath.FromSlash(blobName(hash)))
}

// Tree gives what is in a kept folder, a folder before what is in it.
func (s *Store) Tree(ctx context.Context, hash string) ([]Node, error) {
	r, size, err := s.Open(ctx, hash)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if size > 2*manifestBytes {
		return nil, damaged(blobName(hash))
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return nodes(b, blobName(hash))
}

func nodes(b []byte, name string) ([]Node, error) {
	var list []Node
	for line := range bytes.Lines(b) {
		var n Node
		if err := json.Unmarshal(line, &n); err != nil {
			return nil, damaged(name)
		}
		if !properRel(n.Path) || n.Blob != "" && !properHash(n.Blob) || n.Size < 0 {
			return nil, damaged(name)
		}
		list = append(list, n)
	}
	return list, nil
}

// properRel refuses what would lead out of the folder when it is brought
// back.
func properRel(shown string) bool {
	if shown == "" {
		return false
	}
	for c := range strings.SplitSeq(shown, "/") {
		raw, err := pathname.Unescape(c)
		if err != nil || raw == "" || raw == "." || raw == ".." || strings.ContainsAny(raw, "/\x00") || os.PathSeparator == '\\' && strings.Contains(raw, `\`) {
			return false
		}
	}
	return true
}
