package capfs

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
)

// hiddenPrefix begins every name that a commit makes for a moment.
const hiddenPrefix = ".reeve-"

// NewTemp draws a hidden name for reeve.Change.Temp.
func NewTemp() reeve.Name {
	var b [10]byte
	rand.Read(b[:])
	return reeve.Name(hiddenPrefix + strings.ToLower(base32.StdEncoding.EncodeToString(b[:])))
}

// IsTemp reports that a name has the form of one that NewTemp draws.
func IsTemp(name string) bool {
	rest, ok := strings.CutPrefix(name, hiddenPrefix)
	if !ok || len(rest) < 16 {
		return false
	}
	for _, c := range rest[:16] {
		if (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return rest[16:] == "" || rest[16:] == aside
}

// aside ends the name under which a link keeps the old file.
const aside = "-old"

// CommitOptions are copied by NewCommitter. The zero value changes files, but
// refuses what would need a journal: writing in place, and several changes in
// one call.
type CommitOptions struct {
	// Journal is a folder of Reeve's own for the journals of this computer's
	// processes. It is made when it is first needed.
	Journal string
	// Machine names this computer in the names of journals: another one's
	// are never touched.
	Machine string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Fault, for tests, is called before every step with its name. An error
	// is taken for the system's answer, a panic for the process's end.
	Fault func(step string) error
}

// Ladder is the Committer of a real file system. It is safe for use by many
// goroutines.
type Ladder struct {
	fs      *FS
	o       CommitOptions
	journal journal
	probes  probes
	turns   turns
	wrap    func(site) site // tests only
	closed  atomic.Bool
	hashers sync.Pool // of *blake3.Hasher, which is large
}

// hasher lends a hasher that has seen nothing; hashers takes it back.
func (l *Ladder) hasher() *blake3.Hasher {
	h, ok := l.hashers.Get().(*blake3.Hasher)
	if !ok {
		return blake3.New()
	}
	h.Reset()
	return h
}

// NewCommitter makes a committer for the folders that fs was granted. It
// touches no disk.
func NewCommitter(fs *FS, o CommitOptions) *Ladder {
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Ladder{fs: fs, o: o, turns: newTurns()}
	l.journal.dir, l.journal.machine, l.journal.fault = o.Journal, o.Machine, l.fault
	return l
}

// Close ends the journal. What was handed out as Displaced is still to be
// released by its holders.
func (l *Ladder) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	l.turns.close()
	return l.journal.close()
}

func (l *Ladder) fault(step string) error {
	if l.o.Fault != nil {
		return l.o.Fault(step)
	}
	return nil
}

// site holds the folder of a Held for changing.
func (l *Ladder) site(h *Held) (site, error) {
	s, err := siteOf(h.node)
	if err == nil && l.wrap != nil {
		s = l.wrap(s)
	}
	return s, err
}

// staged is one prepared change. Its folders and files are its own.
type staged struct {
	l      *Ladder
	change reeve.Change
	from   end
	to     end // of a move
	rung   string
	notes  []string
	temp   string // hidden name, beside the change's name

	// What is there, and a handle on it if it is a file that is replaced.
	was  Info
	old  *os.File
	hash *[32]byte // of its content, where that was read
	racy bool      // a change could leave was as it is

	// What is to be there.
	file    *os.File  // open while it has no name
	fresh   Info      // the new file
	named   bool      // it lies under temp
	sum     *[32]byte // of its content, where that was computed
	copied  bool      // a move across file systems
	can     ability   // of the folder, where it was asked
	flat    bool      // an empty folder was removed for good
	inPlace *inPlace

	displaced *displaced
	source    *Held // the caller's, until Stage returns

	noted   string // id of its note in the journal
	mu      sync.Mutex
	swapped bool
	dropped bool
}

// end is one end of a change: a held folder, folders still to be made below
// it, and a name.
type end struct {
	site
	above   *site // the held folder, once site is one that was made below it
	m       *mount
	coarse  bool
	layered bool        // a file may get another number when it is first changed
	place   reeve.Place // of the changed name
	missing []string
	name    string
}

// top is the folder that was held when the change was staged.
func (e *end) top() site {
	if e.above != nil {
		return *e.above
	}
	return e.site
}

// Change implements Staged.
func (s *staged) Change() reeve.Change { return s.change }

// Rung implements Staged.
func (s *staged) Rung() string { return s.rung }

// ask is one step that may be given up.
func (s *staged) ask(ctx context.Context, e *end, step string, fn func() error) error {
	if err := s.l.fault(step); err != nil {
		return err
	}
	return s.l.fs.touch(ctx, e.m, fn)
}

// do is one step that must come to its end, since others depend on it.
func (s *staged) do(ctx context.Context, e *end, step string, fn func() error) error {
	if err := s.l.fault(step); err != nil {
		return err
	}
	return s.l.fs.finish(ctx, e.m, fn)
}

// finish is touch for what may not stop half-way: a call that was given up
// goes on, and a mount that does not answer takes the blame all the same.
func (fs *FS) finish(ctx context.Context, m *mount, fn func() error) error {
	t := taskOf(ctx)
	if t != nil {
		t.press(m)
		defer t.leave(m)
	}
	m.busy.Add(1)
	defer m.leave()
	return fn()
}

// press is enter for a call that may have ended.
func (c *task) press(m *mount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.on {
		if c.on[i].m == m {
			c.on[i].n++
			return
		}
	}
	c.on = append(c.on, touching{m: m, n: 1})
}

// Stage implements Committer.
func (l *Ladder) Stage(ctx context.Context, at At, c reeve.Change) (Staged, error) {
	if l.closed.Load() {
		return nil, refuse(c.Place, reeve.Failed, "cannot be changed any more: Reeve is ending", "Start it again.")
	}
	s := &staged{l: l, change: c, temp: string(c.Temp)}
	if s.temp == "" {
		s.temp = string(NewTemp())
	} else if !IsTemp(s.temp) {
		return nil, refuse(c.Place, reeve.Invalid, "was to be changed by way of a name that is not hidden", "")
	}
	err := s.stage(ctx, at)
	if err != nil {
		s.Cleanup()
		return nil, err
	}
	forward(ctx)
	return s, nil
}

func (s *staged) stage(ctx context.Context, at At) (err error) {
	c := s.change
	s.source = at.Source
	defer func() { s.source = nil }()
	if s.from, err = s.l.end(ctx, at.Parent, c.Place); err != nil {
		return err
	}
	switch c.Kind {
	case reeve.Put:
		if text, ok := c.Content.(reeve.LinkTo); ok {
			return s.stageLink(ctx, string(text))
		}
		return s.stagePut(ctx)
	case reeve.Mkdir:
		s.rung = rungLink
		return s.absent(ctx, &s.from)
	case reeve.Remove:
		s.rung = rungExchange
		return s.stageRemove(ctx)
	case reeve.Move:
		if c.To == nil || at.To == nil {
			return refuse(c.Place, reeve.Invalid, "is to be moved nowhere", "Say where to.")
		}
		if s.to, err = s.l.end(ctx, at.To, *c.To); err != nil {
			return err
		}
		return s.stageMove(ctx)
	}
	return refuse(c.Place, reeve.Invalid, "is to be changed in an unknown way", "")
}

// The rungs, as Staged.Rung tells them.
const (
	rungExchange = "exchange"
	rungLink     = "link"
	rungInPlace  = "in_place"
)

// end holds a folder for a change a second time, and cuts the place into what
// is there, what is still to be made, and the name.
func (l *Ladder) end(ctx context.Context, h *Held, p reeve.Place) (end, error) {
	if h == nil {
		return end{}, refuse(p, reeve.Invalid, "is in a folder that nobody holds", "")
	}
	if err := h.usable("change"); err != nil {
		return end{}, err
	}
	below := max(1, p.Missing)
	n := len(p.Components)
	if n < below {
		if h.node != nil || n == 0 {
			return end{}, refuse(p, reeve.Invalid, "is a granted folder itself", "Only the owner can change it.")
		}
		below = n
	}
	e := end{place: p, m: h.at.m, coarse: h.at.fsys.Coarse, layered: h.at.fsys.Name == "overlay", name: string(p.Components[n-1])}
	for _, c := range p.Components[n-below : n-1] {
		e.missing = append(e.missing, string(c))
	}
	if !oneName(e.name) {
		return end{}, refuse(p, reeve.Invalid, "has no name that a file could have", "")
	}
	var err error
	if h.node == nil {
		err = l.fs.touch(ctx, e.m, func() error { return l.pending(&e) })
	} else {
		err = l.fs.touch(ctx, e.m, func() (err error) { e.site, err = l.site(h); return err })
	}
	if errors.Is(err, errUnable) {
		return end{}, refuse(p, reeve.Failed, "is on a file system in which Reeve can change nothing", "")
	}
	return e, unable(p, "be reached", err)
}

// pending holds the deepest folder that exists on the way to a granted folder
// that does not exist yet.
func (l *Ladder) pending(e *end) error {
	top, rest := splitTop(string(e.place.RootPath))
	var names []string
	for _, n := range splitNames(nil, rest) {
		names = append(names, string(n))
	}
	for k := len(names); ; k-- {
		node, _, err := l.fs.walkPlain(join(top, strings.Join(names[:k], separator)))
		if err == nil {
			e.missing = append(append([]string(nil), names[k:]...), e.missing...)
			defer node.Close()
			e.site, err = siteOf(node)
			return err
		}
		if !missing(err) || k == 0 {
			return err
		}
	}
}

// Cleanup implements Staged.
func (s *staged) Cleanup() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped {
		return nil
	}
	s.dropped = true
	var err error
	if s.named && !s.swapped {
		err = s.l.discard(s.target().top(), s.temp, s.fresh)
	}
	if s.inPlace != nil && !s.swapped {
		s.inPlace.drop()
	}
	if s.noted != "" && !s.swapped && err == nil {
		s.l.journal.end(s.noted)
	}
	for _, f := range []*os.File{s.file, s.old} {
		if f != nil {
			f.Close()
		}
	}
	for _, e := range []*end{&s.from, &s.to} {
		if e.here() {
			e.top().close()
		}
	}
	return err
}

// discard removes a hidden name if what it names is ours.
func (l *Ladder) discard(at site, name string, ours Info) error {
	info, err := at.look(name)
	if missing(err) {
		return nil
	}
	if err == nil && info.SameFile(ours.Identity) {
		err = at.remove(name, info.Kind == reeve.Directory)
	}
	return err
}
