package edit

import (
	"strings"
	"unicode/utf8"

	"reeve/internal/textcode"
)

// token is one character or line end: its bytes, and what it is compared by.
type token struct{ raw, view string }

// tokens takes a body apart the plain way, one unit after the other.
func tokens(enc textcode.Encoding, body string) (list []token, mac bool) {
	var chars []token
	for len(body) > 0 {
		n, _ := enc.Skip([]byte(body), 1, true)
		out, _, bad := enc.Decode(nil, []byte(body[:n]), true)
		view := string(out)
		if bad > 0 {
			view = "bad"
		}
		chars = append(chars, token{body[:n], view})
		body = body[n:]
	}
	lf, cr := false, false
	for _, c := range chars {
		lf = lf || c.view == "\n"
		cr = cr || c.view == "\r"
	}
	mac = cr && !lf
	for i := 0; i < len(chars); i++ {
		c := chars[i]
		switch {
		case c.view == "\r" && i+1 < len(chars) && chars[i+1].view == "\n":
			list = append(list, token{c.raw + chars[i+1].raw, "\n"})
			i++
		case c.view == "\r" && mac:
			list = append(list, token{c.raw, "\n"})
		default:
			list = append(list, c)
		}
	}
	return list, mac
}

func raw(list []token) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.raw)
	}
	return b.String()
}

func foldNaive(s string, mac bool) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if mac {
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}

func views(s string) (list []string) {
	for s != "" {
		_, n := utf8.DecodeRuneInString(s)
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

// naiveFind gives every place where the text is, overlapping ones too.
func naiveFind(file []token, old []string) (at []int) {
	for i := 0; i+len(old) <= len(file); i++ {
		same := true
		for j, v := range old {
			same = same && file[i+j].view == v
		}
		if same {
			at = append(at, i)
		}
	}
	return at
}

// kindOf is the single kind of line end among some tokens, "" for none and
// "mixed" for several.
func kindOf(enc textcode.Encoding, list []token) string {
	kind := ""
	for _, k := range kindsOf(enc, list) {
		if kind != "" && kind != k {
			return textcode.Mixed
		}
		kind = k
	}
	return kind
}

func kindsOf(enc textcode.Encoding, list []token) (kinds []string) {
	for _, t := range list {
		if t.view != "\n" {
			continue
		}
		for _, k := range []string{textcode.LF, textcode.CRLF, textcode.CR} {
			if t.raw == string(enc.Newline(k)) {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}

func mostOf(kinds []string) string {
	n := map[string]int{}
	for _, k := range kinds {
		n[k]++
	}
	best := textcode.LF
	for _, k := range []string{textcode.LF, textcode.CRLF, textcode.CR} {
		if n[k] > n[best] {
			best = k
		}
	}
	return best
}

func landed(enc textcode.Encoding, s, kind string) string {
	var b []byte
	for _, v := range views(s) {
		if v == "\n" {
			b = append(b, enc.Newline(kind)...)
		} else {
			b, _ = enc.Encode(b, v)
		}
	}
	return string(b)
}
