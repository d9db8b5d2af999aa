package policy

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"reeve"
	"reeve/internal/pathname"
)

func shown(path string) string { return pathname.EscapePath(path) }

// exceptFix says what would open a protected place, without the owner's other
// exceptions, which are nobody else's business: a model reads this. A path
// that TOML cannot hold has none.
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
	if len(p.exceptList) > 0 {
		return "add " + QuoteTOML(path) + " to the list except in Reeve's configuration"
	}
	return "except = [" + QuoteTOML(path) + "] at the top of Reeve's configuration"
}

// QuoteTOML writes a text as a TOML string: a literal where backslashes are
// easier to read so, else with the escapes that TOML knows.
func QuoteTOML(s string) string {
	odd := strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) })
	switch {
	case !odd && !strings.ContainsAny(s, `"\`):
		return `"` + s + `"`
	case !odd && !strings.Contains(s, "'"):
		return "'" + s + "'"
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
	if pathname.Visible(path) != path {
		return pathname.Escape(path)
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
