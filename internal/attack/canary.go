package attack

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"
)

// Canary makes markers and finds them again. All markers of one canary hold
// the same core, several times over, so that one search finds any of them and
// a piece of a marker is found as well as the whole.
//
// It may be used by several goroutines at once.
type Canary struct {
	core  string
	forms []form

	mu    sync.Mutex
	names []string // what each marker stands for, by number
}

// coreLen is long enough not to appear by chance and short enough that it is
// found in a window of a line.
const coreLen = 12

// NewCanary makes a canary whose markers follow from the seed, so that a
// failing run can be repeated.
func NewCanary(seed string) *Canary {
	sum := sha256.Sum256([]byte("attack/canary/" + seed))
	const letters = "bcdfghjkmnpqrstvwxz" // no vowels: it will not spell a word
	core := make([]byte, coreLen)
	for i := range core {
		core[i] = letters[int(binary.LittleEndian.Uint16(sum[i*2:]))%len(letters)]
	}
	c := &Canary{core: string(core)}
	c.forms = formsOf(c.core)
	return c
}

// Marker makes a new marker and remembers what it stands for. It is made of
// lower-case letters and digits alone, so it can be a file name.
func (c *Canary) Marker(what string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := fmt.Sprintf("%04d", len(c.names))
	c.names = append(c.names, what)
	return c.core + n + c.core + n + c.core
}

// Probe is a piece of every marker, too short for Check to mind. A search for
// it must find nothing: a hit tells that a secret holds it.
func (c *Canary) Probe() string { return c.core[:coreLen-4] }

// Leak is what Check found.
type Leak struct {
	What   string // what the marker stands for; "" when only a piece came out
	Form   string // "plain", "base64", …
	Around string // the bytes around it, bounded
}

// Error says what leaked, and how.
func (l *Leak) Error() string {
	what := l.What
	if what == "" {
		what = "a piece of a marker"
	}
	return fmt.Sprintf("leak: %s, as %s, in %q", what, l.Form, l.Around)
}

// Check gives a *Leak when any marker, or 27 characters in a row of one,
// stand in b in any form that a surface may have turned them into.
func (c *Canary) Check(b []byte) error {
	if at, f := find(c.forms, b); f != nil {
		return c.leak(f.name, b, at, f)
	}
	// Escapes are undone until nothing changes: JSON within JSON is usual.
	for i, cur := 0, b; i < 4; i++ {
		plain, changed := unescape(cur)
		if !changed {
			break
		}
		if at, f := find(c.forms, plain); f != nil {
			return c.leak("escaped "+f.name, plain, at, f)
		}
		cur = plain
	}
	return nil
}

func (c *Canary) leak(name string, b []byte, at int, f *form) *Leak {
	l := &Leak{Form: name, Around: string(b[max(0, at-40):min(len(b), at+len(f.needle)+40)])}
	rest := b[at:]
	if f.number != nil {
		if n, ok := f.number(rest, coreLen); ok {
			c.mu.Lock()
			if n < len(c.names) {
				l.What = c.names[n]
			}
			c.mu.Unlock()
		}
	}
	return l
}
