package capfs

import (
	"context"
	"errors"
	"os"
	"sync"

	"reeve"
)

// ability is what a mount was seen to do. Some file systems answer yes and do
// something else, so that nothing of it is taken from its type.
type ability struct {
	denied   bool // this folder may not be written to; nothing is known then
	exchange bool // two names change places, and both survive
	keep     bool // a rename refuses an existing name, and both survive
	link     bool // a file can have a second name
}

// probes remembers what each mount can do.
type probes struct {
	mu sync.Mutex // guards by; not held while a disk is asked
	by map[probeKey]ability
}

type probeKey struct{ mount, device uint64 }

// probe tells what can be done in a folder, by trying it on two scratch files
// of its own, once for each mount.
func (l *Ladder) probe(ctx context.Context, s *staged, e *end, dir Info) (ability, error) {
	if dir.Seal != Unsealed { // what is made there could not be taken away again
		return ability{denied: true}, nil
	}
	key := probeKey{mountOf(dir), dir.Device}
	l.probes.mu.Lock()
	can, known := l.probes.by[key]
	l.probes.mu.Unlock()
	if known {
		return can, nil
	}
	a, b := string(NewTemp()), string(NewTemp())
	note := noteStep{Kind: stepScratch, Folder: reeve.Name(pathOf(e)), FolderID: dir.Identity, Temp: reeve.Name(a), Name: reeve.Name(b)}
	id, err := l.journal.begin(false, note)
	if err != nil {
		return ability{}, err
	}
	err = s.ask(ctx, e, "probe", func() (err error) { can, err = tryOut(e.site, a, b); return err })
	if err != nil {
		return ability{}, err
	}
	l.journal.end(id)
	if can.denied {
		return can, nil
	}
	l.probes.mu.Lock()
	defer l.probes.mu.Unlock()
	if l.probes.by == nil {
		l.probes.by = map[probeKey]ability{}
	}
	l.probes.by[key] = can
	return can, nil
}

// tryOut exchanges, renames and links two scratch files and looks whether
// each is where it should be afterwards.
func tryOut(at site, a, b string) (can ability, err error) {
	defer func() {
		for _, name := range []string{a, b, a + aside} {
			if rerr := at.remove(name, false); rerr != nil && !missing(rerr) && err == nil {
				err = rerr
			}
		}
	}()
	ia, err := scratch(at, a, 1)
	if errors.Is(err, os.ErrPermission) {
		return ability{denied: true}, nil
	}
	if err != nil {
		return can, err
	}
	ib, err := scratch(at, b, 2)
	if err != nil {
		return can, err
	}
	is := func(name string, want Info) bool {
		got, err := at.look(name)
		return err == nil && same(got, want)
	}
	if at.shift(a, at, b, exchange) == nil {
		can.exchange = is(a, ib) && is(b, ia)
		if !can.exchange {
			// It lied once: nothing else that it says is believed.
			return can, nil
		}
		ia, ib = ib, ia
	}
	if err := at.shift(a, at, b, keep); errors.Is(err, os.ErrExist) {
		can.keep = is(a, ia) && is(b, ib)
	} else if err == nil {
		return ability{}, nil
	}
	if at.link(a, at, a+aside) == nil {
		can.link = is(a, ia) && is(a+aside, ia)
		if err := at.link(b, at, a); err == nil {
			can.link = false
		}
	}
	return can, nil
}

// scratch makes a file of its own size, so that one is told from the other
// even where numbers of files are not kept.
func scratch(at site, name string, size int) (Info, error) {
	f, err := at.fresh(name, 0o600)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, size)); err != nil {
		return Info{}, err
	}
	return at.facts(f)
}

// abilities asks the probe for a folder that is not looked at otherwise.
func (s *staged) abilities(ctx context.Context, e *end) (ability, error) {
	var dir Info
	if err := s.ask(ctx, e, "folder", func() (err error) { dir, err = e.self(); return err }); err != nil {
		return ability{}, err
	}
	return s.l.probe(ctx, s, e, dir)
}
