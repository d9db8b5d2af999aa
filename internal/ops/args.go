package ops

import (
	"errors"
	"fmt"

	"reeve"
	"reeve/internal/search"
)

// invalid refuses an argument by its name.
func invalid(verb reeve.Verb, name, what, instead string) error {
	return &reeve.Error{Op: string(verb), Kind: reeve.Input, Code: reeve.Invalid,
		What: "the argument " + name + " " + what, Not: notLooked(verb), Instead: instead}
}

func notLooked(verb reeve.Verb) string {
	switch verb {
	case reeve.VerbReadFile, reeve.VerbStat:
		return "Nothing was read."
	case reeve.VerbSearchFiles:
		return "Nothing was searched."
	}
	return "Nothing was listed."
}

// between refuses a number outside of 1 to most; 0 means not given.
func between(verb reeve.Verb, name string, n, most int) error {
	if n == 0 || n >= 1 && n <= most {
		return nil
	}
	return invalid(verb, name, fmt.Sprintf("is %d; it can be 1 to %d", n, most),
		fmt.Sprintf("Give a number from 1 to %d, or leave it out.", most))
}

// given refuses an empty path.
func given(verb reeve.Verb, name, path string) error {
	if path != "" {
		return nil
	}
	return invalid(verb, name, "is empty", "Give the path; list_roots shows the folders that were granted.")
}

// badArgument gives a refusal of package search the name of its argument.
func badArgument(verb reeve.Verb, name string, err error) error {
	if p := (*search.Problem)(nil); errors.As(err, &p) {
		what := p.What
		if p.At > 0 {
			what = fmt.Sprintf("%s (at byte %d)", what, p.At)
		}
		return invalid(verb, name, what, p.Instead)
	}
	return invalid(verb, name, "cannot be used: "+err.Error(), "")
}

// callOf gives the call its type. Another one is a mistake in the assembly.
func callOf[T any](call reeve.Call) (*T, error) {
	if c, ok := any(call).(*T); ok && c != nil {
		return c, nil
	}
	return nil, &reeve.Error{Kind: reeve.IO, Code: reeve.Failed, What: fmt.Sprintf("a call of type %T came to the wrong operation", call)}
}
