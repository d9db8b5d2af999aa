package textcode

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

// The same cases in every run; another -rapid.seed or more -rapid.checks look
// further.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "3000", "rapid.nofailfile": "true"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

func asBinary(err error, b **BinaryError) bool { return errors.As(err, b) }

// tiled is a huge file without a disk: one tile over and over.
type tiled struct {
	tile  string
	size  int64
	reads int
	bytes int64
	// each, if set, is called before a read; an error of it is the read's.
	each func(reads int) error
}

func (s *tiled) Size() int64 { return s.size }

func (s *tiled) ReadAt(p []byte, off int64) (int, error) {
	s.reads++
	s.bytes += int64(len(p))
	if s.each != nil {
		if err := s.each(s.reads); err != nil {
			return 0, err
		}
	}
	n := 0
	for n < len(p) && off < s.size {
		t := s.tile[off%int64(len(s.tile)):]
		if left := s.size - off; int64(len(t)) > left {
			t = t[:left]
		}
		k := copy(p[n:], t)
		n += k
		off += int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// hundred is a tile of 1,000 lines of 100 bytes with their endings.
func hundred() string {
	return strings.Repeat(strings.Repeat("0123456789", 9)+"abcdefghi\n", 1000)
}

const gigabyte = 1 << 30

func usualAsk() Ask {
	return Ask{Lines: 2000, Bytes: 50000, Overhead: func(int64) int { return 8 }}
}

func mustOpen(t testing.TB, src Source, o Options) *Text {
	t.Helper()
	txt, err := Open(context.Background(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	return txt
}

func mustPage(t testing.TB, txt *Text, a Ask) Page {
	t.Helper()
	p, err := txt.Page(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func text(s string) Source { return bytes.NewReader([]byte(s)) }

// failer is what rapid's and testing's T share.
type failer interface {
	Fatal(...any)
	Fatalf(string, ...any)
}
