package search

import (
	"fmt"

	"reeve"
)

// Problem refuses an argument. It matches reeve.Invalid and reeve.Input.
type Problem struct {
	// At is the byte of the argument at which it was noticed, counted from 1;
	// 0 where the argument is wrong as a whole.
	At int
	// What is the end of a sentence that starts with the argument's name.
	What string
	// Instead says what to write.
	Instead string
}

// Error is What and Instead as sentences.
func (p *Problem) Error() string {
	s := p.What
	if p.At > 0 {
		s = fmt.Sprintf("%s (at byte %d)", s, p.At)
	}
	if p.Instead != "" {
		s += ". " + p.Instead
	}
	return s
}

// Is matches reeve.Invalid and reeve.Input.
func (p *Problem) Is(target error) bool { return target == reeve.Invalid || target == reeve.Input }
