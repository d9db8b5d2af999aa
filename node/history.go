package node

import (
	"context"
	"errors"
	"path/filepath"
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

// keeper is the history as the gate wants it: what one call did becomes one
// change, and what the calls of one undo did another.
type keeper struct {
	store *history.Store

	mu    sync.Mutex
	undos []undoing // the latest last
}

// undoing is an undo whose calls are being kept, one after another.
type undoing struct {
	change string
	n      int // how many changes it has
}

// undosMost is how many undos may be under way at the same time.
const undosMost = 64

func newKeeper(s *history.Store) *keeper { return &keeper{store: s} }

// Would implements guard.History.
func (k *keeper) Would(largest, all int64) (time.Duration, string) {
	return k.store.WouldTree(largest, all)
}

// Keep implements guard.History.
func (k *keeper) Keep(ctx context.Context, m guard.Made, beside func()) ([]guard.Kept, error) {
	if m.Other {
		return k.others(ctx, m)
	}
	c := history.Call{ID: m.Call, Verb: m.Verb, Subject: m.Subject, Digest: m.Digest.String(), At: m.At, Beside: beside}
	n := 0
	if what, as, ok := undoOf(m); ok {
		c.Change, c.Undoes, n = as, what, k.next(as, len(m.Done))
	} else {
		c.Change = history.NewID()
	}
	things := make([]history.Thing, len(m.Done))
	for i, d := range m.Done {
		things[i] = thingOf(d)
	}
	entries, details, err := k.store.KeepFrom(ctx, c, n, things...)
	if err != nil {
		return nil, err
	}
	kept := make([]guard.Kept, len(details))
	for i, d := range details {
		kept[i] = guard.Kept{Why: d.NotKept, Part: entries[i].Blob != "", Failed: k.safe(entries[i], d) != nil}
	}
	return kept, nil
}

// others keeps what other programs saved in the moment of a change: no change
// of its call, so that an undo brings it back by its ID alone.
func (k *keeper) others(ctx context.Context, m guard.Made) ([]guard.Kept, error) {
	var kept []guard.Kept
	for _, d := range m.Done {
		t := thingOf(d)
		t.Effect, t.To, t.Made, t.Before, t.After, t.Stamp = reeve.EffectReplace, "", nil, reeve.Version{}, reeve.Version{}, reeve.Stamp{}
		if w, ok := d.Displaced.(interface{ Was() string }); ok && w.Was() != "" {
			t.Path = pathname.EscapePath(w.Was())
			if t.Root == "" {
				t.Root = pathname.EscapePath(filepath.Dir(w.Was()))
			}
		}
		if t.Kind = d.Displaced.Info().Kind; t.Kind != reeve.File {
			t.Effect = reeve.EffectRemove
		}
		_, details, err := k.store.Keep(ctx, history.Call{ID: "another", Verb: Found, Subject: reeve.Subject{Kind: reeve.Owner}, At: m.At}, t)
		if err != nil {
			return nil, err
		}
		kept = append(kept, guard.Kept{Why: details[0].NotKept})
	}
	return kept, nil
}

// next gives the number of the first of so many further changes of an undo.
func (k *keeper) next(change string, count int) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.undos {
		if u := &k.undos[i]; u.change == change {
			u.n += count
			return u.n - count
		}
	}
	if k.undos = append(k.undos, undoing{change, count}); len(k.undos) > undosMost {
		k.undos = k.undos[1:]
	}
	return 0
}

// An undo's calls name what they take back, and the change that they are.
const undoWord = "undo "

func undoCall(what, as string) string { return undoWord + what + " as " + as }

func undoOf(m guard.Made) (what, as string, ok bool) { return undoWords(m.Verb, m.Subject, m.Call) }

// undoWords reads a call's name as that of an undo, if it is one.
func undoWords(v reeve.Verb, who reeve.Subject, call string) (what, as string, ok bool) {
	if v != reeve.VerbRestore || !who.IsOwner() {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(call, undoWord)
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
