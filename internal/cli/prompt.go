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

// tallLines are those after which a change has pushed the head of its question
// off many screens: the head is said again.
const tallLines = 15

// rememberMinutes is what "for a while on this file" means.
const rememberMinutes = 10

// terminal is the terminal that controls this process, as a channel. It is
// never the standard input: what is piped into a command answers nothing.
type terminal struct {
	// open gives the terminal, or an error when there is none, or when this
	// process is not in front of it.
	open      func() (tty, error)
	questions questions
	// color says whether the terminal shows colours.
	color bool
}

// questions are what a terminal answers, and what it shows of them.
type questions interface {
	Answer(ctx context.Context, id string, a approval.Answer) error
	// Change gives the whole change of a question.
	Change(ctx context.Context, id string) (string, error)
}

// tty is a terminal in use.
type tty interface {
	io.ReadWriteCloser
	// Forget drops what was typed and not read yet.
	Forget()
}

func newTerminal(q questions) *terminal {
	return &terminal{open: controlling, questions: q, color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
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
	said, err := t.ask(ctx, f, p.ID, p.Question)
	switch {
	case ctx.Err() != nil:
		fmt.Fprint(f, "\nThis is not asked here any more.\n")
		return
	case err != nil:
		return
	}
	said.Channel = "terminal"
	if err := t.questions.Answer(ctx, p.ID, said); err != nil && ctx.Err() == nil {
		fmt.Fprintln(f, oneLine(refusalText(err)))
	}
}

// ask shows a question and reads the answer to it. Anything but a clear yes
// is a no; ctx ends it without an answer. What was typed before it was on the
// screen answers nothing, and neither does what was typed before the rest of a
// change was. The ID is for the whole change, where the question leaves out
// some of it.
func (t *terminal) ask(ctx context.Context, f tty, id string, q reeve.Question) (approval.Answer, error) {
	lasting := approval.Lasting(q)
	t.show(f, q)
	if q.Left != nil {
		fmt.Fprintf(f, "\n%s\n", leftOut(q, "d"))
	}
	lines := make(chan string, 1)
	failed := make(chan error, 1)
	prompted := make(chan struct{}, 1)
	defer close(prompted)
	go func() {
		for range prompted {
			// A new reader for each line: none keeps what came with the last.
			l, err := bufio.NewReaderSize(f, 1024).ReadString('\n')
			if err != nil {
				failed <- err
				return
			}
			lines <- l
		}
	}()
	for {
		more := ""
		if lasting {
			more += fmt.Sprintf(", t for %d minutes on this file", rememberMinutes)
		}
		if q.Left != nil {
			more += ", d for the whole change"
		}
		f.Forget()
		fmt.Fprintf(f, "Allow it? y or N%s: ", more)
		prompted <- struct{}{}
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
			case word == "d" && q.Left != nil:
				t.showWhole(ctx, f, id, q)
			default:
				fmt.Fprintln(f, "That is neither y nor n.")
			}
		}
	}
}

// show prints a question: what happens, the path, what is there and what is
// new, and the change.
func (t *terminal) show(w io.Writer, q reeve.Question) {
	t.head(w, q, visible(q.Body))
	t.change(w, q.Detail)
	if strings.Count(q.Detail, "\n") > tallLines {
		path, _, _ := strings.Cut(visible(q.Body), "\n")
		t.head(w, q, path)
	}
}

func (t *terminal) head(w io.Writer, q reeve.Question, below string) {
	fmt.Fprintf(w, "\n%s\n%s\n", t.paint("1", visible(q.Title)), below)
}

// showWhole prints all of a change that the question shows a part of.
func (t *terminal) showWhole(ctx context.Context, w io.Writer, id string, q reeve.Question) {
	all, err := t.questions.Change(ctx, id)
	if err != nil {
		fmt.Fprintln(w, oneLine(refusalText(err)))
		return
	}
	t.change(w, all)
	path, _, _ := strings.Cut(visible(q.Body), "\n")
	t.head(w, q, path)
}

// leftOut says what a question does not show of its change, and what shows it.
func leftOut(q reeve.Question, way string) string {
	if q.Left.Beyond {
		return fmt.Sprintf("Left out: %s. This change is too large to be kept whole; %s shows as much of it as is kept.", q.Left, way)
	}
	return fmt.Sprintf("Left out: %s. %s shows all of it.", q.Left, way)
}

// change prints a diff, below an empty line.
func (t *terminal) change(w io.Writer, diff string) {
	if diff == "" {
		return
	}
	out := bufio.NewWriterSize(w, 16<<10)
	defer out.Flush()
	out.WriteByte('\n')
	for l := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		l = visible(l)
		switch {
		case strings.HasPrefix(l, "+"):
			l = t.paint("32", l)
		case strings.HasPrefix(l, "-"):
			l = t.paint("31", l)
		case strings.HasPrefix(l, "…"), strings.HasPrefix(l, "@@"):
			l = t.paint("36", l)
		}
		out.WriteString(l)
		out.WriteByte('\n')
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
