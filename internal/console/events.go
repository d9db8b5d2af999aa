package console

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"reeve/internal/approval"
)

const (
	mostStreams = 32
	// heartbeat shows to both ends that the stream is alive.
	heartbeat = 15 * time.Second
	// anyway is after how many looks the questions are read although their
	// mark is the same: times of file systems are coarse, and a question that
	// expires leaves no mark.
	anyway   = 5
	keptFor  = 10 * time.Minute
	mostKept = 20
)

// news watches the questions while a page is open, and tells all pages. With
// no page open nothing runs.
type news struct {
	o    Options
	sign *sign

	mu      sync.Mutex
	streams map[*stream]struct{}
	watcher context.CancelFunc // nil while nothing runs
	watched sync.WaitGroup
	poke    chan struct{}
	closed  bool
	last    []approval.Card // as of the last look
	kept    []settled       // the latest first
	now     []byte          // the message that all pages have
}

// stream is one open page. Only the latest message matters to it.
type stream struct {
	latest chan []byte
	ended  chan struct{}
}

func newNews(o Options, s *sign) *news {
	return &news{o: o, sign: s, streams: map[*stream]struct{}{}, poke: make(chan struct{}, 1)}
}

func (n *news) open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.streams)
}

// join adds a page; nil when there are too many, or the console is closed.
func (n *news) join() *stream {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || len(n.streams) >= mostStreams {
		return nil
	}
	st := &stream{latest: make(chan []byte, 1), ended: make(chan struct{})}
	n.streams[st] = struct{}{}
	if n.watcher == nil {
		ctx, stop := context.WithCancel(context.Background())
		n.watcher, n.now = stop, nil
		n.watched.Go(func() { n.watch(ctx) })
	} else if n.now != nil {
		st.latest <- n.now
	}
	return st
}

func (n *news) leave(st *stream) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.streams, st)
	if len(n.streams) == 0 && n.watcher != nil {
		n.watcher()
		n.watcher = nil
	}
}

func (n *news) close() {
	n.mu.Lock()
	if !n.closed { // a stream that was told to end may not have left yet
		n.closed = true
		for st := range n.streams {
			close(st.ended)
		}
	}
	if n.watcher != nil {
		n.watcher()
		n.watcher = nil
	}
	n.mu.Unlock()
	n.watched.Wait()
}

// look has the questions looked at soon.
func (n *news) look() {
	select {
	case n.poke <- struct{}{}:
	default:
	}
}

func (n *news) watch(ctx context.Context) {
	t := time.NewTicker(n.o.Every)
	defer t.Stop()
	mark, since := "", 0
	for first := true; ; first = false {
		now := ""
		if n.o.Mark != nil {
			now = n.o.Mark(ctx)
		}
		if first || n.o.Mark == nil || now != mark || since >= anyway {
			mark, since = now, 0
			n.tell(ctx)
		}
		since++
		select {
		case <-ctx.Done():
			return
		case <-n.poke:
			mark = "?" // not any more
		case <-t.C:
		}
	}
}

// message is what a page is sent whenever something changes: all of it, so
// that a page that missed one is never wrong.
type message struct {
	Cards   []card    `json:"cards"`
	Settled []settled `json:"settled"`
	// Fault says that the questions could not be read.
	Fault string `json:"fault,omitempty"`
}

func (n *news) tell(ctx context.Context) {
	cards, err := n.o.Questions.Waiting(ctx)
	if ctx.Err() != nil {
		return
	}
	m := message{Cards: []card{}, Settled: []settled{}}
	now := n.o.Now()
	if err != nil {
		m.Fault = words(err)
	}
	n.mu.Lock()
	last := n.last
	n.mu.Unlock()
	var gone []settled
	if err == nil {
		gone = n.gone(ctx, last, cards, now)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	changed := err != nil || len(gone) > 0 || !sameCards(last, cards) || n.now == nil
	if err == nil {
		n.last = cards
		n.keep(gone, now)
		for _, c := range cards {
			m.Cards = append(m.Cards, viewOf(c, now))
		}
	}
	m.Settled = append(m.Settled, n.kept...)
	b, err := json.Marshal(m)
	if err != nil || !changed {
		return
	}
	n.now = b
	for st := range n.streams {
		select {
		case <-st.latest: // an older one that nobody has read
		default:
		}
		st.latest <- b
	}
}

func sameCards(a, b []approval.Card) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID {
			return false
		}
	}
	return true
}

// gone finds out what has become of the questions that waited before.
func (n *news) gone(ctx context.Context, before, cards []approval.Card, now time.Time) []settled {
	waits := map[string]bool{}
	for _, c := range cards {
		waits[c.ID] = true
	}
	var out []settled
	for _, c := range before {
		if waits[c.ID] {
			continue
		}
		_, state, a, err := n.o.Questions.Look(ctx, c.ID)
		if err != nil || state == approval.Waits {
			continue
		}
		v := viewOf(c, now)
		s := settled{ID: c.ID, Title: v.Title, Path: v.Path, at: now}
		s.Said, s.Yes = outcome(state, a)
		out = append(out, s)
	}
	return out
}

func (n *news) keep(more []settled, now time.Time) {
	var kept []settled
	for _, s := range append(more, n.kept...) {
		if now.Sub(s.at) < keptFor && len(kept) < mostKept {
			kept = append(kept, s)
		}
	}
	n.kept = kept
}

// events is a page's stream.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ session) {
	st := s.news.join()
	if st == nil {
		http.Error(w, "Too many pages are open.", http.StatusServiceUnavailable)
		return
	}
	defer s.news.leave(st)
	defer s.sign.hold()()
	out := http.NewResponseController(w)
	// The stream stays open; the server's time for reading is a request's.
	if out.SetReadDeadline(time.Time{}) != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	send := func(b ...[]byte) bool {
		// A page that does not read is a page that is gone.
		if out.SetWriteDeadline(time.Now().Add(heartbeat)) != nil {
			return false
		}
		for _, x := range b {
			if _, err := w.Write(x); err != nil {
				return false
			}
		}
		return out.Flush() == nil
	}
	if !send([]byte("retry: 1000\n\n")) {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case <-st.ended:
			return
		case b := <-st.latest:
			if !send([]byte("data: "), b, []byte("\n\n")) {
				return
			}
		case <-beat.C:
			if !send([]byte(": here\n\n")) {
				return
			}
		}
	}
}
