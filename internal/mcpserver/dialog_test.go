package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"reeve"
	"reeve/internal/attack"
)

func longQuestion(detail string) reeve.Pending {
	return reeve.Pending{ID: "ABCDEFG", Question: reeve.Question{Title: "Overwrite a?", Body: "/r/a\nReplaces 3 bytes.", Detail: detail}}
}

func TestADialogShowsAllThatFits(t *testing.T) {
	for name, c := range map[string]struct {
		p          reeve.Pending
		text, left string
	}{
		"nothing to show":          {longQuestion(""), "Overwrite a?\n/r/a\nReplaces 3 bytes.", ""},
		"a short change":           {longQuestion("-a\n+b\n"), "Overwrite a?\n/r/a\nReplaces 3 bytes.\n\n-a\n+b", ""},
		"left out by the question": {withLeft(longQuestion("-a\n+b\n"), reeve.Left{New: 1204}), "Overwrite a?\n/r/a\nReplaces 3 bytes.\n\n-a\n+b\n\nShown in part. Left out here: 1,204 lines (0 gone, 1,204 new). `reeve approve ABCDEFG --diff` and the console show all of it.", "1,204 lines (0 gone, 1,204 new)"},
		"kept in part":             {withLeft(longQuestion("+b\n"), reeve.Left{New: 2, Beyond: true}), "Overwrite a?\n/r/a\nReplaces 3 bytes.\n\n+b\n\nShown in part. Left out here: 2 lines (0 gone, 2 new). `reeve approve ABCDEFG --diff` and the console show as much of it as is kept.", "2 lines (0 gone, 2 new)"},
	} {
		t.Run(name, func(t *testing.T) {
			d, ok := dialogOf(c.p)
			if !ok || d.text != c.text || d.left != c.left {
				t.Errorf("%v %q, left %q", ok, d.text, d.left)
			}
		})
	}
}

func withLeft(p reeve.Pending, l reeve.Left) reeve.Pending {
	p.Question.Left = &l
	return p
}

// Of a change that does not fit, the first and the last lines are shown, and
// what is between is counted.
func TestADialogShowsAPartAndCountsTheRest(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "-%5d é\n+%5d ü\n  stays\n", i, i)
	}
	d, ok := dialogOf(longQuestion(b.String()))
	if !ok || runes(d.text) > messageChars || runes(d.text) < messageChars*2/3 {
		t.Fatalf("%v, %d characters", ok, runes(d.text))
	}
	if !strings.Contains(d.text, "\n-    0 é\n+    0 ü\n") || !strings.Contains(d.text, "\n+ 2999 ü\n  stays\n\nShown in part. Left out here: "+d.left+". `reeve approve ABCDEFG --diff`") {
		t.Errorf("%s", d.text)
	}
	shown := strings.Count(d.text, "é\n") + strings.Count(d.text, "ü\n")
	stay := strings.Count(d.text, "  stays\n")
	gone := 3000 - strings.Count(d.text, "é\n")
	want := fmt.Sprintf("5,%03d lines (2,%03d gone, 2,%03d new) and %d unchanged lines", 1000-shown, gone-2000, 6000-shown-gone-2000, 3000-stay)
	if d.left != want {
		t.Errorf("left %q, want %q", d.left, want)
	}
	if !strings.Contains(d.text, fmt.Sprintf("\n… %d lines are left out here …\n", 9000-shown-stay)) {
		t.Errorf("%s", d.text)
	}
}

// Nobody is asked to say yes to what cannot be seen.
func TestNoDialogForWhatCannotBeShown(t *testing.T) {
	far := longQuestion("+a\n")
	far.Question.Body = "/r/" + strings.Repeat("ü", 9000)
	for name, p := range map[string]reeve.Pending{
		"a body without end":            far,
		"a change that was not drawn":   withLeft(longQuestion(""), reeve.Left{Gone: 3}),
		"one line without end":          longQuestion("+" + strings.Repeat("x", 9000)),
		"only what stays has room":      longQuestion(strings.Repeat("  stays\n", 200) + "+" + strings.Repeat("x", 2000) + "\n" + strings.Repeat("  stays\n", 200)),
		"only what stays was drawn":     withLeft(longQuestion("  stays\n"), reeve.Left{New: 5}),
		"a body that leaves no room":    {ID: "A", Question: reeve.Question{Title: "T", Body: strings.Repeat("b", messageChars-noteChars-10), Detail: strings.Repeat("+new line\n", 300)}},
		"long lines at both ends of it": longQuestion(strings.Repeat("+"+strings.Repeat("x", 700)+"\n", 9)),
	} {
		t.Run(name, func(t *testing.T) {
			if d, ok := dialogOf(p); ok {
				t.Errorf("shown: %q", d.text)
			}
		})
	}
}

func FuzzDialog(f *testing.F) {
	f.Add("T?", "/r/a", "-a\n+b\n", int64(0))
	f.Add("T?", strings.Repeat("b", 1500), strings.Repeat("+é\n", 900), int64(7))
	f.Add("", "", "+"+strings.Repeat("x", 3000)+"\n+y", int64(1))
	f.Fuzz(func(t *testing.T, title, body, detail string, left int64) {
		p := reeve.Pending{ID: "ABCDEFG", Question: reeve.Question{Title: title, Body: body, Detail: detail}}
		if left > 0 {
			p = withLeft(p, reeve.Left{New: left})
		}
		d, ok := dialogOf(p)
		if !ok {
			return
		}
		if runes(d.text) > messageChars || !strings.HasPrefix(d.text, title+"\n"+body) {
			t.Errorf("%d characters: %q", runes(d.text), d.text)
		}
		if whole := strings.HasSuffix(d.text, strings.TrimSuffix(detail, "\n")); d.left == "" && !whole || d.left != "" && !strings.Contains(d.text, d.left) {
			t.Errorf("left %q of %q", d.left, d.text)
		}
	})
}

// A client's yes to a part stands on record as that, and what can't be shown
// there is the owner's.
func TestAYesToAPartIsKeptAsThat(t *testing.T) {
	generations(t, func(t *testing.T, g attack.Generation) {
		d := newDesk(t)
		o := d.options()
		o.Waiter = nobody{}
		var asked atomic.Int32
		c := talk(t, o, attack.LineOptions{Generation: g, Capabilities: json.RawMessage(canAsk), Answer: func(string, json.RawMessage) (any, error) {
			asked.Add(1)
			return map[string]any{"action": "accept"}, nil
		}})
		open(t, c)
		d.diff = strings.Repeat("+a line of it\n", 5000)
		if g == attack.Gen2025 {
			if r := change(t, c, "first", nil); r.IsError || d.count("first") != 1 || asked.Load() != 1 {
				t.Fatalf("%s, asked %d times", r.text(), asked.Load())
			}
			if !strings.Contains(d.left, " lines (0 gone, 4,") {
				t.Errorf("left %q", d.left)
			}
			asked.Store(0)
		}
		d.diff = "+" + strings.Repeat("x", 9000)
		r := change(t, c, "second", nil)
		if !r.IsError || !strings.Contains(r.text(), "no_channel") || asked.Load() != 0 || d.count("second") != 0 {
			t.Errorf("%s, asked %d times", r.text(), asked.Load())
		}
	})
}
