package policy

// Windows gives long names a second, short one: six characters, a tilde, a
// number, and three characters of the extension (CREDEN~1.JSO for
// credentials.json). Such a name opens the same file. From the name alone it
// can only be told that it may be the short one of a protected name; that is
// enough to refuse it.

// shortName is a name of that shape.
type shortName struct{ stem, ext []byte }

// longName is a protected name as Windows shortens it.
type longName struct {
	base, ext string
	// fits: the name is short already, and gets no second one.
	fits bool
	// open: the name goes on after base (a pattern ending in *).
	open bool
}

func longOf(name string, open bool) longName {
	n := longName{open: open}
	rest := name
	for len(rest) > 0 && (rest[0] == '.' || rest[0] == ' ') {
		rest = rest[1:]
	}
	led := len(rest) != len(name)
	dots := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '.':
			dots++
			n.base += n.ext
			n.ext = ""
		case ' ':
		default:
			if dots == 0 {
				n.base += rest[i : i+1]
			} else {
				n.ext += rest[i : i+1]
			}
		}
	}
	n.fits = !led && !open && dots <= 1 && len(n.base) <= 8 && len(n.ext) <= 3
	if len(n.ext) > 3 {
		n.ext = n.ext[:3]
	}
	return n
}

// may reports whether s may be the short name of n.
func (n longName) may(s shortName) bool {
	if n.fits || n.base == "" {
		return false
	}
	if !n.open && string(s.ext) != n.ext {
		return false
	}
	want := n.base[:min(6, len(n.base))]
	if string(s.stem) == want || n.open && len(s.stem) > len(want) && string(s.stem[:len(want)]) == want {
		return true
	}
	// After a few of one kind: two characters and four hexadecimal digits.
	if len(s.stem) != 6 || len(n.base) < 2 || string(s.stem[:2]) != n.base[:2] {
		return false
	}
	for _, c := range s.stem[2:] {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}
