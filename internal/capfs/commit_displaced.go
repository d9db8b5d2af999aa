package capfs

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"

	"reeve"
)

// displaced is what stands under a hidden name, or in the journal, until
// history has it.
type displaced struct {
	l     *Ladder
	at    site
	m     *mount
	name  string
	info  Info
	file  *os.File // opened for reading before it was displaced, if it is a file
	tally *tally
	// stranger: another program's, never removed from here.
	stranger bool
	blob     bool   // it lies in the journal's folder
	told     *Info  // what Info tells, where that is not the state of what lies there
	path     string // of the folder it was in
	was      string // its name there

	mu    sync.Mutex
	taken bool // by TakeInto
	over  bool
}

// own gives it the folder and the handle of its change.
func (d *displaced) own(s *staged, t *tally) *displaced {
	d.l, d.m, d.tally = s.l, s.from.m, t
	if !d.at.here() {
		d.at, s.from.site = s.from.site, site{}
		d.file, s.old = s.old, nil
		d.path, d.was = pathOf(&s.from), s.from.name
	}
	t.add()
	return d
}

// Info implements Displaced.
func (d *displaced) Info() Info {
	if d.told != nil {
		return *d.told
	}
	return d.info
}

// Was is where it was, absolute, in raw bytes; empty if that is not known.
func (d *displaced) Was() string {
	if d.path == "" || d.was == "" {
		return ""
	}
	return join(d.path, d.was)
}

// Open implements Displaced.
func (d *displaced) Open(context.Context) (OpenFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, os.ErrClosed
	}
	f, info, err := d.at.open(d.name, false)
	if err != nil {
		return nil, err
	}
	if !info.SameFile(d.info.Identity) {
		f.Close()
		return nil, syscall.ESTALE
	}
	return &siteFile{f, d.at}, nil
}

// siteFile is an opened file with the facts of its site.
type siteFile struct {
	*os.File
	at site
}

// Info implements OpenFile.
func (f *siteFile) Info() (Info, error) { return f.at.facts(f.File) }

// TakeInto implements Taker.
func (d *displaced) TakeInto(dir *os.File, name string) (taken bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	defer func() { d.taken = d.taken || taken }()
	if d.over {
		return false, os.ErrClosed
	}
	if !oneName(name) {
		return false, syscall.EINVAL
	}
	if d.tally != nil && d.tally.unsettled.Load() {
		return false, nil
	}
	if d.info.Kind != reeve.File {
		return d.moveTo(dir, name)
	}
	if d.blob {
		return d.moveTo(dir, name)
	}
	if d.file == nil {
		return false, nil
	}
	l, who := unwritten(d.file)
	if who != nobody {
		return false, nil
	}
	now, err := d.at.facts(d.file)
	if err == nil && same(now, d.info) {
		taken, err = d.moveTo(dir, name)
	}
	if quiet := l.end(); taken && !quiet {
		// Somebody stands in the middle of opening it. It goes back, and its
		// bytes are copied.
		taken = false
		if back := takeOut(dir, name, d.at, d.name); back != nil {
			return true, errors.Join(err, back)
		}
	}
	return taken, err
}

func (d *displaced) moveTo(dir *os.File, name string) (bool, error) {
	if err := d.l.fault("take into"); err != nil {
		return false, err
	}
	err := takeInto(d.at, d.name, dir, name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, syscall.EXDEV), errors.Is(err, errUnable), errors.Is(err, errors.ErrUnsupported):
		return false, nil
	}
	return false, bare(err)
}

// Leave is Release for what is still needed: it stays where it is, with its
// note in the journal, and the next start hands it over. It reports whether it
// lies under its hidden name: what was taken does not.
func (d *displaced) Leave() (there bool) {
	d.mu.Lock()
	d.stranger = true
	info, err := d.at.look(d.name)
	there = !d.over && err == nil && info.SameFile(d.info.Identity)
	d.mu.Unlock()
	return d.Release() == nil && there
}

// Release implements Displaced.
func (d *displaced) Release() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil
	}
	d.over = true
	later, err := d.release()
	if later && d.l.journal.keepLater(d) {
		return nil // it is still needed
	}
	d.at.close()
	if d.file != nil {
		d.file.Close()
	}
	return err
}

// release removes what nobody has taken. Later says that another program still
// writes to it, or has done so since its bytes were kept: it stays until that
// is over, and is kept again.
func (d *displaced) release() (later bool, err error) {
	if d.taken {
		if info, err := d.at.look(d.name); missing(err) || err == nil && !info.SameFile(d.info.Identity) {
			d.tally.done()
			return false, nil
		}
	}
	// The lease comes first: a program that opens, writes and closes between
	// a look and a lease would be overlooked.
	who := nobody
	if d.file != nil {
		var l lease
		l, who = unwritten(d.file)
		defer l.end()
	}
	info, err := d.at.look(d.name)
	if missing(err) || err == nil && !info.SameFile(d.info.Identity) {
		d.tally.done()
		return false, nil // taken
	}
	if d.stranger || d.tally != nil && d.tally.unsettled.Load() {
		return false, nil // its note stays, and the next start hands it over
	}
	if err != nil {
		return false, bare(err)
	}
	if d.file != nil && (who == somebody || !same(info, d.info)) {
		d.tally.done()
		return true, nil
	}
	if err := d.l.fault("release"); err != nil {
		return false, err
	}
	if err := removeAll(d.at, d.name, info); err != nil {
		return false, bare(err)
	}
	d.tally.done()
	return false, nil
}

// removeAll removes one thing and, if it is a folder, everything in it, never
// through a link and never beyond its mount.
func removeAll(at site, name string, info Info) error {
	if info.Kind != reeve.Directory {
		return at.remove(name, false)
	}
	in, err := at.enter(name)
	if err != nil {
		return err
	}
	defer in.close()
	self, err := in.self()
	if err != nil {
		return err
	}
	if mountOf(self) != mountOf(info) {
		return syscall.EBUSY
	}
	for {
		entries, err := in.list(batch)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			break
		}
		for _, e := range entries {
			child, err := in.look(e.Name)
			if missing(err) {
				continue
			}
			if err == nil && mountOf(child) != mountOf(self) {
				err = syscall.EBUSY
			}
			if err == nil {
				err = removeAll(in, e.Name, child)
			}
			if err != nil {
				return err
			}
		}
	}
	return at.remove(name, true)
}

// batch is how many entries of a folder are removed at a time.
const batch = 1024
