//go:build unix

package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reeve"
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

// The same for the details: long rows go on in another pair of files, and rows
// that need none stay where they are.
func TestDetailsThatAreTakenAwayWhileTheyAreWritten(t *testing.T) {
	for what, c := range map[string]struct {
		first int // long rows before
		do    func(name string) error
		says  string
		left  []string
	}{
		"removed":            {2, os.Remove, "details of the file before this one were removed", []string{"2", "3"}},
		"emptied":            {2, func(name string) error { return os.Truncate(name, 0) }, "details of the file before this one were cut short", []string{"2", "3"}},
		"replaced by a copy": {2, replace, "details of the file before this one were removed", []string{"0", "1", "2", "3"}},
		"there before any were written": {0, func(name string) error { return os.WriteFile(name, []byte("mine"), 0o600) },
			"place taken", []string{"2", "3"}},
		"a link there before any were written": {0, func(name string) error { return os.Symlink(name+"~", name) },
			"place taken", []string{"2", "3"}},
	} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			s := open(t, Options{Dir: dir})
			add(t, s, 10, 11)
			addLong(t, s, 0, c.first)
			before := files(t, dir)[0]
			if err := c.do(detailsFile(before)); err != nil {
				t.Fatal(err)
			}
			held, _ := os.ReadFile(detailsFile(before))
			add(t, s, 11, 12)
			if n := len(files(t, dir)); n != 1 {
				t.Errorf("a short row made %d files", n)
			}
			addLong(t, s, 2, 4)
			add(t, s, 12, 13)
			if got := patches(t, dir); !slices.Equal(got, c.left) {
				t.Errorf("whole are %v, want %v", got, c.left)
			}
			list := files(t, dir)
			if len(list) != 2 {
				t.Fatal(list)
			}
			after := slices.DeleteFunc(list, func(n string) bool { return n == before })[0]
			if b, err := os.ReadFile(after); err != nil || !strings.Contains(string(b), c.says) {
				t.Errorf("the new file does not say %q: %v %s", c.says, err, b)
			}
			if now, _ := os.ReadFile(detailsFile(before)); string(now) != string(held) {
				t.Errorf("what stands there was written to: %q", now)
			}
			r := verify(t, dir)
			if whole := len(c.left) == c.first+2; whole && !r.OK() || !whole && (len(r.Problems) != 1 || r.Problems[0].Row != 3) {
				t.Errorf("%v", r.Problems)
			}
		})
	}
}

func replace(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+"~", b, 0o600); err != nil {
		return err
	}
	return os.Rename(name+"~", name)
}

// With the details gone and no room for another pair, a change is refused and
// what ends a call is cut: nothing is written where nobody will read it.
func TestDetailsTakenAwayOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	full := ""
	s := open(t, Options{Dir: dir, hooks: hooks{write: func(f *os.File, b []byte, at int64) (int, error) {
		if full != "" && !strings.HasSuffix(f.Name(), full) {
			return 0, errFull
		}
		return f.WriteAt(b, at)
	}}})
	addLong(t, s, 0, 1)
	name := files(t, dir)[0]
	os.Remove(detailsFile(name))
	full = filepath.Base(name) // only this one takes rows
	intent := long(1)
	intent.Event = "intent"
	if err := s.Append(context.Background(), intent); !errors.Is(err, reeve.RecordFailed) {
		t.Errorf("%v", err)
	}
	addLong(t, s, 2, 3)
	cut := 0
	for e := range Rows(dir, Filter{Call: "2"}) {
		if e.Row.Call == "2" && strings.Contains(e.Damage, "only a part of the row was kept") {
			cut++
		}
	}
	if cut != 1 {
		t.Errorf("%d rows say that they were cut", cut)
	}
	if list := files(t, dir); len(list) != 1 {
		t.Errorf("files without a row were left: %v", list)
	}
	full = ""
	addLong(t, s, 3, 4)
	if got := patches(t, dir); !slices.Equal(got, []string{"3"}) {
		t.Errorf("%v", got)
	}
}
