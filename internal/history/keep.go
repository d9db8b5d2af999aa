package history

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"reeve"
	"reeve/internal/pathname"
)

// Keep takes what the changes of one call displaced and writes an entry for
// each, also for those that displaced nothing, so that they can be taken
// back. It returns when all of it is durable.
//
// An error means that no entry may be relied on: one may still be listed, if
// the disk failed while the entries of other calls were written behind it.
// What could not be kept, while its change is entered, is said in the entry's
// NotKept; the error is nil then.
// Things of one call that are kept one by one share Call.Change.
func (s *Store) Keep(ctx context.Context, c Call, things ...Thing) ([]Entry, []Detail, error) {
	if c.Change == "" {
		c.Change = NewID()
	}
	return s.keep(ctx, c, 0, false, things)
}

// KeepFrom is Keep for things that come one after another: the first of them
// is the n-th of its change.
func (s *Store) KeepFrom(ctx context.Context, c Call, n int, things ...Thing) ([]Entry, []Detail, error) {
	return s.keep(ctx, c, n, false, things)
}

// Again keeps bytes that arrived after e was made, from a program that still
// had the old file open: as a second entry of the same change.
func (s *Store) Again(ctx context.Context, e Entry, d Displaced) (Entry, Detail, error) {
	old, err := e.Detail()
	if err != nil {
		return Entry{}, Detail{}, err
	}
	c := Call{Change: e.Change, Undoes: e.Undoes, ID: old.ID, Verb: old.Verb, Subject: old.Subject, Digest: old.Digest, At: s.o.Now()}
	t := Thing{Effect: e.Effect, Target: old.Target, Root: old.Root, Path: e.Path, To: e.To, Kind: e.Kind, Displaced: d}
	es, ds, err := s.keep(ctx, c, e.N, true, []Thing{t})
	if err != nil {
		return Entry{}, Detail{}, err
	}
	return es[0], ds[0], nil
}

// batch is one Keep.
type batch struct {
	s     *Store
	h     *house
	root  *os.Root // the house's
	all   []*pending
	by    map[string]*pending
	total int64 // of what this call keeps
	twins []*pending
	notes *notes // nil where there can be none
	// folders were taken, and are in blobs now.
	folders []string
	// left: something taken is not in blobs. failed: something could not be
	// kept, and no bound or kind of thing is why.
	left, failed bool
	done         bool
	beside       func()
}

func (s *Store) keep(ctx context.Context, c Call, n int, later bool, things []Thing) ([]Entry, []Detail, error) {
	if !properID(c.Change) || c.Undoes != "" && !properID(c.Undoes) {
		return nil, nil, errors.New("history: not the ID of a change")
	}
	h, err := s.house()
	if err != nil {
		return nil, nil, failed("history", "the history could not be opened", err)
	}
	root := h.root
	first, err := s.order(root, len(things))
	if err != nil {
		return nil, nil, failed("history", "the history could not be read", err)
	}
	if c.At.IsZero() {
		c.At = s.o.Now()
	}
	b := &batch{s: s, h: h, root: root, beside: c.Beside, by: map[string]*pending{}, notes: s.notes(root)}
	b.notes.begin()
	defer b.drop()
	var entries []Entry
	var details []Detail
	var lines []byte
	for i, t := range things {
		e := Entry{Change: c.Change, N: n + i, Order: first + int64(i), At: c.At.UTC(), Undoes: c.Undoes, Owner: c.Subject.IsOwner(),
			Effect: t.Effect, Kind: t.Kind, Path: t.Path, To: t.To}
		d := Detail{ID: c.ID, Verb: c.Verb, Digest: c.Digest, Subject: c.Subject, Target: t.Target, Root: t.Root,
			Before: t.Before, After: t.After, Stamp: t.Stamp, Made: t.Made, Later: later}
		b.displaced(ctx, t.Displaced, &note{Call: &c, N: n + i, Later: later, Thing: &t}, &e, &d)
		if lines, err = e.line(lines, d); err != nil {
			return nil, nil, failed("history", "an entry could not be written", err)
		}
		entries, details = append(entries, e), append(details, d)
	}
	if err := ctx.Err(); err != nil && b.failed {
		// Its time was over, not the bounds: what was to be kept is to be
		// handed over again, and has no entry until then.
		return nil, nil, failed("history", "there was not time enough to keep it", err)
	}
	if err := b.finish(lines); err != nil {
		return nil, nil, failed("history", "the history could not be written", err)
	}
	b.done = true
	s.account(ctx, root, b.added(), first)
	return entries, details, nil
}

// displaced fills in what becomes of a displaced thing.
func (b *batch) displaced(ctx context.Context, d Displaced, l *note, e *Entry, det *Detail) {
	if d == nil {
		det.Kept = true // there is nothing that could be lost
		return
	}
	f := d.Facts()
	e.Kind, det.Meta = f.Kind, meta(f)
	l.noted = notedOf(f)
	switch f.Kind {
	case reeve.Symlink:
		text := f.Link
		if t, ok := d.(Taker); ok && text == "" {
			text = b.takeLink(t, l)
		}
		if text == "" {
			det.NotKept = "where the link led could not be read"
			return
		}
		det.Link, det.Kept = pathname.Escape(text), true
	case reeve.File:
		e.Size = f.Size
		p, why := b.file(ctx, d, f, l)
		if why != "" {
			det.NotKept = why
			return
		}
		e.Blob, e.Size, det.Kept = p.hash, p.size, true
		if det.Meta.XAttrs == nil {
			det.Meta.XAttrs = p.xattrs
		}
	case reeve.Directory:
		in, ok := d.(Folder)
		var own takenFolder
		if t, can := d.(Taker); can {
			if own, can = b.takeFolder(t, l); can {
				in, ok = own, true
				det.Meta = meta(own.Facts())
			}
		}
		if own.root == nil {
			det.Meta = folderMeta(d, f)
		}
		if !ok {
			det.NotKept = "what was in the folder could not be looked at"
			return
		}
		b.failed = false
		p, short, err := b.folder(ctx, in)
		if err != nil {
			b.left = b.left || own.root != nil
			det.NotKept = "the folder could not be kept: " + words(err)
			return
		}
		if det.Left = own.root != nil && b.failed; det.Left {
			b.left = true
		} else if own.root != nil {
			b.folders = append(b.folders, own.name)
		}
		e.Blob, e.Size, det.NotKept, det.Kept = p.hash, p.size, short, short == ""
	default:
		det.NotKept = "it is a pipe, socket or device"
	}
}

// file keeps one file; why says that it was not, as a clause.
func (b *batch) file(ctx context.Context, d Displaced, f Facts, l *note) (p *pending, why string) {
	if why := b.s.tooLarge(f.Size); why != "" {
		return nil, why
	}
	if b.total+f.Size > b.s.o.TotalBytes {
		return nil, "this one change puts out of the way more than the " + size(b.s.o.TotalBytes) + " that are kept in all"
	}
	p, err := b.s.stage(ctx, b.h, d, l)
	if err != nil && l != nil {
		b.left = true // perhaps it was taken
	}
	if err == nil {
		p, err = b.publish(ctx, p)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return nil, b.s.tooLarge(b.s.o.FileBytes + 1)
	case err != nil:
		b.failed = true
		return nil, "the copy could not be written: " + words(err)
	}
	b.total += p.size
	return p, ""
}

func (b *batch) bytes(ctx context.Context, text []byte) (*pending, error) {
	p, err := b.s.copy(ctx, b.h, bytes.NewReader(text), manifestBytes)
	if err != nil {
		return nil, err
	}
	return b.publish(ctx, p)
}

func (b *batch) publish(ctx context.Context, p *pending) (*pending, error) {
	if had := b.by[p.hash]; had != nil {
		if p.taken == "" {
			p.drop(b.h)
			return had, nil
		}
		p.close()
		b.twins = append(b.twins, p)
		return had, nil
	}
	if err := b.s.publish(ctx, b.h, p); err != nil {
		b.left = p.drop(b.h) || b.left
		return nil, err
	}
	b.all, b.by[p.hash] = append(b.all, p), p
	if len(b.all) > openMost { // not all of a large folder stays open
		old := b.all[len(b.all)-1-openMost]
		if err := syncData(old.f); err != nil {
			return nil, err
		}
		old.close()
	}
	return p, nil
}

// openMost is how many staged files stay open for being synced together.
const openMost = 64

// finish makes blobs and entries durable, at the same time as what the caller
// has to sync: an entry without its blob after a power cut is one whose copy
// is gone, and says so. Then it looks whether the blobs are all still there.
func (b *batch) finish(lines []byte) error {
	if err := b.s.add(b.root, lines, b.syncs()); err != nil {
		return err
	}
	for _, p := range b.all {
		name := blobName(p.hash)
		if !missing(b.h, name) {
			continue
		}
		// Somebody pruned it before its entry was there to be seen.
		if err := b.s.link(b.h, p, name); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := syncDir(b.h.blobs); err != nil {
			return err
		}
	}
	return nil
}

// syncs are what makes blobs and their names durable, and what the caller
// wants to be done at the same time: a file system with a journal then writes
// it once.
func (b *batch) syncs() (jobs []func() error) {
	if b.beside != nil {
		jobs = append(jobs, func() error { b.beside(); return nil })
	}
	for _, p := range b.all {
		if f := p.f; f != nil {
			jobs = append(jobs, func() error { return syncData(f) })
		}
	}
	if len(b.all) > 0 {
		jobs = append(jobs, func() error { return syncDir(b.h.blobs) })
	}
	return jobs
}

// atOnce does jobs, a few at a time.
func atOnce(jobs []func() error) error {
	errs := make([]error, len(jobs))
	slots := make(chan struct{}, syncsMost)
	var wg sync.WaitGroup
	for i, job := range jobs {
		slots <- struct{}{}
		if i == len(jobs)-1 {
			errs[i] = job() // the caller's own
			break
		}
		wg.Go(func() {
			errs[i] = job()
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// syncsMost is how many syncs run at the same time.
const syncsMost = 8

// added is how many bytes of blobs are new.
func (b *batch) added() (n int64) {
	for _, p := range b.all {
		if !p.had {
			n += p.size
		}
	}
	return n
}

func (b *batch) drop() {
	left := b.left
	for _, p := range append(b.all, b.twins...) {
		p.done = b.done
		left = p.drop(b.h) || left
	}
	for _, f := range b.folders {
		if left = left || !b.done; b.done {
			b.root.RemoveAll(f)
		}
	}
	b.notes.end(left)
}

// folderMeta is meta with the attributes that the facts may not name.
func folderMeta(d Displaced, f Facts) *reeve.Meta {
	m := meta(f)
	if l, ok := d.(Lender); ok && m.XAttrs == nil {
		l.Lend(func(fd uintptr) error { m.XAttrs = xattrs(fd); return nil })
	}
	return m
}

func meta(f Facts) *reeve.Meta {
	m := f.Meta
	n := 0
	for _, x := range m.XAttrs {
		n += len(x.Name) + len(x.Value)
	}
	if n > xattrMost {
		m.XAttrs = nil
	}
	return &m
}

// xattrMost is how many bytes of attributes an entry holds, which is what
// Linux lets a file have.
const xattrMost = 64 << 10

// words is the system's own word for an error.
func words(err error) string {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e.Error()
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
