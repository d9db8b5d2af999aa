package policy

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// What is written into a configuration must be read back as what it was, and
// must not be able to end the string that it stands in.
func FuzzQuoteTOML(f *testing.F) {
	for _, s := range []string{"", "/home/ann", `C:\Users\ann`, `C:\it's`, `a"b`, "a\nb", "a\x01\\b", "\U000e0041", "\u202etxt", "''", `"""`, "é", "\x7f", `\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?") // a path that TOML cannot hold is never written
		var got struct{ V string }
		text := "V = " + QuoteTOML(s) + "\n"
		if err := toml.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%q is written as %s: %v", s, text, err)
		}
		if got.V != s {
			t.Fatalf("%q is read back as %q", s, got.V)
		}
		if strings.Count(text, "\n") != 1 {
			t.Fatalf("%q takes several lines", s)
		}
	})
}
