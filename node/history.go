package node

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/guard"
	"reeve/internal/history"
	"reeve/internal/pathname"
)

// keeper is the history as the gate wants it: changes as they come out of the
// commit become entries, those of one call together.
type keeper struct {
	store *history.Store

	mu     sync.Mutex
	groups []*group // the latest last
}

// group is one call whose changes are being kept.
type group struct {
	key    string
	change string
	undoes string
	n      int
	places map[string]bool
}

// groupsMost is how many calls may be kept at the same time: more than can be
// committed at once.
const groupsMost = 64

func newKeeper(s *history.Store) *keeper { return &keeper{store: s} }

// Would implements guard.History.
func (k *keeper) Would(largest, all int64) (time.Duration, string) {
	return k.store.WouldTree(largest, all)
}

// Keep implements guard.History.
func (k *keeper) Keep(ctx context.Context, m guard.Made) (string, error) {
	change, undoes, n := k.next(m)
	t := thingOf(m.Done)
	_, details, err := k.store.KeepFrom(ctx, history.Call{Change: change, Undoes: undoes, ID: m.Call, Verb: m.Verb, Subject: m.Subject,
		Digest: m.Digest.String(), At: m.At}, n, t)
	if err != nil {
		return "", err
	}
	return details[0].NotKept, nil
}

// next finds the change that a made one belongs to. The same proposal may be
// made again later, with the same digest: a place that repeats begins anew.
func (k *keeper) next(m guard.Made) (change, undoes string, n int) {
	key, place := m.Digest.String(), string(m.Done.Change.Kind)+m.Done.Change.Place.Key()
	what, as, undo := undoOf(m)
	if undo {
		key = as
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := len(k.groups) - 1; i >= 0; i-- {
		g := k.groups[i]
		if g.key != key {
			continue
		}
		if g.places[place] {
			break
		}
		g.places[place] = true
		g.n++
		return g.change, g.undoes, g.n - 1
	}
	g := &group{key: key, change: history.NewID(), n: 1, places: map[string]bool{place: true}}
	if undo {
		g.change, g.undoes = as, what
	}
	if k.groups = append(k.groups, g); len(k.groups) > groupsMost {
		k.groups = k.groups[1:]
	}
	return g.change, g.undoes, 0
}

// An undo's calls name what they take back, and the change that they are.
const undoWord = "undo "

func undoCall(what, as string) string { return undoWord + what + " as " + as }

func undoOf(m guard.Made) (what, as string, ok bool) {
	if m.Verb != reeve.VerbRestore || !m.Subject.IsOwner() {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(m.Call, undoWord)
	if !ok {
		return "", "", false
	}
	what, as, ok = strings.Cut(rest, " as ")
	_, ok1 := history.CleanID(what)
	_, ok2 := history.CleanID(as)
	return what, as, ok && ok1 && ok2
}

// thingOf is a change that was made, as history enters it.
func thingOf(d capfs.Done) history.Thing {
	ch := d.Change
	t := history.Thing{Target: ch.Place.Target, Root: pathname.EscapePath(string(ch.Place.RootPath)), Path: ch.Place.Display(),
		Before: ch.Expect, After: d.Version, Kind: ch.Place.Kind, Stamp: ch.Place.Stamp}
	switch ch.Kind {
	case reeve.Remove:
		t.Effect = reeve.EffectRemove
	case reeve.Move:
		t.Effect = reeve.EffectMove
		if ch.To != nil {
			t.To = ch.To.Display()
		}
	case reeve.Mkdir:
		t.Effect, t.Kind = reeve.EffectMkdir, reeve.Directory
	default:
		t.Effect = reeve.EffectReplace
		if !ch.Place.Exists() {
			t.Effect, t.Kind = reeve.EffectCreate, reeve.File
			if _, link := ch.Content.(reeve.LinkTo); link {
				t.Kind = reeve.Symlink
			}
		}
	}
	for _, m := range d.Made {
		t.Made = append(t.Made, m.Display())
	}
	if d.Displaced != nil {
		t.Displaced = displacedOf(d.Displaced)
	}
	return t
}

// displaced is what a change put out of the way, as history wants it.
type displaced struct{ d capfs.Displaced }

// walker is a displaced folder that shows what is in it.
type walker interface {
	Walk(ctx context.Context, fn func(rel string, d capfs.Displaced) error) error
}

type displacedFolder struct {
	displaced
	walker
}

// Walk implements history.Folder.
func (f displacedFolder) Walk(ctx context.Context, fn func(string, history.Displaced) error) error {
	return f.walker.Walk(ctx, func(rel string, d capfs.Displaced) error { return fn(rel, displacedOf(d)) })
}

func displacedOf(d capfs.Displaced) history.Displaced {
	t, take := d.(capfs.Taker)
	w, walk := d.(walker)
	walk = walk && d.Info().Kind == reeve.Directory
	switch {
	case take && walk:
		return struct {
			displacedFolder
			capfs.Taker
		}{displacedFolder{displaced{d}, w}, t}
	case take:
		return struct {
			displaced
			capfs.Taker
		}{displaced{d}, t}
	case walk:
		return displacedFolder{displaced{d}, w}
	}
	return displaced{d}
}

// Facts implements history.Displaced.
func (d displaced) Facts() history.Facts {
	i := d.d.Info()
	if l, ok := d.d.(interface{ LinkText() (string, error) }); ok && i.Kind == reeve.Symlink && i.Link == "" {
		i.Link, _ = l.LinkText() // without it, history says that it is not kept
	}
	f := history.Facts{Kind: i.Kind, Size: i.Size, Link: i.Link, Meta: reeve.Meta{Mode: i.Mode, MTime: i.MTime}}
	if runtime.GOOS != "windows" {
		f.Meta.Owner = &reeve.Ownership{UID: i.UID, GID: i.GID}
	}
	return f
}

// Lend implements history.Lender, for a folder's extended attributes.
func (d displaced) Lend(fn func(fd uintptr) error) error {
	if l, ok := d.d.(history.Lender); ok {
		return l.Lend(fn)
	}
	return errors.ErrUnsupported
}

// Open implements history.Displaced. What it gives may lend its descriptor.
func (d displaced) Open(ctx context.Context) (history.Reader, error) { return d.d.Open(ctx) }

// openHistory gives the history of a state folder. It touches no disk.
func openHistory(state, machine string, now func() time.Time) *history.Store {
	return history.New(history.Options{Dir: state, Machine: machine, Now: now})
}
