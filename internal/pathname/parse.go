package pathname

import (
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Style is how a profile reads paths.
type Style int

const (
	// StyleFirstRoot: absolute, ~/, or relative to Context.Base.
	StyleFirstRoot Style = iota
	// StyleHome: absolute, ~, ~/, or relative to Context.Home.
	StyleHome
	// StyleSession: absolute or relative to Base; ~ is a plain name.
	StyleSession
	// StyleWorkspace: as StyleSession.
	StyleWorkspace
	// StyleAbsolute: absolute only; . and .. components are refused.
	StyleAbsolute
)

// MaxBytes is the longest path, in bytes, as it stands on disk.
const MaxBytes = 4096

// maxRaw bounds the text itself: a byte takes at most four in escaped form.
const maxRaw = 5 * MaxBytes

// Context is what a path's meaning depends on beside its text.
type Context struct {
	Style Style
	// Home and Base are absolute, in the target's own spelling, raw bytes
	// (never escaped). Empty means there is none: ~ or relative paths are
	// then refused.
	Home, Base string
	// GOOS is the target's system; empty means this one's.
	GOOS string
}

// Parsed is an absolute path, clean by its text alone. Links are not known
// here: where it leads is for capfs to find.
type Parsed struct {
	volume  string
	parts   []string
	shown   string
	folder  bool
	windows bool
}

// Parse reads a path as a caller wrote it. Components in the escaped form are
// undone, "." and ".." are cleaned by text (never above the root), empty
// components and trailing slashes go. The error is always *Error.
//
// U+FFFD is an ordinary character here: a reader of JSON puts it where a lone
// surrogate stood, but a file may really be named so. NewNameProblem refuses
// it, so that it can't come into being by accident.
func Parse(raw string, c Context) (Parsed, error) {
	p := Parsed{windows: isWindows(c.GOOS)}
	if err := checkText(raw); err != nil {
		return Parsed{}, err
	}
	rest := raw
	abs := false
	var start []string
	if p.windows {
		volume, after, err := windowsVolume(raw)
		if err != nil {
			return Parsed{}, err
		}
		if volume != "" {
			p.volume, rest, abs = volume, after, true
		}
	} else if raw[0] == '/' {
		abs = true
	}
	if !abs {
		base, after, err := c.base(raw)
		if err != nil {
			return Parsed{}, err
		}
		b, ok := splitBase(base, p.windows)
		if !ok {
			return Parsed{}, &Error{ReasonRelative, "has nothing absolute to be relative to", "Give an absolute path."}
		}
		p.volume, start, rest = b.volume, b.parts, after
	}
	if err := p.walk(raw[:len(raw)-len(rest)], rest, start, c.Style == StyleAbsolute); err != nil {
		return Parsed{}, err
	}
	if len(p.Abs()) > MaxBytes {
		return Parsed{}, tooLong()
	}
	return p, nil
}

func isWindows(goos string) bool {
	if goos == "" {
		goos = runtime.GOOS
	}
	return goos == "windows"
}

func tooLong() *Error {
	return &Error{ReasonLong, "is longer than " + strconv.Itoa(MaxBytes) + " bytes", "Give a shorter path."}
}

func checkText(raw string) error {
	switch {
	case raw == "":
		return &Error{ReasonEmpty, "is empty", "Give a path."}
	case len(raw) > maxRaw, len(raw) > MaxBytes && !strings.Contains(raw, "$'"):
		return tooLong()
	case strings.IndexByte(raw, 0) >= 0:
		return &Error{ReasonNUL, "holds a NUL character", "No file name can hold one; give the path without it."}
	case !utf8.ValidString(raw):
		return &Error{ReasonNotUTF8, "is not valid UTF-8",
			`Write such a name in the escaped form that listings show, as in $'caf\xE9.txt'.`}
	}
	return nil
}

// base gives what a path that is not absolute starts from, and the rest.
func (c Context) base(raw string) (base, rest string, err error) {
	switch c.Style {
	case StyleAbsolute:
		return "", "", &Error{ReasonRelative, "is not absolute", "Give an absolute path."}
	case StyleFirstRoot, StyleHome:
		if raw[0] != '~' {
			break
		}
		if len(raw) > 1 && !isSeparator(raw[1], isWindows(c.GOOS)) {
			return "", "", &Error{ReasonTilde, "starts with ~ and a name, and homes of other users are not looked up",
				"Give an absolute path; a file whose own name starts with ~ is written ./~name."}
		}
		if c.Home == "" {
			return "", "", &Error{ReasonTilde, "starts with ~, and no home folder is known", "Give an absolute path."}
		}
		return c.Home, raw[1:], nil
	}
	base = c.Base
	if c.Style == StyleHome {
		base = c.Home
	}
	if base == "" {
		return "", "", &Error{ReasonRelative, "is relative, and there is no folder that it could be relative to",
			"Give an absolute path."}
	}
	return base, raw, nil
}

// splitBase reads a trusted absolute path, without escapes.
func splitBase(base string, windows bool) (Parsed, bool) {
	p := Parsed{windows: windows}
	rest := base
	if windows {
		volume, after, err := windowsVolume(base)
		if err != nil || volume == "" {
			return p, false
		}
		p.volume, rest = volume, after
	} else if !strings.HasPrefix(base, "/") {
		return p, false
	}
	for rest != "" {
		n := 0
		for n < len(rest) && !isSeparator(rest[n], windows) {
			n++
		}
		p.push(rest[:n])
		rest = rest[min(n+1, len(rest)):]
	}
	return p, true
}

func (p *Parsed) push(name string) {
	switch name {
	case "", ".":
	case "..":
		p.parts = p.parts[:max(0, len(p.parts)-1)]
	default:
		p.parts = append(p.parts, name)
	}
}

// walk reads the components of rest after those of start. Prefix is the text
// in front of rest, for showing.
func (p *Parsed) walk(prefix, rest string, start []string, noDots bool) error {
	p.parts = append(make([]string, 0, len(start)+strings.Count(rest, "/")+1), start...)
	var shown strings.Builder
	shown.WriteString(escapeEach(prefix))
	for rest != "" {
		if isSeparator(rest[0], p.windows) {
			shown.WriteByte(rest[0])
			rest = rest[1:]
			p.folder = true
			continue
		}
		name, n, err := p.component(rest)
		if err != nil {
			return err
		}
		dots := name == "." || name == ".."
		if dots && noDots {
			return &Error{ReasonDots, "has a " + name + " component", "Give the absolute path without . and .. in it."}
		}
		if p.windows && !dots {
			if err := windowsComponent(name); err != nil {
				return err
			}
		}
		p.folder = dots
		p.push(name)
		shown.WriteString(Escape(name))
		rest = rest[n:]
	}
	p.shown = bound(shown.String())
	return nil
}

// component reads one component at the start of s, and how many bytes of s it
// took. An escaped one is undone, and must name one ordinary name.
func (p *Parsed) component(s string) (string, int, error) {
	n := 0
	if !strings.HasPrefix(s, "$'") {
		for n < len(s) && !isSeparator(s[n], p.windows) {
			n++
		}
		return s[:n], n, nil
	}
	for n = 2; n < len(s) && s[n] != '\''; n++ {
		if s[n] == '\\' {
			n++
		}
	}
	n++
	const again = `Write each name by itself in the form that listings show, as in folder/$'caf\xE9.txt'.`
	if n > len(s) || n < len(s) && !isSeparator(s[n], p.windows) {
		return "", 0, &Error{ReasonEscape, "has a component that starts with $' and does not end with '", again}
	}
	name, exact, err := UnescapeExact(s[:n])
	if err != nil {
		return "", 0, &Error{ReasonEscape, "has a $'…' component with an escape that is not known", again +
			` Known escapes are \\ \' \n \r \t \xHH \uHHHH \UHHHHHHHH.`}
	}
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") ||
		p.windows && strings.Contains(name, `\`) {
		return "", 0, &Error{ReasonEscape, "has a $'…' component that is not one file name", again}
	}
	if !exact {
		return "", 0, &Error{ReasonEscape, "has the component " + bound(Visible(s[:n])) + ", which is not how any name is shown",
			"Write " + bound(Escape(name)) + ", or, for a file that is itself named so, " + bound(Escape(s[:n])) + "."}
	}
	return name, n, nil
}

func isSeparator(b byte, windows bool) bool { return b == '/' || windows && b == '\\' }

// Abs is the absolute path, clean by its text, raw bytes, without a trailing
// slash unless it is the root itself.
func (p Parsed) Abs() string {
	if !p.windows {
		return "/" + strings.Join(p.parts, "/")
	}
	if len(p.parts) == 0 && strings.HasPrefix(p.volume, `\\`) {
		return p.volume
	}
	return p.volume + `\` + strings.Join(p.parts, `\`)
}

// Components are those of Abs, raw and without the volume. The caller owns
// the slice.
func (p Parsed) Components() []string { return append([]string(nil), p.parts...) }

// Shown is what the caller wrote, with odd names escaped, at most about a
// thousand bytes.
func (p Parsed) Shown() string { return p.shown }

// Folder reports whether the path was written as a folder's: with a trailing
// slash, or with . or .. at the end.
func (p Parsed) Folder() bool { return p.folder }

// Volume is the drive (`C:`, always upper case) or share (`\\server\share`)
// of a path on Windows, empty elsewhere.
func (p Parsed) Volume() string { return p.volume }

// IsZero reports a Parsed that did not come from Parse.
func (p Parsed) IsZero() bool { return p.shown == "" }
