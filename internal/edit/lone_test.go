package edit

import (
	"strings"
	"testing"

	"reeve"
)

// Files in UTF-16 that hold what is no character: half of one, or a byte too
// many at the end, as a cut download leaves them.
func brokenUTF16() map[string]string {
	return map[string]string{
		"a high half":              "\xFF\xFEa\x00\n\x00\x3D\xD8b\x00\n\x00",
		"a low half":               "\xFF\xFEa\x00\n\x00\x00\xDEb\x00\n\x00",
		"a high half at the end":   "\xFF\xFEa\x00\n\x00b\x00\n\x00\x3D\xD8",
		"two high halves":          "\xFF\xFEa\x00\n\x00\x3D\xD8\x3D\xD8\x00\xDEb\x00\n\x00",
		"a byte too many":          "\xFF\xFEa\x00\n\x00b\x00\n\x00\x41",
		"big endian":               "\xFE\xFF\x00a\x00\n\xD8\x3D\x00b\x00\n",
		"big endian, one too many": "\xFE\xFF\x00a\x00\n\x00b\x00\n\x41",
	}
}

func TestAnOverwriteDoesNotDropHalfCharacters(t *testing.T) {
	for name, file := range brokenUTF16() {
		for _, content := range []string{"new\n", "", "a\nb\n"} {
			_, err := Rewrite([]byte(file), content, loose())
			e := refusal(t, err, reeve.Encoding)
			if !strings.Contains(e.Error(), "in line ") || !strings.Contains(e.Error(), "with edits") || !strings.Contains(e.Error(), "delete the file first") {
				t.Errorf("%s: %q does not say where, and how to go on", name, e.Error())
			}
		}
	}
	_, err := Rewrite([]byte(brokenUTF16()["a byte too many"]), "x", loose())
	if e := refusal(t, err, reeve.Encoding); !strings.Contains(e.What, "line 3") || !strings.Contains(e.What, "a single byte") {
		t.Error(e.What)
	}
	if _, err := Rewrite([]byte(utf16("a😀\n", true)), "b😀\n", loose()); err != nil {
		t.Errorf("whole characters are refused: %v", err)
	}
}

func TestAnEditElsewhereKeepsHalfCharacters(t *testing.T) {
	for name, file := range brokenUTF16() {
		big := strings.HasPrefix(file, "\xFE")
		for _, edits := range [][]Edit{one("a", "x😀\ny"), one("b", ""), {{"a", "q", false}, {"b", "longer", false}}} {
			want := file
			for _, e := range edits {
				want = strings.Replace(want, utf16(e.Old, big)[2:], utf16(e.New, big)[2:], 1)
			}
			p := mustApply(t, file, edits...)
			if string(p.New) != want || p.Kept.BadBytes == 0 {
				t.Errorf("%s, %v:\n got %q\nwant %q", name, edits, p.New, want)
			}
			outside(t, p)
		}
	}
}

func TestEditsTellWhatBecameOfLineEnds(t *testing.T) {
	for _, c := range []struct {
		name, file string
		edits      []Edit
		now        string
		folded     int
	}{
		{"LF into CRLF", "a\r\nb\r\n", one("a", "x\ny"), "crlf", 0},
		{"CRLF into CRLF", "a\r\nb\r\n", one("a", "x\r\ny"), "crlf", 0},
		{"CRLF into LF", "a\nb\n", one("a", "x\r\ny\r\nz"), "lf", 2},
		{"CRLF into LF, everywhere", "a\na\n", []Edit{{"a", "x\r\ny", true}}, "lf", 2},
		{"the last CRLF goes", "a\r\nb\nc\n", one("a\nb", "ab"), "lf", 0},
		{"all ends go", "a\nb", one("a\nb", "ab"), "", 0},
		{"UTF-16", utf16("a\nb\n", true), one("a", "x\r\ny"), "lf", 1},
	} {
		if p := mustApply(t, c.file, c.edits...); p.Kept.Now != c.now || p.Kept.Folded != c.folded {
			t.Errorf("%s: %+v", c.name, p.Kept)
		}
	}
}
