package readstate

import (
	"container/list"
	"hash/maphash"
	"sync"
	"time"

	"reeve"
)

// Options bound the memory. A zero number is the default.
type Options struct {
	Sessions int // 64
	Files    int // of one session, 512
	// SeenText is how much of the text shown last is kept, compressed, in
	// bytes over all sessions (4 MiB); below 0 none is. It only serves to
	// tell what changed.
	SeenText int
	// Memory bounds everything else, in bytes (32 MiB).
	Memory int
	// Key names a file within a session; nil is Place.Key. Where a target's
	// file system folds letter case, it folds.
	Key func(reeve.Place) string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	def := func(n *int, d int) {
		if *n == 0 {
			*n = d
		}
	}
	def(&o.Sessions, 64)
	def(&o.Files, 512)
	def(&o.SeenText, 4<<20)
	def(&o.Memory, 32<<20)
	if o.Key == nil {
		o.Key = reeve.Place.Key
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// State is what was seen. It may be used by many goroutines at once.
type State struct {
	mu       sync.Mutex
	o        Options
	seed     maphash.Seed
	sessions map[string]*session
	order    list.List // of *session, the one used last in front
	files    list.List // of *file, all sessions, the one used last in front
	words    int       // 8 bytes each, see file.words
	text     store
}

// New makes an empty state.
func New(o Options) *State {
	o = o.withDefaults()
	return &State{o: o, seed: maphash.MakeSeed(), sessions: map[string]*session{}, text: store{max: max(0, o.SeenText)}}
}

type session struct {
	key   string
	at    *list.Element
	files map[string]*file
	order list.List // of *file, the one used last in front
}

// file is what one session knows of one file.
type file struct {
	key     string
	session *session
	inOne   *list.Element // in session.order
	inAll   *list.Element // in State.files

	version reeve.Version
	when    time.Time
	any     bool // a page was shown
	all     bool // every line of the version is known
	base    bool // every line of it, or of one before it, was known
	own     bool // the version was written here
	hidden  bool // parts were redacted
	seen    ranges
	tail    ranges // lines counted from the end, 1 is the last
	windows []window
	total   int64
	counted bool
	lines   runs
	extra   [][]uint64 // lines written over a text that was known in part
	blocks  []*block
	size    int // words accounted for
}

// sessionKey tells sessions apart: two agents may name theirs alike.
func sessionKey(s reeve.Subject) (string, bool) {
	if s.Session == "" {
		return "", false
	}
	return s.Door + "\x00" + s.Agent + "\x00" + s.Session, true
}

// find gives what a session knows of a place, nil for nothing, and makes it
// the one used last.
func (st *State) find(s reeve.Subject, p reeve.Place) *file {
	key, ok := sessionKey(s)
	if !ok {
		return nil
	}
	one := st.sessions[key]
	if one == nil {
		return nil
	}
	f := one.files[st.o.Key(p)]
	if f != nil {
		st.use(f)
	}
	return f
}

func (st *State) use(f *file) {
	st.order.MoveToFront(f.session.at)
	f.session.order.MoveToFront(f.inOne)
	st.files.MoveToFront(f.inAll)
}

// open is find, but makes what is not there.
func (st *State) open(s reeve.Subject, p reeve.Place) *file {
	if f := st.find(s, p); f != nil {
		return f
	}
	key, ok := sessionKey(s)
	if !ok {
		return nil
	}
	one := st.sessions[key]
	if one == nil {
		one = &session{key: key, files: map[string]*file{}}
		st.sessions[key] = one
		one.at = st.order.PushFront(one)
		for st.order.Len() > st.o.Sessions {
			old := st.order.Back().Value.(*session)
			for old.order.Len() > 0 {
				st.drop(old.order.Back().Value.(*file))
			}
			st.forget(old)
		}
	}
	f := &file{key: st.o.Key(p), session: one}
	one.files[f.key] = f
	f.inOne, f.inAll = one.order.PushFront(f), st.files.PushFront(f)
	st.order.MoveToFront(one.at)
	for one.order.Len() > st.o.Files {
		st.drop(one.order.Back().Value.(*file))
	}
	return f
}

// forget takes a session without files out.
func (st *State) forget(one *session) {
	if st.sessions[one.key] == one {
		delete(st.sessions, one.key)
		st.order.Remove(one.at)
	}
}

func (st *State) drop(f *file) {
	st.clear(f)
	st.words -= f.size
	f.size = 0
	delete(f.session.files, f.key)
	f.session.order.Remove(f.inOne)
	st.files.Remove(f.inAll)
	if len(f.session.files) == 0 {
		st.forget(f.session)
	}
}

// clear makes a file one of which nothing is known.
func (st *State) clear(f *file) {
	st.text.drop(f)
	*f = file{key: f.key, session: f.session, inOne: f.inOne, inAll: f.inAll, size: f.size}
}

// weigh brings the account of a file up to date, and makes room: first the
// hashes of lines of the files used longest ago go, which only tell what
// changed, then what is known of them at all.
func (st *State) weigh(f *file) {
	n := f.words()
	st.words += n - f.size
	f.size = n
	limit := st.o.Memory / 8
	if st.words <= limit {
		return
	}
	limit -= limit / 8
	for e := st.files.Back(); e != nil && st.words > limit; e = e.Prev() {
		g := e.Value.(*file)
		if g == f && st.files.Len() > 1 && e.Prev() != nil {
			continue
		}
		g.lines, g.extra, g.base = runs{}, nil, false
		n := g.words()
		st.words += n - g.size
		g.size = n
	}
	for st.words > limit && st.files.Len() > 1 {
		st.drop(st.files.Back().Value.(*file))
	}
}

// words is what a file costs, in units of 8 bytes.
func (f *file) words() int {
	n := 80 + len(f.key)/8 + 2*(len(f.seen)+len(f.tail)) + f.lines.words()
	for _, w := range f.windows {
		n += 8 + 2*len(w.shown)
	}
	for _, x := range f.extra {
		n += 3 + len(x)
	}
	return n
}
