package attack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"

	"reeve"
)

// Mischief is an endless row of random changes to one folder, always the same
// for one seed and the same beginning, and what must stand there after each.
// Two processes that begin alike know of each other what they do.
//
// All the changes are ones that must succeed, under the umask 022.
type Mischief struct {
	dir  string
	rng  *rand.Rand
	big  int
	tree Tree
	n    int
}

// NewMischief begins with what is in the folder. Big is the size in bytes of
// the largest files that are written and copied; 0 means none is large.
func NewMischief(dir string, seed uint64, big int) (*Mischief, error) {
	t, err := ScanTree(dir)
	if err != nil {
		return nil, err
	}
	return &Mischief{dir: dir, rng: rand.New(rand.NewPCG(seed, 0)), big: big, tree: t}, nil
}

// Prank is one change.
type Prank struct {
	Call          reeve.Call
	Before, After Tree
}

// Displaced are the contents that were in Before and stand nowhere in After.
func (p Prank) Displaced() []string {
	still := map[string]bool{}
	for _, x := range p.After {
		still[x.Body] = true
	}
	var out []string
	for _, f := range p.Before.files() {
		if b := p.Before[f].Body; !still[b] {
			out = append(out, b)
		}
	}
	return out
}

// PlantMischief fills an empty folder with files of several modes and
// attributes to begin with.
func PlantMischief(dir string) error {
	modes := []fs.FileMode{0o600, 0o644, 0o755, 0o640, 0o664}
	for i := range 8 {
		p := filepath.Join(dir, []string{"", "a", "a/b", "c"}[i%4], fmt.Sprintf("p%d.txt", i))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(p, []byte(body(fmt.Sprint("planted ", i), 200<<(i%4))), 0o600); err != nil {
			return err
		}
		if err := os.Chmod(p, modes[i%len(modes)]); err != nil {
			return err
		}
		if err := writeNote(p, fmt.Sprint("note of ", i)); err != nil {
			return err
		}
	}
	return nil
}

// body is text of at least size bytes; every line of it is unique.
func body(word string, size int) string {
	var b strings.Builder
	b.Grow(size + 100)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%s line %d of what was written\n", word, i)
	}
	return b.String()
}

// Next gives the next change and takes it as made.
func (m *Mischief) Next() Prank {
	for {
		m.n++
		if call, after := m.pick(); call != nil {
			p := Prank{Call: call, Before: m.tree, After: after}
			m.tree = after
			return p
		}
	}
}

// Try makes the next change and looks at all that stands there afterwards:
// with a refusal, all as it was, else all as it must be. It gives the refusal
// apart from what is wrong. After a refusal the row goes on from what was.
func (m *Mischief) Try(ctx context.Context, d reeve.Doer, s reeve.Subject) (p Prank, out reeve.Outcome, refused, wrong error) {
	p = m.Next()
	out, refused = d.Do(ctx, reeve.Request{Subject: s, Call: p.Call})
	if refused == nil && out.Result == nil {
		refused = errors.New("it was asked")
	}
	want := p.After
	if refused != nil {
		want, m.tree = p.Before, p.Before
	}
	now, err := ScanTree(m.dir)
	if err != nil {
		return p, out, refused, err
	}
	if diff := want.Differs(now); len(diff) > 0 {
		wrong = fmt.Errorf("after %T (%v):\n%s", p.Call, refused, strings.Join(diff, "\n"))
	}
	return p, out, refused, wrong
}

func (m *Mischief) pick() (reeve.Call, Tree) {
	files, folders := m.tree.files(), m.tree.folders()
	switch kind := m.rng.IntN(16); {
	case kind < 3 || len(files) < 4:
		return m.create()
	case kind < 6:
		return m.replace(m.of(files))
	case kind < 8:
		return m.edit(m.of(files))
	case kind < 10:
		return m.edit(m.of(files), m.of(files), m.of(files))
	case kind < 11:
		return m.move(m.of(append(files, folders...)))
	case kind < 12:
		return m.copy(m.of(append(files, folders...)))
	case kind < 13:
		p := m.fresh("dir")
		return &reeve.CreateDirectory{Path: m.path(p)}, m.tree.with(func(t Tree) {
			t.parents(p)
			t[p] = Thing{Mode: fs.ModeDir | 0o755}
		})
	case kind < 15 && len(files) > 6:
		return m.remove(m.of(files))
	case len(folders) > 0 && len(files) > 12:
		return m.remove(m.of(folders))
	}
	return nil, nil
}

func (m *Mischief) of(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[m.rng.IntN(len(list))]
}

func (m *Mischief) path(p string) string { return filepath.Join(m.dir, filepath.FromSlash(p)) }

// fresh draws a name that nothing has, now and then in folders that are not
// there either.
func (m *Mischief) fresh(word string) string {
	p := fmt.Sprintf("%s%x", word, m.rng.Uint32())
	if m.rng.IntN(3) == 0 {
		p = path.Join(fmt.Sprintf("new%x", m.rng.Uint32()), "deep", p)
	}
	return path.Join(m.of(append(m.tree.folders(), "")), p)
}

func (m *Mischief) body() string {
	size := 10 << m.rng.IntN(14)
	if m.big > 0 && m.rng.IntN(3) == 0 {
		size = m.big
	}
	return body(fmt.Sprintf("%x", m.rng.Uint64()), size)
}

func (m *Mischief) create() (reeve.Call, Tree) {
	p, text := m.fresh("f"), m.body()
	return &reeve.WriteFile{Path: m.path(p), Content: text}, m.tree.with(func(t Tree) {
		t.parents(p)
		t[p] = Thing{Mode: 0o644, Body: text}
	})
}

func (m *Mischief) replace(p string) (reeve.Call, Tree) {
	text := m.body()
	return &reeve.WriteFile{Path: m.path(p), Content: text}, m.tree.with(func(t Tree) {
		x := t[p]
		x.Body = text
		t[p] = x
	})
}

// edit changes a line in each of the files, of which some may be the same.
func (m *Mischief) edit(files ...string) (reeve.Call, Tree) {
	call := &reeve.EditFile{}
	after := m.tree.with(func(t Tree) {
		for i, p := range files {
			x := t[p]
			lines := strings.SplitAfter(x.Body, "\n")
			if len(lines) < 2 || len(x.Body) > 4<<20 {
				continue
			}
			old := lines[m.rng.IntN(len(lines)-1)]
			text := fmt.Sprintf("edit %x %d\n", m.rng.Uint64(), i)
			if strings.Count(x.Body, old) != 1 {
				continue
			}
			call.Edits = append(call.Edits, reeve.Edit{Path: m.path(p), Old: old, New: text})
			x.Body = strings.Replace(x.Body, old, text, 1)
			t[p] = x
		}
	})
	if len(call.Edits) == 0 {
		return nil, nil
	}
	return call, after
}

func (m *Mischief) move(p string) (reeve.Call, Tree) {
	to := m.fresh("moved")
	if strings.HasPrefix(to, p+"/") {
		return nil, nil
	}
	return &reeve.MovePath{From: m.path(p), To: m.path(to)}, m.tree.with(func(t Tree) {
		for _, k := range m.tree.below(p) {
			t[to+strings.TrimPrefix(k, p)] = t[k]
			delete(t, k)
		}
		t.parents(to)
	})
}

func (m *Mischief) copy(p string) (reeve.Call, Tree) {
	to := m.fresh("copy")
	if strings.HasPrefix(to, p+"/") || len(m.tree) > 80 {
		return nil, nil
	}
	return &reeve.CopyPath{From: m.path(p), To: m.path(to)}, m.tree.with(func(t Tree) {
		for _, k := range m.tree.below(p) {
			x := t[k]
			if x.Mode.IsDir() {
				x.Note = "" // of a folder, what is in it is copied
			}
			t[to+strings.TrimPrefix(k, p)] = x
		}
		t.parents(to)
	})
}

func (m *Mischief) remove(p string) (reeve.Call, Tree) {
	return &reeve.DeletePath{Path: m.path(p), Recursive: m.tree[p].Mode.IsDir()}, m.tree.with(func(t Tree) {
		for _, k := range m.tree.below(p) {
			delete(t, k)
		}
	})
}
