package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reeve"
)

func (s *Store) on(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(s.o.Dir, top, filepath.FromSlash(name))
}

func overwrite(t testing.TB, path, body string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedCopyIsNamedAndTheRestIsFine(t *testing.T) {
	var told []string
	s := open(t, Options{Report: func(file, what string) { told = append(told, file+" "+what) }})
	es, _ := keep(t, s, replaced("/r/a", file("aaaa")), replaced("/r/b", file("bbbb")))
	for _, bad := range []string{"aaab", "aaa", "", "aaaaa", strings.Repeat("x", 1<<20)} {
		overwrite(t, s.on(t, blobName(es[0].Blob)), bad)
		got, err := fetch(s, es[0].Blob)
		if !errors.Is(err, reeve.Damaged) || !strings.Contains(err.Error(), es[0].Blob) {
			t.Errorf("%.10q was given as %.10q: %v", bad, got, err)
		}
		if err := s.Check(ctx, es[0].Blob, es[0].Size); !errors.Is(err, reeve.Damaged) {
			t.Error(err)
		}
		if content(t, s, es[1].Blob) != "bbbb" {
			t.Error("the rest is not fine")
		}
	}
	// The same content, kept once more, is kept whole again.
	keep(t, s, replaced("/r/c", file("aaaa")))
	if content(t, s, es[0].Blob) != "aaaa" || len(told) != 1 || !strings.Contains(told[0], "damaged") {
		t.Errorf("%q", told)
	}
	// Something else under a copy's name is not opened.
	os.Remove(s.on(t, blobName(es[1].Blob)))
	if err := os.Symlink("/etc/passwd", s.on(t, blobName(es[1].Blob))); err == nil {
		if got, err := fetch(s, es[1].Blob); !errors.Is(err, reeve.Damaged) {
			t.Errorf("a link was followed: %.20q %v", got, err)
		}
	}
}

func TestADamagedEntryIsNamedAndTheRestIsFine(t *testing.T) {
	var told []string
	s := open(t, Options{Report: func(file, what string) { told = append(told, file+" "+what) }})
	for i := range 5 {
		keep(t, s, replaced(fmt.Sprintf("/r/%d", i), file(fmt.Sprint(i))))
	}
	s.Close()
	seg := s.on(t, filepath.ToSlash(filepath.Join(entriesDir, files(t, s, "entries")[0])))
	b, err := os.ReadFile(seg)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(b)
	lines := strings.SplitAfter(whole, "\n")
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"whole":             {whole, 5},
		"power cut":         {whole[:len(whole)-10], 4},
		"no line end":       {whole[:len(whole)-1], 4},
		"one bit":           {strings.Replace(whole, "/r/2", "/r/6", 1), 4},
		"a line of zeros":   {lines[0] + strings.Repeat("\x00", 4096) + "\n" + strings.Join(lines[1:], ""), 5},
		"garbage":           {lines[0] + "garbage\n\n\t\t\t\n" + strings.Join(lines[1:], ""), 5},
		"a line cut":        {lines[0] + lines[1][:20] + "\n" + strings.Join(lines[2:], ""), 4},
		"two run together":  {lines[0][:len(lines[0])-1] + strings.Join(lines[1:], ""), 3},
		"another version":   {strings.Replace(whole, "1\t", "9\t", 1), 4},
		"empty":             {"", 0},
		"truncated to half": {whole[:len(whole)/2], 2},
	} {
		overwrite(t, seg, c.body)
		told = nil
		if got := list(t, s, Filter{}); len(got) != c.want {
			t.Errorf("%s: %d entries, want %d", name, len(got), c.want)
		}
		if (c.want < 5 && c.want > 0) && len(told) == 0 {
			t.Errorf("%s: nothing was said", name)
		}
	}
	// A process that comes later is not held up by it.
	overwrite(t, seg, whole[:len(whole)-10])
	next := open(t, Options{Dir: s.o.Dir})
	keep(t, next, replaced("/r/next", file("n")))
	if got := list(t, next, Filter{}); len(got) != 5 || got[0].Path != "/r/next" {
		t.Errorf("%+v", got)
	}
}

func TestAnEntryThatCannotBeWrittenLeavesNoHalfLine(t *testing.T) {
	s := open(t, Options{})
	keep(t, s, replaced("/r/a", file("a")))
	f, err := os.Open(s.on(t, s.cur.name)) // the next write fails
	if err != nil {
		t.Fatal(err)
	}
	s.cur.f.Close()
	s.cur.f = f
	if _, _, err := s.Keep(ctx, agent(""), replaced("/r/b", file("b"))); err == nil {
		t.Fatal("a write to a file that can only be read went through")
	}
	keep(t, s, replaced("/r/c", file("c")))
	if got := list(t, s, Filter{}); len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

func TestAStateFolderOfAnotherUserIsNotTrusted(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("owners and modes are Unix's")
	}
	s := open(t, Options{})
	keep(t, s, replaced("/r/a", file("a")))
	if err := os.Chmod(s.on(t, blobsDir), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Keep(ctx, agent(""), replaced("/r/b", file("b"))); err == nil || !strings.Contains(err.Error(), "other users") {
		t.Error(err)
	}
	os.Chmod(s.on(t, blobsDir), 0o700)
	os.Rename(s.on(t, tmpDir), s.on(t, tmpDir)+"2")
	if err := os.Symlink(t.TempDir(), s.on(t, tmpDir)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Keep(ctx, agent(""), replaced("/r/b", file("b"))); err == nil {
		t.Error("copies were written through a link")
	}
}

func FuzzLine(f *testing.F) {
	e := Entry{Change: "K7M2PQ4X", Order: 5, Effect: reeve.EffectRemove, Path: "/r/a", Blob: strings.Repeat("0", 64)}
	b, err := e.line(nil, Detail{Kept: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b[:len(b)-1]))
	f.Add("")
	f.Add("1\t\t\t\t\t\t\t\t\t\t\t\t\t{}\t00000000")
	f.Fuzz(func(t *testing.T, line string) {
		e, err := parse(line)
		if err != nil {
			return
		}
		d, err := e.Detail()
		if err != nil {
			return
		}
		b, err := e.line(nil, d)
		if err != nil {
			t.Fatalf("%q reads as %+v, which cannot be written: %v", line, e, err)
		}
		again, err := parse(string(b[:len(b)-1]))
		if err != nil || again.Path != e.Path || again.Order != e.Order || again.Blob != e.Blob || !again.At.Equal(e.At) {
			t.Fatalf("%q reads as %+v and then as %+v: %v", line, e, again, err)
		}
	})
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"path":"a/b","kind":"file"}` + "\n"))
	f.Add([]byte(`{"path":"../b","kind":"file"}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := nodes(b, "x")
		if err != nil {
			return
		}
		for _, n := range list {
			for c := range strings.SplitSeq(n.Path, "/") {
				if c == ".." || c == "." || c == "" {
					t.Fatalf("%q leads elsewhere", n.Path)
				}
			}
		}
	})
}
