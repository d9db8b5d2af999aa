package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"reeve"
)

// What a run exits with.
const (
	exitOK      = 0   // there is a result
	exitRefused = 1   // refused, failed, or something is wrong
	exitUsage   = 2   // the command line could not be understood
	exitStopped = 130 // ended by its own person, as shells say it
)

// Env is what one run works with. Nothing in it is changed.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Main runs the process's own command line and gives its exit code.
func Main() int {
	deepStart()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // a second signal ends it at once
		<-ctx.Done()
		stop()
	}()
	return Run(ctx, Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
}

// Run does what one command line says and gives the exit code: 0 for a
// result, 1 for a refusal or a failure, 2 for a command line that could not be
// understood, 130 for a command that was stopped. Every error is one line on Stderr that begins with "reeve: ".
func Run(ctx context.Context, env Env) int {
	root := newRoot(&env)
	root.SetArgs(append([]string{}, env.Args...)) // nil would mean os.Args
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var quiet silent
	if errors.As(err, &quiet) {
		return int(quiet)
	}
	if s, ok := asStopped(ctx, err); ok {
		fmt.Fprintln(env.Stderr, "reeve: "+oneLine(s.Error()))
		return exitStopped
	}
	fmt.Fprintln(env.Stderr, "reeve: "+oneLine(err.Error()))
	var u *usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	return exitRefused
}

// silent is an exit code for a command that has said everything already.
type silent int

func (s silent) Error() string { return "" }

// usageError is a command line that could not be understood.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// withNot adds to an error what was not done.
func withNot(err error, not string) error {
	return errors.New(strings.TrimSuffix(err.Error(), ".") + ". " + not)
}

// oneLine keeps an error to one line, whatever a file's name or another
// program's words hold.
func oneLine(s string) string {
	if e := strings.TrimSpace(s); e != "" {
		s = e
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029:
			return '\uFFFD'
		}
		return r
	}, s)
}

// refusalText is a refusal as one sentence for a person, with its code.
func refusalText(err error) string {
	e, ok := reeve.AsError(err)
	if !ok {
		return err.Error()
	}
	return fmt.Sprintf("%s (%s: %s)", e.Error(), e.Kind, e.Code)
}
