package edit

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/textcode"

	"pgregory.net/rapid"
)

func repeated(n int, edits ...Edit) (out []Edit) {
	for range n {
		out = append(out, edits...)
	}
	return out
}

// Edits that feed one another are refused before the file has grown.
func TestEditsThatFeedOneAnotherAreRefusedBeforeTheMemoryIsTaken(t *testing.T) {
	one := Edit{Old: "1", New: "11", All: true}
	for name, c := range map[string]struct {
		file  string
		edits []Edit
	}{
		"doubled forty times":       {"1", repeated(40, one)},
		"in a large file":           {strings.Repeat("some line\n", 200_000) + "1", repeated(100, one)},
		"two in turns":              {strings.Repeat("12\n", 1000), repeated(45, one, Edit{Old: "2", New: "22", All: true})},
		"through another character": {"a", repeated(30, Edit{Old: "a", New: "bbb", All: true}, Edit{Old: "b", New: "aa", All: true})},
		"the first is for one only": {"a1", append([]Edit{{Old: "a", New: "1111"}}, repeated(40, one)...)},
		"in two bytes a character":  {"\xff\xfea\x00b\x00c\x00d\x00e\x00f\x00\n\x001\x00\n\x00", repeated(40, one)},
		"a shorter one comes later": {"1", append(repeated(40, one), Edit{Old: "11", New: "1", All: true})},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Apply([]byte(c.file), c.edits, Options{Binary: textcode.BinaryNUL})
			runtime.ReadMemStats(&after)
			e, ok := reeve.AsError(err)
			if !ok || e.Code != reeve.TooLarge {
				t.Fatalf("%v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
				t.Errorf("took %d MB first", took>>20)
			}
		})
	}
}

// What only looks as if it would grow without end is made.
func TestEditsThatDoNotFeedOneAnotherAreMade(t *testing.T) {
	o := Options{MaxBytes: 100}
	for name, c := range map[string]struct {
		file, want string
		edits      []Edit
	}{
		"taken back in between":  {"1", "1", repeated(20, Edit{Old: "1", New: "1111111111", All: true}, Edit{Old: "1111111111", New: "1", All: true})},
		"found anew, and longer": {"ab", "abcccccccccc", repeated(10, Edit{Old: "ab", New: "abc", All: true})},
		"as long as before":      {"abab", "abab", repeated(30, Edit{Old: "a", New: "c", All: true}, Edit{Old: "c", New: "a", All: true})},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Apply([]byte(c.file), c.edits, o)
			if err != nil || string(p.New) != c.want {
				t.Fatalf("%v, %v", p, err)
			}
		})
	}
}

// The bound that is seen ahead refuses nothing that would have fitted.
func TestTheSizeSeenAheadIsNeverTooMuch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\nc")), 1, 12, -1)
		file := text.Draw(t, "file")
		var edits []Edit
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			edits = append(edits, Edit{Old: rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 1, 3, -1).Draw(t, "old"),
				New: rapid.StringOfN(rapid.RuneFrom([]rune("abc\n")), 0, 4, -1).Draw(t, "new"), All: true})
		}
		free, err := Apply([]byte(file), edits, Options{})
		if err != nil {
			t.Skip()
		}
		// The largest that the file is on its way.
		most, now := len(file), file
		for _, e := range edits {
			now = strings.ReplaceAll(now, e.Old, e.New)
			most = max(most, len(now))
		}
		bounded, err := Apply([]byte(file), edits, Options{MaxBytes: int64(most)})
		if err != nil || string(bounded.New) != string(free.New) || string(free.New) != now {
			t.Fatalf("%v", err)
		}
		if most == 1 {
			return // a bound of 0 is the usual one
		}
		if _, err := Apply([]byte(file), edits, Options{MaxBytes: int64(most) - 1}); !errors.Is(err, reeve.TooLarge) {
			t.Fatalf("one byte less: %v", err)
		}
	})
}

// A call that is over does not go on working.
func TestEditingEndsWithItsCall(t *testing.T) {
	over, asked := errors.New("over"), 0
	ended := func() error {
		if asked++; asked == 3 {
			return over
		}
		return nil
	}
	for name, edits := range map[string][]Edit{
		"between edits":      repeated(3, Edit{Old: "xy", New: "yx", All: true}, Edit{Old: "yx", New: "xy", All: true}),
		"within one of many": {{Old: "x", New: "z", All: true}},
	} {
		asked = 0
		if _, err := Apply([]byte(strings.Repeat("xy ", 3*endedEvery)), edits, Options{Ended: ended}); !errors.Is(err, over) || asked != 3 {
			t.Errorf("%s: %v, asked %d times", name, err, asked)
		}
	}
}
