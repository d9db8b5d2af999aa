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
	in       *io.PipeReader
	typed    *io.PipeWriter
	mu       sync.Mutex
	shown    bytes.Buffer
	forgot   int
	forgotAt []int
}

func newDesk() *desk {
	d := &desk{}
	d.in, d.typed = io.Pipe()
	return d
}

func (d *desk) Read(b []byte) (int, error) { return d.in.Read(b) }
func (d *desk) Close() error               { return d.in.Close() }

// Forget notes where on the screen it was called.
func (d *desk) Forget() {
	d.mu.Lock()
	d.forgot++
	d.forgotAt = append(d.forgotAt, d.shown.Len())
	d.mu.Unlock()
}

// types waits for each prompt and types one line to it, as a person does.
func (d *desk) types(typed string) {
	defer d.typed.Close()
	for i, l := range strings.SplitAfter(typed, "\n") {
		for strings.Count(d.text(), "Allow it?") <= i {
			time.Sleep(time.Millisecond)
		}
		if _, err := io.WriteString(d.typed, l); err != nil {
			return
		}
	}
}

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
		go d.types(c.typed)
		got, err := (&terminal{}).ask(t.Context(), d, "", c.q)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		prompts := strings.Count(d.text(), "Allow it?")
		if d.forgot != prompts {
			t.Errorf("%s: forgot %d times for %d prompts", name, d.forgot, prompts)
		}
		for _, at := range d.forgotAt {
			if !strings.HasPrefix(d.text()[at:], "Allow it?") {
				t.Errorf("%s: what was typed is forgotten before all of the question is on the screen", name)
			}
		}
		if s := d.text(); !strings.HasPrefix(s, "\nOverwrite a?\n/r/a\nReplaces 3 bytes.\n\n-a\n+b\n") || strings.Contains(s, "10 minutes") != c.q.Remember {
			t.Errorf("%s: %q", name, s)
		}
		d.Close()
	}
}

// kept are questions whose whole change lies beside them.
type kept struct {
	whole string
	err   error
	said  func(approval.Answer) error
}

func (k kept) Answer(_ context.Context, _ string, a approval.Answer) error { return k.said(a) }
func (k kept) Change(_ context.Context, id string) (string, error) {
	if id != "K7QF2MX" {
		return "", errors.New("another question was looked at")
	}
	return k.whole, k.err
}

func TestALongChangeIsShownWhenAsked(t *testing.T) {
	q := question()
	q.Detail, q.Left = strings.Repeat("+line\n", 100), &reeve.Left{New: 900}
	d := newDesk()
	go d.types("d\ny\n")
	if a, err := (&terminal{questions: kept{whole: strings.Repeat("+line\n", 1000)}}).ask(t.Context(), d, "K7QF2MX", q); err != nil || !a.Yes {
		t.Fatal(a, err)
	}
	s := d.text()
	if strings.Count(s, "+line\n") != 100+1000 || !strings.Contains(s, "Left out: 900 lines (0 gone, 900 new). d shows all of it.") || strings.Count(s, "d for the whole change") != 2 {
		t.Errorf("%q", s)
	}
	// What is asked stands near the prompt, however tall the change was.
	if strings.Count(s, "Overwrite a?\n/r/a\n") != 3 || !strings.Contains(s[strings.LastIndex(s, "+line"):], "\nOverwrite a?\n/r/a\nAllow it?") {
		t.Errorf("%q", s[max(0, len(s)-300):])
	}

	q.Left.Beyond = true
	d = newDesk()
	go d.types("d\nn\n")
	if a, err := (&terminal{questions: kept{err: errors.New("it was swept away")}}).ask(t.Context(), d, "K7QF2MX", q); err != nil || a.Yes {
		t.Fatal(a, err)
	}
	if s := d.text(); !strings.Contains(s, "too large to be kept whole") || !strings.Contains(s, "it was swept away") {
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
	(&terminal{color: true}).show(&b, q)
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
	term := &terminal{open: func() (tty, error) { return d, nil }, questions: kept{said: func(approval.Answer) error {
		t.Error("it was answered")
		return nil
	}}}
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
