package capfstest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// Resolve parses a raw path in the plain absolute style and resolves it, in
// the way that tests of others may use too.
func Resolve(ctx context.Context, fs *capfs.FS, raw string, follow bool) (*capfs.Held, error) {
	p, err := pathname.Parse(pathname.EscapePath(raw), pathname.Context{})
	if err != nil {
		return nil, err
	}
	return fs.Resolve(ctx, p, follow)
}

func (r *runner) resolve(word string, follow bool) (*capfs.Held, error) {
	h, err := Resolve(context.Background(), r.fs, r.path(word), follow)
	if err == nil {
		r.t.Cleanup(func() { h.Close() })
	}
	return h, err
}

// find gives the same words as the table does, as far as the wanted line asks
// for them.
func (r *runner) find(word string, follow bool, want string) (string, error) {
	h, err := r.resolve(word, follow)
	if err != nil {
		return "", err
	}
	p := h.Place()
	kind := string(p.Kind)
	if p.Kind == reeve.Absent {
		kind = "absent"
	}
	out := []string{kind, r.short(p.Path())}
	for _, w := range strings.Fields(want)[min(2, len(strings.Fields(want))):] {
		key, _, _ := strings.Cut(w, "=")
		switch key {
		case "root":
			w = "root=" + string(p.Root)
		case "missing":
			w = "missing=" + strconv.Itoa(p.Missing)
		case "access":
			w = "access=" + string(p.Access)
		case "via":
			w = "via=" + strings.Replace(p.Via, r.w.Base, "@", 1)
		case "text":
			w = "text=" + strings.Replace(h.Info().Link, r.w.Base, "@", 1)
		case "mark":
			kinds := []string{}
			for _, m := range p.Marks {
				kinds = append(kinds, string(m.Kind))
			}
			w = "mark=" + strings.Join(kinds, ",")
		case "nomark":
			if len(p.Marks) > 0 {
				w = fmt.Sprint("marks=", p.Marks)
			}
		}
		out = append(out, w)
	}
	if p.Exists() && h.Info().Stamp != p.Stamp {
		return "", fmt.Errorf("place and info disagree")
	}
	return strings.Join(out, " "), nil
}

func (r *runner) short(path string) string {
	return strings.Replace(pathname.EscapePath(path), pathname.EscapePath(r.w.Base), "@", 1)
}

func (r *runner) read(word string) (string, error) {
	h, err := r.resolve(word, true)
	if err != nil {
		return "", err
	}
	return ReadHeld(h)
}

// ReadHeld reads a held file to its end.
func ReadHeld(h *capfs.Held) (string, error) {
	f, err := h.File(context.Background())
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<30))
	return string(b), err
}

func (r *runner) list(word string) (string, error) {
	h, err := r.resolve(word, true)
	if err != nil {
		return "", err
	}
	names, err := ListHeld(h)
	return strings.Join(names, " "), err
}

// ListHeld lists a held folder, sorted: folders with a /, links with an @,
// and what is none of the ordinary kinds with a | after the name.
func ListHeld(h *capfs.Held) ([]string, error) {
	f, err := h.Folder(context.Background())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	err = f.Each(context.Background(), func(e capfs.DirEntry) error {
		suffix := map[reeve.FileKind]string{reeve.File: "", reeve.Directory: "/", reeve.Symlink: "@", reeve.Special: "|"}[e.Kind]
		names = append(names, pathname.Escape(e.Name)+suffix)
		return nil
	})
	slices.Sort(names)
	return names, err
}
