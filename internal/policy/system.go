package policy

import "strings"

// system is how paths are spelled on one kind of computer. It is text only.
type system struct{ windows bool }

func systemOf(goos string) system { return system{windows: goos == "windows"} }

func (s system) sep() string {
	if s.windows {
		return `\`
	}
	return "/"
}

func (s system) isSep(c byte) bool { return c == '/' || s.windows && c == '\\' }

// volume is the length of a drive or share in front: `C:`, `\\server\share`.
func (s system) volume(p string) int {
	if !s.windows {
		return 0
	}
	if len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z') {
		return 2
	}
	if len(p) < 2 || !s.isSep(p[0]) || !s.isSep(p[1]) {
		return 0
	}
	server := 2
	for server < len(p) && !s.isSep(p[server]) {
		server++
	}
	share := server + 1
	for share < len(p) && !s.isSep(p[share]) {
		share++
	}
	if name := p[2:server]; name == "" || name == "." || name == "?" || share <= server+1 {
		return 0 // devices, and no share at all
	}
	return share
}

// plain takes the verbatim prefix off a Windows path.
func (s system) plain(p string) string {
	if s.windows {
		if rest, ok := strings.CutPrefix(p, `\\?\UNC\`); ok {
			return `\\` + rest
		}
		return strings.TrimPrefix(p, `\\?\`)
	}
	return p
}

// isAbs reports whether the path means the same wherever one stands.
func (s system) isAbs(p string) bool {
	p = s.plain(p)
	v := s.volume(p)
	if s.windows {
		return v > 2 || v == 2 && len(p) > 2 && s.isSep(p[2])
	}
	return strings.HasPrefix(p, "/")
}

// split gives the components of an absolute path, the volume first. Empty
// and "." components go, ".." goes with the component before it.
func (s system) split(p string) []string {
	p = s.plain(p)
	var parts []string
	v := s.volume(p)
	if v > 0 {
		parts = append(parts, strings.ReplaceAll(p[:v], "/", `\`))
	}
	return s.cut(parts, p[v:])
}

// components splits a path without a volume.
func (s system) components(p string) []string { return s.cut(nil, p) }

func (s system) cut(parts []string, p string) []string {
	first := len(parts)
	for p != "" {
		n := 0
		for n < len(p) && !s.isSep(p[n]) {
			n++
		}
		switch c := p[:n]; c {
		case "", ".":
		case "..":
			if len(parts) > first {
				parts = parts[:len(parts)-1]
			}
		default:
			parts = append(parts, c)
		}
		if p = p[n:]; p != "" {
			p = p[1:]
		}
	}
	return parts
}

// join makes an absolute path of components as split gives them.
func (s system) join(parts []string) string {
	if !s.windows {
		return "/" + strings.Join(parts, "/")
	}
	if len(parts) == 1 {
		return parts[0] + `\`
	}
	return strings.Join(parts, `\`)
}

// clean is the one spelling of an absolute path.
func (s system) clean(p string) string { return s.join(s.split(p)) }

// below gives the components of p under folder, compared byte for byte.
func (s system) below(p, folder string) ([]string, bool) {
	a, b := s.split(p), s.split(folder)
	if len(a) < len(b) {
		return nil, false
	}
	for i := range b {
		if a[i] != b[i] && !(s.windows && i == 0 && strings.EqualFold(a[i], b[i])) {
			return nil, false
		}
	}
	return a[len(b):], true
}

// expand undoes a leading ~ or ~/. What it gives is not clean yet.
func (s system) expand(p, home string) (string, bool) {
	if home == "" {
		return p, false
	}
	if p == "~" {
		return home, true
	}
	if len(p) > 1 && p[0] == '~' && s.isSep(p[1]) {
		return home + s.sep() + p[2:], true
	}
	return p, false
}
