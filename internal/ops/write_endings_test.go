package ops

import (
	"strings"
	"testing"

	"reeve"
)

// "Kept: crlf line ends" stood under files that mixed them from then on.
func TestLineEndsAreToldAsTheyAre(t *testing.T) {
	for name, c := range map[string]struct {
		old, content, want string
		kept, note         string
	}{
		"lf over crlf":             {"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n", "crlf", ""},
		"crlf over crlf":           {"a\r\nb\r\n", "x\r\ny\r\n", "x\r\ny\r\n", "crlf", ""},
		"a mixture over crlf":      {"a\r\nb\r\n", "x\r\ny\n", "x\r\ny\n", "", "mixes them now; before it had crlf"},
		"a mixture over lf":        {"a\nb\n", "x\r\ny\n", "x\r\ny\n", "", "mixes them now; before it had lf"},
		"crlf over lf":             {"a\nb\n", "x\r\ny\r\n", "x\r\ny\r\n", "", "has crlf line ends of its own, and they were taken as given; before it had lf"},
		"crlf over a mixture":      {"a\nb\r\n", "x\r\ny\r\n", "x\r\ny\r\n", "", "before it had mixed"},
		"one line over crlf":       {"a\r\nb\r\n", "x", "x", "", ""},
		"the mixture stays":        {"a\nb\r\nc\n", "a\nb\nX\n", "a\nb\r\nX\n", "mixed", ""},
		"what was mixed goes":      {"a\nb\r\nc\r\n", "b\nX\n", "b\r\nX\r\n", "", "those that are left are all crlf"},
		"over a file with no ends": {"a", "x\r\ny\n", "x\r\ny\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "default", nil)
			d.file("f", c.old)
			a, res := d.did(&reeve.WriteFile{Path: "f", Content: c.content})
			d.holds("f", c.want)
			notes := aboutEnds(res)
			if a.Files[0].Endings != c.kept || (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
				t.Errorf("told as kept %q, notes %q", a.Files[0].Endings, notes)
			}
		})
	}
	d := newDesk(t, "default", nil)
	d.file("f", "a\nb\n")
	a, res := d.did(one("f", "a", "x\r\ny"))
	d.holds("f", "x\ny\nb\n")
	if notes := aboutEnds(res); a.Files[0].Endings != "lf" || !strings.Contains(notes, "became those of the lines among which it stands") {
		t.Errorf("told as kept %q, notes %q", a.Files[0].Endings, notes)
	}
}

// aboutEnds are the notes but for those on history, which this gate has not.
func aboutEnds(res *reeve.Result) string {
	var list []string
	for _, n := range textsOf(res.Notes) {
		if !strings.HasPrefix(n, "No copy") {
			list = append(list, n)
		}
	}
	return strings.Join(list, "\n")
}
