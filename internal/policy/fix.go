package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"reeve"
	"reeve/internal/pathname"
)

func shown(path string) string { return pathname.EscapePath(path) }

// exceptFix is the line that would open a protected place: the list as it
// stands, and this place. A path that TOML cannot hold has none.
func (p *Policy) exceptFix(pl *reeve.Place) string {
	if pl.RootPath == "" {
		return ""
	}
	path := pl.Path()
	if !utf8.ValidString(path) || strings.ContainsAny(path, "*?") {
		return ""
	}
	if rest, ok := p.sys.below(path, p.env.Home); ok && p.env.Home != "" && len(rest) > 0 {
		path = "~/" + strings.Join(rest, "/")
	}
	var b strings.Builder
	b.WriteString("except = [")
	for _, e := range p.exceptList {
		b.WriteString(quoteTOML(e) + ", ")
	}
	b.WriteString(quoteTOML(path) + "] at the top of Reeve's configuration")
	return b.String()
}

// quoteTOML writes a text as a TOML string.
func quoteTOML(s string) string {
	if !strings.ContainsAny(s, "\"\\") && !strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString(`\U` + pad(strconv.FormatInt(int64(r), 16), 8))
		default:
			b.WriteString(`\u` + pad(strconv.FormatInt(int64(r), 16), 4))
		}
	}
	b.WriteByte('"')
	return b.String()
}

func pad(s string, n int) string { return strings.Repeat("0", n-len(s)) + s }

// quoteArg writes a path as one argument of a shell command.
func quoteArg(path string) string {
	plain := func(r rune) bool {
		return r > ' ' && r < 0x7f && !strings.ContainsRune("'\"\\$`!*?[]{}()<>|&;#~", r)
	}
	if path != "" && !strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }) {
		return path
	}
	if pathname.IsOdd(path) {
		return pathname.Escape(path)
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
