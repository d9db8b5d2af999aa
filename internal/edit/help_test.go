package edit

import (
	"errors"
	"flag"
	"os"
	"testing"

	"reeve"
	"reeve/internal/textcode"
)

// The same cases in every run; another -rapid.seed or more -rapid.checks look
// further.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "1500", "rapid.nofailfile": "true"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// loose takes what the default profile takes for text.
func loose() Options { return Options{Binary: textcode.BinaryNUL} }

func one(old, new string) []Edit { return []Edit{{Old: old, New: new}} }

func mustApply(t testing.TB, file string, edits ...Edit) *Plan {
	t.Helper()
	p, err := Apply([]byte(file), edits, loose())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refusal checks the code of an error, and that it says what was not done.
func refusal(t testing.TB, err error, code reeve.Code) *reeve.Error {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("error %v, want %s", err, code)
	}
	e, _ := reeve.AsError(err)
	if e.Not != notWritten || e.What == "" || e.Instead == "" || e.Kind == "" {
		t.Errorf("an incomplete refusal: %+v", e)
	}
	return e
}

func miss(t testing.TB, err error) *Miss {
	t.Helper()
	var m *Miss
	if !errors.As(err, &m) {
		t.Fatalf("%v has no Miss", err)
	}
	return m
}

// utf16 writes ASCII and a few others with a mark.
func utf16(s string, big bool) string {
	enc := textcode.UTF16LE()
	if big {
		enc = textcode.UTF16BE()
	}
	b, err := enc.Encode(enc.Mark(), s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
