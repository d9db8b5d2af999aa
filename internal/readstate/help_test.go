package readstate

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"reeve"
)

// The same cases in every run; another -rapid.seed or more -rapid.checks look
// further.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "1000", "rapid.nofailfile": "true"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

func who(session string) reeve.Subject {
	return reeve.Subject{Kind: reeve.Agent, Agent: "claude", Door: "stdio", Session: session}
}

func place(name string) reeve.Place {
	return reeve.Place{Target: reeve.Local, RootPath: "/home/ann", Components: []reeve.Name{reeve.Name(name)}, Kind: reeve.File}
}

// version is one of a content: hashed, as of files that were in memory.
func version(text string) reeve.Version {
	h := sha256.Sum256([]byte(text))
	return reeve.NewVersion(reeve.Stamp{Size: int64(len(text))}, false, &h)
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func seq(text string) iter.Seq[string] { return slices.Values(linesOf(text)) }

// page is a read of some lines of a text, the last of them as far as they go.
func page(text string, from, to int) Seen {
	all := linesOf(text)
	s := Seen{Version: version(text), Total: int64(len(all)), Counted: true}
	for n := from; n <= min(to, len(all)); n++ {
		s.Lines = append(s.Lines, Line{N: int64(n), Text: all[n-1]})
	}
	s.Whole = from == 1 && to >= len(all)
	return s
}

func whole(text string) Seen { return page(text, 1, 1<<30) }

func put(p reeve.Place, now string) reeve.Change {
	return reeve.Change{Kind: reeve.Put, Place: p, Expect: version(now), Content: reeve.Bytes("new\n")}
}

// write asks for a whole new content, edit for a replacement in some lines.
func write(p reeve.Place, now string, r Rules) Ask {
	return Ask{Change: put(p, now), Rules: r, Lines: seq(now)}
}

func edit(p reeve.Place, now string, r Rules, touched ...Range) Ask {
	a := write(p, now, r)
	a.Edit, a.Touched = true, touched
	return a
}

func def() Rules    { return Rules{Mode: AllLines, Version: true, Rebase: true} }
func strict() Rules { return Rules{Mode: AnyPage} }

func allowed(t testing.TB, st *State, s reeve.Subject, a Ask, want Ground) {
	t.Helper()
	if g, err := st.Fresh(s, a); err != nil || g != want {
		t.Errorf("%q %v, want %q", g, err, want)
	}
}

func refused(t testing.TB, st *State, s reeve.Subject, a Ask, code reeve.Code, says ...string) *reeve.Error {
	t.Helper()
	g, err := st.Fresh(s, a)
	if !errors.Is(err, code) || g != "" {
		t.Fatalf("%q %v, want %s", g, err, code)
	}
	e, _ := reeve.AsError(err)
	if e.Kind != reeve.Policy || e.Path == "" || e.Not == "" || e.Instead == "" || e.Cause == nil {
		t.Errorf("an incomplete refusal: %+v", e)
	}
	for _, w := range says {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("%q does not say %q", e.Error(), w)
		}
	}
	return e
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func fixed() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
