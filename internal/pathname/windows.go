package pathname

import "strings"

// windowsVolume splits a volume off. No volume and no error means that the
// path is relative; a path without a drive but with a root, or with a drive
// and no root, means what this process's current folder happens to be, and is
// refused.
func windowsVolume(raw string) (volume, rest string, err error) {
	sep := func(i int) bool { return i < len(raw) && isSeparator(raw[i], true) }
	switch {
	case strings.HasPrefix(raw, `\??\`):
		return "", "", deviceSpace()
	case sep(0) && sep(1):
		return share(raw)
	case sep(0):
		return "", "", &Error{ReasonVolume, "has no drive", `Start the path with its drive, as in C:\folder.`}
	case len(raw) >= 2 && raw[1] == ':' && isLetter(raw[0]):
		if !sep(2) {
			return "", "", &Error{ReasonVolume, "has a drive without a root", `Write a backslash after the drive, as in C:\folder.`}
		}
		return strings.ToUpper(raw[:1]) + ":", raw[2:], nil
	}
	return "", raw, nil
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func deviceSpace() *Error {
	return &Error{ReasonDevice, "is in the device namespace", `Write it as a plain path, as in C:\folder or \\server\share\folder.`}
}

func share(raw string) (volume, rest string, err error) {
	field := func(s string) (string, string) {
		for i := range len(s) {
			if isSeparator(s[i], true) {
				return s[:i], s[i+1:]
			}
		}
		return s, ""
	}
	server, after := field(raw[2:])
	name, _ := field(after)
	if server == "?" || server == "." {
		return "", "", deviceSpace()
	}
	for _, s := range []string{server, name} {
		if s == "" || s == "." || s == ".." || windowsComponent(s) != nil || IsOdd(s) {
			return "", "", &Error{ReasonVolume, "does not name a server and a share", `Write it as \\server\share\folder.`}
		}
	}
	used := 2 + len(server) + 1 + len(name)
	return `\\` + server + `\` + name, raw[used:], nil
}

// windowsComponent refuses what Windows would read as something else than
// the name that is written: rules and questions speak of the written one.
func windowsComponent(name string) error {
	if what := windowsNameProblem(name); what != "" {
		reason := ReasonComponent
		if isDevice(name) {
			reason = ReasonDevice
		}
		return &Error{reason, "has a component that " + what, "Give the name as the folder's listing shows it."}
	}
	return nil
}

func windowsNameProblem(name string) string {
	switch {
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return "ends with a dot or a space, which Windows drops"
	case strings.Contains(name, ":"):
		return "holds a colon, which names a stream of a file on Windows"
	case strings.ContainsAny(name, `<>"|?*\/`):
		return `holds one of < > " | ? * \ /, which Windows does not allow in names`
	case strings.IndexFunc(name, func(r rune) bool { return r < 0x20 }) >= 0:
		return "holds a control character"
	case isDevice(name):
		return "is a device on Windows"
	}
	return ""
}

// isDevice reports the names that are devices in every folder, with any
// extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem, _, _ = strings.Cut(stem, ":")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	head, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		head, ok = strings.CutPrefix(stem, "LPT")
	}
	if !ok {
		return false
	}
	switch head {
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}
