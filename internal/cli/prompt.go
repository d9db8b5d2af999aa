package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/pathname"
)

// shownLines is how much of a change a terminal shows before it is asked for
// the rest.
const shownLines = 40

// rememberMinutes is what "for a while on this file" means.
const rememberMinutes = 10

// terminal is the terminal that controls this process, as a channel. It is
// never the standard input: what is piped into a command answers nothing.
type terminal struct {
	// open gives the terminal, or an error when there is none, or when this
	// process is not in front of it.
	open   func() (tty, error)
	answer func(ctx context.Context, id string, a approval.Answer) error
	// color says whether the terminal shows colours.
	color bool
}

// tty is a terminal in use.
type tty interface {
	io.ReadWriteCloser
	// Forget drops what was typed before the question was seen.
	Forget()
}

func newTerminal(answer func(context.Context, string, approval.Answer) error) *terminal {
	return &terminal{open: controlling, answer: answer, color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// There implements asking.Channel.
func (t *terminal) There(context.Context) bool {
	f, err := t.open()
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// Ask implements asking.Channel.
func (t *terminal) Ask(ctx context.Context, p reeve.Pending) {
	f, err := t.open()
	if err != nil {
		return
	}
	defer f.Close()
	said, err := t.ask(ctx, f, p.Question)
	switch {
	case ctx.Err() != nil:
		fmt.Fprint(f, "\nThis is not asked here any more.\n")
		return
	case err != nil:
		return
	}
	said.Channel = "terminal"
	if err := t.answer(ctx, p.ID, said); err != nil && ctx.Err() == nil {
		fmt.Fprintln(f, oneLine(refusalText(err)))
	}
}

// ask shows a question and reads the answer to it. Anything but a clear yes
// is a no; ctx ends it without an answer.
func (t *terminal) ask(ctx context.Context, f tty, q reeve.Question) (approval.Answer, error) {
	lasting, whole := approval.Lasting(q), false
	f.Forget()
	t.show(f, q, shownLines)
	lines := make(chan string)
	failed := make(chan error, 1)
	done := make(chan struct{})
	defer close(done)
	go func() {
		in := bufio.NewReaderSize(f, 1024)
		for {
			l, err := in.ReadString('\n')
			if err != nil {
				failed <- err
				return
			}
			select {
			case lines <- l:
			case <-done:
				return
			}
		}
	}()
	for {
		more := ""
		if lasting {
			more += fmt.Sprintf(", t for %d minutes on this file", rememberMinutes)
		}
		if !whole && strings.Count(q.Detail, "\n") > shownLines {
			more += ", d for the whole change"
		}
		fmt.Fprintf(f, "Allow it? y or N%s: ", more)
		select {
		case <-ctx.Done():
			return approval.Answer{}, ctx.Err()
		case err := <-failed:
			return approval.Answer{}, err
		case l := <-lines:
			switch word := strings.ToLower(strings.TrimSpace(l)); {
			case word == "y" || word == "yes":
				return approval.Answer{Yes: true}, nil
			case word == "n" || word == "no" || word == "":
				return approval.Answer{}, nil
			case word == "t" && lasting:
				return approval.Answer{Yes: true, Minutes: rememberMinutes}, nil
			case word == "d":
				whole = true
				t.change(f, q.Detail, -1)
			default:
				fmt.Fprintln(f, "That is neither y nor n.")
			}
		}
	}
}

// show prints a question: what happens, the path, what is there and what is
// new, and the change.
func (t *terminal) show(w io.Writer, q reeve.Question, most int) {
	fmt.Fprintf(w, "\n%s\n%s\n", t.paint("1", visible(q.Title)), visible(q.Body))
	t.change(w, q.Detail, most)
}

func (t *terminal) change(w io.Writer, detail string, most int) {
	if detail == "" {
		return
	}
	lines := strings.Split(strings.TrimSuffix(visible(detail), "\n"), "\n")
	fmt.Fprintln(w)
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(w, "… %s not shown\n", plural(int64(len(lines)-most), "line", "lines"))
			break
		}
		switch {
		case strings.HasPrefix(l, "+"):
			l = t.paint("32", l)
		case strings.HasPrefix(l, "-"):
			l = t.paint("31", l)
		}
		fmt.Fprintln(w, l)
	}
}

func (t *terminal) paint(how, s string) string {
	if !t.color {
		return s
	}
	return "\x1b[" + how + "m" + s + "\x1b[0m"
}

// visible writes out characters that hide themselves, reorder others or
// command a terminal, but for line ends and tabs.
func visible(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		parts := strings.Split(l, "\t")
		for k, p := range parts {
			parts[k] = pathname.Visible(p)
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}

var errNoTerminal = errors.New("there is no terminal to ask at")
