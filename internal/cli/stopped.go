package cli

import (
	"context"
	"errors"
	"strings"

	"reeve"
)

// stopped is a command that its own person ended, with Ctrl-C mostly. known is
// what can be said of what was and was not done, as whole sentences.
type stopped struct{ known string }

func (s *stopped) Error() string {
	if s.known == "" {
		return "Stopped before it was done."
	}
	return "Stopped. " + s.known
}

// Unwrap lets it be met as what it is made of.
func (s *stopped) Unwrap() error { return context.Canceled }

// asStopped tells whether an error is that a person ended the command, and
// what is known then. A file system that gave up is none of it.
func asStopped(ctx context.Context, err error) (*stopped, bool) {
	if err == nil || !errors.Is(ctx.Err(), context.Canceled) {
		return nil, false
	}
	var s *stopped
	if errors.As(err, &s) {
		return s, true
	}
	if e, ok := reeve.AsError(err); ok {
		if e.Code != reeve.Cancelled {
			return nil, false
		}
		return &stopped{e.Not}, true
	}
	if !errors.Is(err, context.Canceled) {
		return nil, false
	}
	// "nothing was answered: context canceled" knows more than that.
	if known, ok := strings.CutSuffix(err.Error(), ": "+context.Canceled.Error()); ok && strings.HasPrefix(strings.ToLower(known), "nothing was ") {
		return &stopped{strings.ToUpper(known[:1]) + known[1:] + "."}, true
	}
	return &stopped{}, true
}
