package capfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"reeve"
	"reeve/internal/pathname"
)

// RecoverOptions say what to look at.
type RecoverOptions struct {
	// Intents are changes of dead processes that the record has an intent row
	// of and no outcome: what a power cut may have kept from the journal.
	Intents []Intent
	// Keep takes what was displaced and not yet kept; it is let go after. Nil,
	// or an error, leaves it under its hidden name until another time.
	Keep func(context.Context, Found) error
	// Ended, if set, is told of every change that a process was in the middle
	// of, once it is seen to: whether it stands.
	Ended func(context.Context, CutShort)
}

// Intent is one change of the record.
type Intent struct {
	Kind   reeve.EffectKind
	Path   string        // of the place, absolute, raw bytes
	To     string        // of a move
	Temp   reeve.Name    // reeve.Change.Temp
	Before reeve.Version // what the change was based on, zero for a create
	At     time.Time     // when it was recorded
	// Until is when the process cannot have lived any more: the computer's own
	// start. Zero where that is not known.
	Until time.Time
}

// Found is something that history should have.
type Found struct {
	Path string // where it was, absolute, raw bytes; may be empty
	// Why is "displaced" (what a change replaced or removed), "another" (saved
	// by another program in the moment of a change) or "later" (written to by
	// another program after it was displaced).
	Why string
	// Of is the change that put it out of the way, nil if that is not known.
	Of *CutShort
	// Temp is the hidden name it had.
	Temp reeve.Name
	Displaced
}

// Recovered is one thing that was seen to.
type Recovered struct {
	Path string // shown form
	// Temp is the hidden name that the change used: reeve.Change.Temp.
	Temp reeve.Name
	// What became of it, as a sentence without the path in front.
	What string
}

// Recover sees to what processes of this computer left that ended in the
// middle of a change, and to displaced files that other programs wrote to
// for longer. Afterwards each file is old or new, whole. Processes that live
// and other computers are not touched; neither is anything that is not, by
// its identity, what the journal says. It may run at any time.
func (l *Ladder) Recover(ctx context.Context, o RecoverOptions) ([]Recovered, error) {
	r := &recovery{l: l, ctx: ctx, o: o}
	r.mine()
	var first error
	if l.journal.dir != "" {
		first = r.journals()
	}
	for _, in := range o.Intents {
		if err := r.intent(in); err != nil && first == nil {
			first = err
		}
	}
	return r.out, first
}

// Pending reports that this process still waits for other programs to be done
// with files that it displaced: Recover looks after them.
func (l *Ladder) Pending() bool {
	l.journal.mu.Lock()
	defer l.journal.mu.Unlock()
	return len(l.journal.later) > 0
}

type recovery struct {
	l    *Ladder
	ctx  context.Context
	o    RecoverOptions
	out  []Recovered
	cut  *CutShort // the change that is being seen to
	stay bool      // something of this journal is still to be done
}

func (r *recovery) say(folder, name reeve.Name, what string) {
	p := string(folder)
	if name != "" {
		p = join(p, string(name))
	}
	out := Recovered{Path: pathname.EscapePath(p), What: what}
	if r.cut != nil {
		out.Path, out.Temp = pathname.EscapePath(r.cut.Path), r.cut.Temp
	}
	r.out = append(r.out, out)
}

// mine looks again at displaced files of this process that were written to.
func (r *recovery) mine() {
	j := &r.l.journal
	j.mu.Lock()
	list := j.later
	j.later = nil
	j.mu.Unlock()
	for id, d := range list {
		if !r.later(d, join(d.path, d.was)) {
			j.mu.Lock()
			if j.later == nil {
				j.later = map[string]*displaced{}
			}
			j.later[id] = d
			j.mu.Unlock()
			continue
		}
		j.end(id)
		d.at.close()
		d.file.Close()
	}
}

// later hands over a displaced file once nobody writes to it any more, and
// reports that nothing is left to do.
func (r *recovery) later(d *displaced, path string) bool {
	if d.file != nil {
		l, who := unwritten(d.file)
		l.end()
		if who == somebody {
			return false
		}
	}
	now, err := d.at.look(d.name)
	if missing(err) {
		return true
	}
	if err != nil {
		return false
	}
	if same(now, d.info) { // nothing came
		return r.l.discard(d.at, d.name, now) == nil
	}
	if !r.hand(d.at, d.name, now, path, "later") {
		return false
	}
	r.out = append(r.out, Recovered{Path: pathname.EscapePath(path), Temp: reeve.Name(d.name),
		What: "was written to by a program that had the old file still open when it was replaced; those bytes were given to history"})
	return true
}

// hand gives one thing to history and lets it go.
func (r *recovery) hand(at site, name string, info Info, path, why string) bool {
	if r.o.Keep == nil {
		r.stay = true
		return false
	}
	again, err := at.enter(".")
	if err != nil {
		return false
	}
	d := &displaced{l: r.l, at: again, name: name, info: info}
	if f, _, err := at.open(name, false); err == nil {
		d.file = f
	}
	if err := r.o.Keep(r.ctx, Found{Path: path, Why: why, Of: r.cut, Temp: reeve.Name(name), Displaced: d}); err != nil {
		r.stay = true
		d.stranger = true
	}
	err = d.Release()
	return err == nil && !d.stranger
}

// journals goes through the files of dead processes.
func (r *recovery) journals() error {
	j := &r.l.journal
	entries, err := os.ReadDir(j.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return bare(err)
	}
	var first error
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), journalEnd)
		if !ok || !strings.HasPrefix(name, j.prefix()) || name == j.current() {
			continue
		}
		if err := r.journalFile(name, entries); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (j *journal) current() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.name
}

// maxJournal bounds what is read of one journal.
const maxJournal = 64 << 20

func (r *recovery) journalFile(name string, entries []os.DirEntry) error {
	j := &r.l.journal
	path := filepath.Join(j.dir, name+journalEnd)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return bare(err)
	}
	defer f.Close()
	if lockFile(f) != nil {
		return nil // it lives
	}
	fi, err := f.Stat()
	if err != nil {
		return bare(err)
	}
	if fi.Size() > maxJournal {
		return errors.New("a journal is too large")
	}
	b := make([]byte, fi.Size())
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return bare(err)
	}
	notes, committed := parseJournal(b)
	r.stay = false
	for i := len(notes) - 1; i >= 0; i-- {
		n := notes[i]
		undo := n.Multi && !committed[n.ID]
		for k := len(n.Steps) - 1; k >= 0; k-- {
			if err := r.step(n.Steps[k], undo); err != nil {
				r.stay = true
				r.say(n.Steps[k].Folder, n.Steps[k].Name, "could not be seen to ("+bare(err).Error()+"); it is tried again at the next start")
			}
		}
	}
	if r.stay {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+".") && e.Name() != name+journalEnd {
			j.discard(e.Name())
		}
	}
	if err := os.Remove(path); err != nil {
		return bare(err)
	}
	return nil
}

// folder holds a folder again that a journal names, if it is still the same.
func (r *recovery) folder(path reeve.Name, id reeve.Identity) (site, bool, error) {
	node, info, err := r.l.fs.walkPlain(string(path))
	if missing(err) || errors.Is(err, ErrNotPlain) {
		return site{}, false, nil
	}
	if err != nil {
		return site{}, false, err
	}
	defer node.Close()
	if !info.SameFile(id) {
		return site{}, false, nil
	}
	s, err := siteOf(node)
	return s, err == nil, err
}

// belowAll walks the folders that a change was to make. It stops at the first
// that is not there.
func belowAll(at site, names []reeve.Name) (site, []site, bool) {
	var list []site
	for _, n := range names {
		in, err := at.enter(string(n))
		if err != nil {
			return at, list, false
		}
		list = append(list, in)
		at = in
	}
	return at, list, true
}

// intent looks for what a power cut kept from the journal: hidden names beside
// a place that the record tells of.
func (r *recovery) intent(in Intent) error {
	if !IsTemp(string(in.Temp)) {
		return nil
	}
	node, _, err := r.l.fs.walkPlain(filepath.Dir(in.Path))
	if missing(err) || errors.Is(err, ErrNotPlain) {
		return nil
	}
	if err != nil {
		return bare(err)
	}
	defer node.Close()
	at, err := siteOf(node)
	if err != nil {
		return err
	}
	defer at.close()
	r.cut = r.judgeIntent(at, in)
	defer func() { r.cut = nil }()
	for _, name := range []string{string(in.Temp), string(in.Temp) + aside} {
		info, err := at.look(name)
		if missing(err) {
			continue
		}
		if err != nil {
			return bare(err)
		}
		now, err := at.look(filepath.Base(in.Path))
		if err == nil && now.SameFile(info.Identity) { // one more name of what is there
			err = r.l.discard(at, name, info)
			if err != nil {
				return bare(err)
			}
			continue
		}
		why := "another"
		if !in.Before.IsZero() && reeve.NewVersion(info.Stamp, false, nil).Compare(in.Before) != reeve.Different || info.Kind == reeve.Directory {
			why = "displaced"
		}
		if r.hand(at, name, info, in.Path, why) {
			r.say(reeve.Name(in.Path), "", "was in the middle of a change; what lay beside it was given to history")
		}
	}
	r.ended()
	return nil
}
