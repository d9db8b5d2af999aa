package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"reeve"
	"reeve/internal/approval"
)

// desk is a terminal that a test types into.
type desk struct {
	in     *io.PipeReader
	typed  *io.PipeWriter
	mu     sync.Mutex
	shown  bytes.Buffer
	forgot int
}

func newDesk() *desk {
	d := &desk{}
	d.in, d.typed = io.Pipe()
	return d
}

func (d *desk) Read(b []byte) (int, error) { return d.in.Read(b) }
func (d *desk) Close() error               { return d.in.Close() }
func (d *desk) Forget()                    { d.mu.Lock(); d.forgot++; d.mu.Unlock() }

func (d *desk) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown.Write(b)
}

func (d *desk) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown.String()
}

func question() reeve.Question {
	return reeve.Question{Title: "Overwrite a?", Body: "/r/a\nReplaces 3 bytes.", Detail: "-a\n+b\n", Remember: true, Effects: []reeve.Effect{{Kind: reeve.EffectReplace}}}
}

func TestOnlyAClearYesIsAYes(t *testing.T) {
	removal := question()
	removal.Remember = false
	for name, c := range map[string]struct {
		q     reeve.Question
		typed string
		want  approval.Answer
		err   error
	}{
		"y":                       {question(), "y\n", approval.Answer{Yes: true}, nil},
		"YES with blanks":         {question(), "  YES \r\n", approval.Answer{Yes: true}, nil},
		"Enter":                   {question(), "\n", approval.Answer{}, nil},
		"n":                       {question(), "n\n", approval.Answer{}, nil},
		"noise, then Enter":       {question(), "yess\nyo\n1\n\n", approval.Answer{}, nil},
		"noise, then yes":         {question(), "ok\ny\n", approval.Answer{Yes: true}, nil},
		"ten minutes":             {question(), "t\n", approval.Answer{Yes: true, Minutes: 10}, nil},
		"ten minutes for removal": {removal, "t\n\n", approval.Answer{}, nil},
		"the change first":        {question(), "d\ny\n", approval.Answer{Yes: true}, nil},
		"the line is cut":         {question(), "y", approval.Answer{}, io.EOF},
		"the terminal goes":       {question(), "", approval.Answer{}, io.EOF},
	} {
		d := newDesk()
		go func() {
			io.WriteString(d.typed, c.typed)
			d.typed.Close()
		}()
		got, err := (&terminal{}).ask(t.Context(), d, c.q)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		if d.forgot != 1 {
			t.Errorf("%s: what was typed before is not forgotten", name)
		}
		if s := d.text(); !strings.HasPrefix(s, "\nOverwrite a?\n/r/a\nReplaces 3 bytes.\n\n-a\n+b\n") || strings.Contains(s, "10 minutes") != c.q.Remember {
			t.Errorf("%s: %q", name, s)
		}
		d.Close()
	}
}

func TestALongChangeIsShownWhenAsked(t *testing.T) {
	q := question()
	q.Detail = strings.Repeat("+line\n", 100)
	d := newDesk()
	go func() {
		io.WriteString(d.typed, "d\ny\n")
		d.typed.Close()
	}()
	if a, err := (&terminal{}).ask(t.Context(), d, q); err != nil || !a.Yes {
		t.Fatal(a, err)
	}
	if s := d.text(); strings.Count(s, "+line\n") != shownLines+100 || !strings.Contains(s, "… 60 lines not shown") || strings.Count(s, "d for the whole change") != 1 {
		t.Errorf("%q", s)
	}
}

// A name or a change can't command the terminal, or look like another.
func TestATerminalIsNotCommanded(t *testing.T) {
	q := question()
	q.Title = "Overwrite \x1b]0;gone\x07?"
	q.Body = "/r/\u202etxt.exe\r/r/harmless"
	q.Detail = "+\x1b[2Jgone\u200b\n\t+tab\n"
	var b bytes.Buffer
	(&terminal{color: true}).show(&b, q, -1)
	s := b.String()
	for _, own := range []string{"\x1b[1m", "\x1b[0m", "\x1b[32m"} {
		s = strings.ReplaceAll(s, own, "")
	}
	if strings.ContainsAny(s, "\x1b\x07\r\u202e\u200b") || !strings.Contains(s, `\u202E`) || !strings.Contains(s, "\t+tab") {
		t.Errorf("%q", s)
	}
}

// The owner answers elsewhere while the terminal asks: it says so, and what is
// typed then answers nothing.
func TestAQuestionThatIsAnsweredElsewhere(t *testing.T) {
	d := newDesk()
	ctx, stop := context.WithCancel(t.Context())
	term := &terminal{open: func() (tty, error) { return d, nil }, answer: func(context.Context, string, approval.Answer) error {
		t.Error("it was answered")
		return nil
	}}
	done := make(chan struct{})
	go func() { term.Ask(ctx, reeve.Pending{ID: "ABCDEFG", Question: question()}); close(done) }()
	for !strings.Contains(d.text(), "Allow it?") {
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
	if !strings.Contains(d.text(), "not asked here any more") {
		t.Errorf("%q", d.text())
	}
}
