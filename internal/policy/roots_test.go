package policy

import (
	"slices"
	"strings"
	"testing"
)

func TestSplitRoots(t *testing.T) {
	for name, tt := range map[string]struct {
		value, home string
		want        []string
		problems    []string
	}{
		"empty":              {"", "/home/u", nil, nil},
		"only separators":    {" ,\n, \r\n\t,", "/home/u", nil, nil},
		"commas":             {"/a,/b,/c", "/home/u", []string{"/a", "/b", "/c"}, nil},
		"lines":              {"/a\n/b\r\n/c\n", "/home/u", []string{"/a", "/b", "/c"}, nil},
		"both, padded":       {"  /a ,\t/b\n ,, /c  ", "/home/u", []string{"/a", "/b", "/c"}, nil},
		"home":               {"~,~/x,~/", "/home/u", []string{"/home/u", "/home/u/x"}, nil},
		"inside a name":      {"/a b/c d", "/home/u", []string{"/a b/c d"}, nil},
		"repeated":           {"/a,/a/,/a/.,/b/../a,~/../../a", "/home/u", []string{"/a"}, nil},
		"missing is kept":    {"/no/such/folder", "/home/u", []string{"/no/such/folder"}, nil},
		"relative":           {"a,./b,/c,../d", "/home/u", []string{"/c"}, []string{"a is", "./b is", "../d is"}},
		"other homes":        {"~bob/x,~~", "/home/u", nil, []string{"~bob/x is", "~~ is"}},
		"no home":            {"~/x,/y", "", []string{"/y"}, []string{"~/x is"}},
		"a NUL":              {"/a\x00b,/c", "/home/u", []string{"/c"}, []string{`$'/a\x00b' is`}},
		"terminal codes":     {"\x1b[2Jx", "/home/u", nil, []string{`$'\x1B[2Jx' is`}},
		"Windows":            {`C:\a,c:/b/,~\x,\\srv\share\y,\z,D:q`, `C:\Users\u`, []string{`C:\a`, `c:\b`, `C:\Users\u\x`, `\\srv\share\y`}, []string{`\z is`, `D:q is`}},
		"the whole computer": {"/", "/home/u", []string{"/"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			roots, problems := SplitRoots(tt.value, tt.home)
			if !slices.Equal(roots, tt.want) {
				t.Errorf("%q", roots)
			}
			if len(problems) != len(tt.problems) {
				t.Fatalf("%q", problems)
			}
			for i := range problems {
				if !strings.HasPrefix(problems[i], tt.problems[i]) || !strings.HasSuffix(problems[i], "not an absolute path") {
					t.Errorf("%q", problems[i])
				}
			}
		})
	}
}

func FuzzSplitRoots(f *testing.F) {
	f.Add("/a,~/b\nc", "/home/u")
	f.Add(`C:\a,\\s\h`, `C:\u`)
	f.Add("~", "")
	f.Add("/../..,//,/./", "/")
	f.Add(`\\,\\?\C:\x,\\?\UNC\a\b`, `\\a\b`)
	f.Fuzz(func(t *testing.T, value, home string) {
		roots, problems := SplitRoots(value, home)
		sys := system{windows: !strings.HasPrefix(home, "/") && home != ""}
		if len(roots)+len(problems) > strings.Count(value, ",")+strings.Count(value, "\n")+1 {
			t.Fatal("more entries than there are")
		}
		seen := map[string]bool{}
		for _, r := range roots {
			if seen[r] || r != sys.clean(r) || strings.ContainsRune(r, 0) {
				t.Fatalf("%q", r)
			}
			if sys.isAbs(home) && !sys.isAbs(r) {
				t.Fatalf("%q is not absolute", r)
			}
			seen[r] = true
			if slices.Contains(sys.components(r), "..") {
				t.Fatalf("%q", r)
			}
		}
		for _, p := range problems {
			if strings.ContainsAny(p, "\n\r\x1b\x00") {
				t.Fatalf("%q", p)
			}
		}
	})
}
