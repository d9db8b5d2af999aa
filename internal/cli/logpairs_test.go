package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/record"
)

// row makes an entry of "event:digest@segment", where all but the event may be
// missing.
func row(text string) record.Entry {
	text, segment, _ := strings.Cut(text, "@")
	event, digest, _ := strings.Cut(text, ":")
	return record.Entry{Row: reeve.Row{Event: event, Digest: digest, Verb: reeve.VerbWriteFile}, Segment: segment}
}

func TestAChangeIsShownOnceAndWhatNeverEndedAsBegun(t *testing.T) {
	for name, c := range map[string]struct{ rows, want string }{
		"a change":                      {"call intent:a outcome:a call", "call outcome:a call"},
		"one that never ended":          {"intent:a call call", "intent:a call call"},
		"rows in between":               {"intent:a call intent:b outcome:b outcome:a", "call outcome:b outcome:a"},
		"one ended, one not":            {"intent:a intent:b call outcome:b call", "intent:a call outcome:b call"},
		"the same change twice":         {"intent:a outcome:a intent:a outcome:a", "outcome:a outcome:a"},
		"the same change, ended once":   {"intent:a intent:a outcome:a", "intent:a outcome:a"},
		"an outcome without its intent": {"outcome:a intent:a", "outcome:a intent:a"},
		"another process":               {"intent:a@1 outcome:a@2", "intent:a@1 outcome:a@2"},
		"nothing":                       {"", ""},
	} {
		var got []string
		p := &pairs{show: func(e record.Entry) error {
			text := e.Row.Event
			if e.Row.Digest != "" {
				text += ":" + e.Row.Digest
			}
			if e.Segment != "" {
				text += "@" + e.Segment
			}
			got = append(got, text)
			return nil
		}}
		for _, r := range strings.Fields(c.rows) {
			if err := p.entry(row(r)); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.flush(); err != nil {
			t.Fatal(err)
		}
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", name, got, want)
		}
		if len(p.open) != 0 {
			t.Errorf("%s: %d are still waited for", name, len(p.open))
		}
	}
}

// A change that never ended holds neither the rest of a long record back nor
// its memory, and every row keeps its place.
func TestALongRecordAfterAChangeThatNeverEnded(t *testing.T) {
	shown := 0
	p := &pairs{show: func(e record.Entry) error {
		if e.N != int64(shown) {
			t.Fatalf("row %d is shown as number %d", e.N, shown)
		}
		shown++
		return nil
	}}
	const rows = 5 * maxHeld
	for i := range rows {
		e := row("call")
		if i%1000 == 0 {
			e = row(fmt.Sprintf("intent:%d", i))
		}
		e.N = int64(i)
		if err := p.entry(e); err != nil {
			t.Fatal(err)
		}
		if len(p.held) > maxHeld+1 {
			t.Fatalf("%d rows are held", len(p.held))
		}
	}
	if shown < rows-maxHeld-1 {
		t.Errorf("%d of %d rows shown before the end", shown, rows)
	}
	if err := p.flush(); err != nil || shown != rows {
		t.Errorf("%d of %d rows shown, %v", shown, rows, err)
	}
}

func TestAnOutputThatIsGoneEndsTheLog(t *testing.T) {
	gone := errors.New("gone")
	p := &pairs{show: func(record.Entry) error { return gone }}
	if err := p.entry(row("intent:a")); err != nil {
		t.Error(err)
	}
	if err := p.flush(); !errors.Is(err, gone) {
		t.Error(err)
	}
}
