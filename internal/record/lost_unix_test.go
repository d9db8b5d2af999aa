//go:build unix

package record

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the owner's other programs do to the record while it is written must
// not make rows go where nobody will read them.
func TestARecordThatIsTakenAwayWhileItIsWritten(t *testing.T) {
	for what, c := range map[string]struct {
		do   func(t *testing.T, dir, file string) error
		says string
		left []string // of the rows before
	}{
		"the file is removed":   {func(_ *testing.T, _, file string) error { return os.Remove(file) }, "was removed", nil},
		"the record is removed": {func(_ *testing.T, dir, _ string) error { return os.RemoveAll(filepath.Join(dir, recordDir)) }, "was removed", nil},
		"all state is removed":  {func(_ *testing.T, dir, _ string) error { return os.RemoveAll(dir) }, "was removed", nil},
		"the file is emptied":   {func(_ *testing.T, _, file string) error { return os.Truncate(file, 0) }, "was cut short", nil},
	} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			s := open(t, Options{Dir: dir})
			add(t, s, 0, 3)
			before := files(t, dir)[0]
			if err := c.do(t, dir, before); err != nil {
				t.Fatal(err)
			}
			add(t, s, 3, 5)
			if got := calls(t, dir, Filter{}); !slices.Equal(got, []string{"3", "4"}) {
				t.Errorf("the rows written after are %v, want 3 and 4", got)
			}
			said := false
			for _, f := range files(t, dir) {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				said = said || f != before && strings.Contains(string(b), c.says)
			}
			if !said {
				t.Errorf("the new file does not say that the one before %s", c.says)
			}
		})
	}
}
