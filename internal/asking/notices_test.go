package asking

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reeve"
)

// bell is a desktop that keeps the notices it is sent.
type bell struct {
	mu   sync.Mutex
	list []Notice
	err  error
}

func (b *bell) send(_ context.Context, n Notice) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list = append(b.list, n)
	return b.err
}

func (b *bell) titles() (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.list {
		out = append(out, n.Title)
	}
	return out
}

// still is a channel that shows a question until it is over.
type still struct{ _ byte }

func (*still) There(context.Context) bool               { return true }
func (*still) Ask(ctx context.Context, _ reeve.Pending) { <-ctx.Done() }

func waits(id string) reeve.Pending {
	return reeve.Pending{ID: id, Question: reeve.Question{Title: "Overwrite " + id + "?", Body: "/home/ann/" + id + "\nReplaces 8 bytes.", Detail: "+CANARY"}}
}

func noticesFor(t *testing.T, b *bell, o NoticesOptions) *Notices {
	if o.Presence == nil {
		o.Presence = NewPresence(t.TempDir())
	}
	if o.Allowed == nil {
		o.Allowed = func(context.Context) bool { return true }
	}
	o.Send = b.send
	return NewNotices(o)
}

// ask shows a question and gives what ends it.
func ask(ctx context.Context, c Channel, p reeve.Pending) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); c.Ask(ctx, p) }()
	return func() { cancel(); <-done }
}

func TestANoticeTellsOfAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{}
		end := ask(t.Context(), noticesFor(t, b, NoticesOptions{}).On(&still{}), waits("a.txt"))
		synctest.Wait()
		end()
		if len(b.list) != 1 || b.list[0].Title != "Reeve: Overwrite a.txt?" || b.list[0].Body != "/home/ann/a.txt\nAnswer on Reeve's page, or with: reeve approve a.txt" {
			t.Errorf("%+v", b.list)
		}
	})
}

func TestThirtyQuestionsAreFewNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{}
		c := noticesFor(t, b, NoticesOptions{}).On(&still{})
		var ends []func()
		for i := range 30 {
			ends = append(ends, ask(t.Context(), c, waits(string(rune('A'+i)))))
			synctest.Wait()
		}
		if got := b.titles(); !slices.Equal(got, []string{"Reeve: Overwrite A?"}) {
			t.Errorf("at once: %q", got)
		}
		time.Sleep(10 * time.Minute) // the bubble's own time
		ends[0]()
		// The same question, called for again, is not told again.
		ends[0] = ask(t.Context(), c, waits("A"))
		time.Sleep(10 * time.Minute)
		for _, end := range ends {
			end()
		}
		if got := b.titles(); !slices.Equal(got, []string{"Reeve: Overwrite A?", "Reeve: Overwrite B? (and 28 more)"}) {
			t.Errorf("later: %q", got)
		}
	})
}

func TestWhatWasAnsweredIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{}
		c := noticesFor(t, b, NoticesOptions{}).On(&still{})
		first, second := ask(t.Context(), c, waits("a")), func() {}
		synctest.Wait()
		second = ask(t.Context(), c, waits("b"))
		synctest.Wait()
		second()
		time.Sleep(10 * time.Minute)
		first()
		if got := b.titles(); !slices.Equal(got, []string{"Reeve: Overwrite a?"}) {
			t.Errorf("%q", got)
		}
	})
}

func TestNoNoticeWithoutLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{}
		n := noticesFor(t, b, NoticesOptions{Allowed: func(context.Context) bool { return false }})
		end := ask(t.Context(), n.On(&still{}), waits("a"))
		synctest.Wait()
		end()
		if len(b.list) != 0 {
			t.Errorf("%+v", b.list)
		}
	})
}

// A system that shows no notices is asked once, and the question goes on.
func TestASystemWithoutNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bell{err: errors.New("no program")}
		c := noticesFor(t, b, NoticesOptions{}).On(&still{})
		for _, id := range []string{"a", "b", "c"} {
			end := ask(t.Context(), c, waits(id))
			time.Sleep(time.Hour)
			end()
		}
		if len(b.list) != 1 {
			t.Errorf("%+v", b.list)
		}
	})
}

func TestNoticesOfAllProcessesKeepTheirDistance(t *testing.T) {
	state := t.TempDir()
	one, other := NewPresence(state), NewPresence(state)
	if wait, err := one.Notice(time.Hour); wait != 0 || err != nil {
		t.Fatal(wait, err)
	}
	for _, p := range []*Presence{one, other} {
		if wait, err := p.Notice(time.Hour); wait < 59*time.Minute || err != nil {
			t.Error(wait, err)
		}
	}
	// A clock that was set back, and a file that makes no sense, stop nothing.
	for _, text := range []string{time.Now().Add(48 * time.Hour).Format(time.RFC3339Nano), "", "\x00\x00"} {
		if err := os.WriteFile(filepath.Join(state, folder, notice), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if wait, err := other.Notice(time.Hour); wait != 0 || err != nil {
			t.Error(text, wait, err)
		}
	}
	// A folder that cannot be made is an error, not a flood.
	file := filepath.Join(state, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewPresence(file).Notice(time.Hour); err == nil {
		t.Error("no error")
	}
}

// What an agent can name must neither run nor hide anything on the owner's
// desktop, and no content is in it.
func TestNoticesAreHarmless(t *testing.T) {
	p := reeve.Pending{ID: "K7QF2MX", Question: reeve.Question{
		Title:  "Delete --help<b>\u202e\"$(id)`x`" + strings.Repeat("n", 300) + "?",
		Body:   "/home/ann/<img src=x>&amp;\\n\x1b[2J" + strings.Repeat("d/", 500) + "end.txt\nNew content is CANARY",
		Detail: "+CANARY"}}
	n := noticeOf(p)
	if all := n.Title + n.Body; strings.Contains(all, "CANARY") || strings.ContainsAny(all, "\u202e\x1b") || len([]rune(all)) > 400 {
		t.Errorf("%q", all)
	}
	if !strings.Contains(n.Body, "end.txt\n") || !strings.HasSuffix(n.Body, "reeve approve K7QF2MX") {
		t.Errorf("%q does not say which file, and how to answer", n.Body)
	}
}
