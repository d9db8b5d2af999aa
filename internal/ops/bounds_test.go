package ops

import (
	"fmt"
	"strings"
	"testing"

	"reeve"
)

// "holds more than 10,000 entries" was the end of it: a bound has to name a
// way on that is open.
func TestAFolderThatIsTooLargeNamesTheWayOn(t *testing.T) {
	d := newDesk(t, "default", nil)
	for i := range maxBelow + 1 {
		d.file(fmt.Sprintf("big/f%d", i), "")
	}
	for name, c := range map[string]struct {
		call reeve.Call
		say  []string
	}{
		"delete":              {&reeve.DeletePath{Path: "big", Recursive: true}, []string{"more than 10,000 entries", "one folder at a time", "the owner can delete it by hand"}},
		"delete, unless full": {&reeve.DeletePath{Path: "big"}, []string{"more than 10,000 entries", "one folder at a time"}},
		"move":                {&reeve.MovePath{From: "big", To: "large"}, []string{"more than 10,000 entries", "create_directory", "the owner can move it by hand"}},
		"copy":                {&reeve.CopyPath{From: "big", To: "large"}, []string{"more than 1,000 entries", "in several calls"}},
	} {
		t.Run(name, func(t *testing.T) {
			d.t = t
			got := d.refuses(c.call, reeve.TooLarge)
			for _, s := range c.say {
				if !strings.Contains(got, s) {
					t.Errorf("%q lacks %q", got, s)
				}
			}
			if strings.Contains(got, "other spellings") {
				t.Errorf("%q takes a bound for a rule", got)
			}
		})
	}
}
