package ops

import (
	"slices"
	"strings"

	"reeve"
	"reeve/internal/guard"
)

// item is one entry on its way into an answer, kept small: a folder may hold
// very many.
type item struct {
	name      string
	kind      kind
	protected bool
}

// kind is a reeve.FileKind in one byte.
type kind uint8

const (
	special kind = iota
	file
	directory
	symlink
)

func kindOf(k reeve.FileKind) kind {
	switch k {
	case reeve.File:
		return file
	case reeve.Directory:
		return directory
	case reeve.Symlink:
		return symlink
	}
	return special
}

func (k kind) file() reeve.FileKind {
	switch k {
	case file:
		return reeve.File
	case directory:
		return reeve.Directory
	case symlink:
		return reeve.Symlink
	}
	return reeve.Special
}

func itemOf(e guard.Entry) item {
	return item{name: e.Name, kind: kindOf(e.Kind), protected: e.Protected}
}

// order is how the entries of a folder stand: by the bytes of their names,
// with folders in front of the rest if it is true. Bytes, because then the
// order is the same on every system and in every language, and a cursor means
// the same to each.
type order bool

const (
	byName       order = false
	foldersFirst order = true
)

func (o order) compare(a, b item) int {
	if o == foldersFirst && (a.kind == directory) != (b.kind == directory) {
		if a.kind == directory {
			return -1
		}
		return 1
	}
	return strings.Compare(a.name, b.name)
}

// picker keeps the first max entries of those that stream past, in memory for
// max of them: a heap whose root is the last one kept.
type picker struct {
	order order
	max   int
	kept  []item
	total int // offered
}

func (p *picker) offer(it item) {
	p.total++
	switch {
	case len(p.kept) < p.max:
		p.kept = append(p.kept, it)
		if len(p.kept) == p.max {
			for i := len(p.kept)/2 - 1; i >= 0; i-- {
				p.down(i)
			}
		}
	case p.max > 0 && p.order.compare(it, p.kept[0]) < 0:
		p.kept[0] = it
		p.down(0)
	}
}

func (p *picker) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(p.kept) {
			return
		}
		if c+1 < len(p.kept) && p.order.compare(p.kept[c+1], p.kept[c]) > 0 {
			c++
		}
		if p.order.compare(p.kept[c], p.kept[i]) <= 0 {
			return
		}
		p.kept[i], p.kept[c] = p.kept[c], p.kept[i]
		i = c
	}
}

// sorted ends the picking.
func (p *picker) sorted() []item {
	slices.SortFunc(p.kept, p.order.compare)
	return p.kept
}

// comparePaths puts relative paths into the order of the walk: component by
// component, a folder before what is in it.
func comparePaths(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		x, y := a[i], b[i]
		switch {
		case x == y:
		case x == '/':
			return -1
		case y == '/':
			return 1
		default:
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}
