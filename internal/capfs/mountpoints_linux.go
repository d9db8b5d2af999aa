package capfs

import (
	"bytes"
	"strings"

	"golang.org/x/sys/unix"
)

// MountPoints implements MountPointer, from the kernel's own table.
func (l *linuxLayer) MountPoints() []string {
	fd, err := retry(func() (int, error) {
		return unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var all []byte
	buf := make([]byte, 16<<10)
	for {
		n, err := retry(func() (int, error) { return unix.Read(fd, buf) })
		if err != nil || n == 0 {
			return parseMountPoints(all)
		}
		all = append(all, buf[:n]...)
	}
}

// parseMountPoints takes the fifth field of each line.
func parseMountPoints(table []byte) []string {
	var out []string
	for line := range bytes.Lines(table) {
		fields := bytes.Fields(line)
		if len(fields) > 4 && fields[4][0] == '/' {
			out = append(out, unoctal(string(fields[4])))
		}
	}
	return out
}

// unoctal undoes the table's way of writing blanks and backslashes: \040.
func unoctal(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			n, ok := 0, true
			for _, c := range []byte(s[i+1 : i+4]) {
				ok = ok && c >= '0' && c <= '7'
				n = n*8 + int(c-'0')
			}
			if ok && n < 256 {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
