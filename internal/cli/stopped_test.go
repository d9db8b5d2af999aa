package cli

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"reeve"
)

func TestWhatIsSaidOfAStoppedCommand(t *testing.T) {
	ended, end := context.WithCancel(context.Background())
	end()
	late, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	gate := &reeve.Error{Op: "write_file", Kind: reeve.IO, Code: reeve.Cancelled, What: "the call was cancelled", Not: "Nothing was written."}
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want string
	}{
		"nothing known":       {ended, context.Canceled, "Stopped before it was done."},
		"nothing known, deep": {ended, fmt.Errorf("reading rows: %w", context.Canceled), "Stopped before it was done."},
		"what was not done":   {ended, fmt.Errorf("nothing was answered: %w", context.Canceled), "Stopped. Nothing was answered."},
		"a refused call":      {ended, gate, "Stopped. Nothing was written."},
		"said already":        {ended, errors.Join(&stopped{"Nothing was changed."}, errors.New("x")), "Stopped. Nothing was changed."},
		"another error":       {ended, errors.New("no such file"), ""},
		"another refusal":     {ended, &reeve.Error{Code: reeve.Protected}, ""},
		"not by a person":     {context.Background(), context.Canceled, ""},
		"the time was up":     {late, context.DeadlineExceeded, ""},
		"no error":            {ended, nil, ""},
	} {
		got := ""
		if s, ok := asStopped(c.ctx, c.err); ok {
			got = s.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
