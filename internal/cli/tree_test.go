package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"reeve"
)

// Every command tells what it does with an example of its own, and what the
// examples show is read.
func TestEveryCommandHasAnExample(t *testing.T) {
	var out bytes.Buffer
	env := &Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			walk(c)
		}
		if cmd.Example == "" || cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("`%s` has no example, or no short text without a full stop", cmd.CommandPath())
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			line, _, _ = strings.Cut(line, "   ")
			if !strings.HasPrefix(line, "  reeve ") && line != "" {
				continue // the cut took an indented line's text
			}
			words := strings.Fields(line)
			if len(words) == 0 {
				continue
			}
			found, rest, err := newRoot(env).Find(words[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err != nil {
				t.Errorf("`%s` shows `%s`: %v", cmd.CommandPath(), line, err)
			}
		}
		out.Reset()
		if err := help(cmd); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, want := range []string{"Usage:\n  reeve", "Example:\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("the help of `%s` lacks %q:\n%s", cmd.CommandPath(), want, text)
			}
		}
		for _, l := range strings.Split(text, "\n") {
			if textWidth(l) > 110 {
				t.Errorf("the help of `%s` has a line of %d columns: %s", cmd.CommandPath(), textWidth(l), l)
			}
		}
	}
	walk(newRoot(env))
}

// A line about progress comes after a second, not at every report, and is
// wiped at the end; what a file is called cannot move the cursor.
func TestProgressLine(t *testing.T) {
	var out bytes.Buffer
	p := &progress{w: &out, since: time.Now()}
	p.tell(reeve.Progress{Done: 1})
	p.end()
	if out.Len() != 0 {
		t.Errorf("a quick call said %q", out.String())
	}
	p = &progress{w: &out, since: time.Now().Add(-time.Minute)}
	p.tell(reeve.Progress{Done: 1200, Total: 5000, Message: "Looking in a\x1b[2Jb\nc"})
	p.tell(reeve.Progress{Done: 1201, Total: 5000})
	p.end()
	p.tell(reeve.Progress{Done: 1202})
	got := out.String()
	if !strings.HasPrefix(got, "\r\x1b[K") || !strings.HasSuffix(got, "\r\x1b[K") || !strings.Contains(got, "1,200 of 5,000") {
		t.Errorf("the line is %q", got)
	}
	if strings.Contains(got, "1,201") || strings.Contains(got, "1,202") || strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\n") {
		t.Errorf("the line is %q", got)
	}
}

// Without arguments there is help, and nothing is taken from the process's
// own command line.
func TestNoArguments(t *testing.T) {
	var out, errs bytes.Buffer
	code := Run(t.Context(), Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	if code != exitOK || !strings.Contains(out.String(), "Usage:") || errs.Len() != 0 {
		t.Errorf("it exited with %d and said %q, %q", code, out.String(), errs.String())
	}
}

// An error is one line, whatever is in it.
func TestErrorsAreOneLine(t *testing.T) {
	for _, args := range [][]string{{"a\nb"}, {"call", "x\x1b[2J"}, {"call", "stat", "no\nequals"}, {"log", "--since", "\r\n"}, {"--x\ny"},
		{"roots", "add", "a\nb"}, {"mcp", "--profile", "\n"}, {strings.Repeat("long", 10000)}} {
		var out, errs bytes.Buffer
		code := Run(t.Context(), Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
		got := errs.String()
		if code == exitOK || strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "reeve: ") || strings.ContainsAny(got, "\x1b\r") || len(got) > 1000 {
			t.Errorf("%.40q exited with %d and said %.300q", args, code, got)
		}
	}
}
