//go:build linux || darwin

package capfs

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"reeve"
	"reeve/internal/pathname"
)

// carry gives a new file what an old one has beside its bytes: owner, mode,
// extended attributes with access lists and labels. What cannot be given is an
// *uncarried. Notes say what is left behind on purpose.
func carry(from *os.File, was Info, to *os.File) (notes []string, err error) {
	err = withFD(from, func(old int) error {
		return withFD(to, func(fd int) error {
			notes, err = carryFD(old, was, fd)
			return err
		})
	})
	return notes, err
}

func carryFD(old int, was Info, fd int) (notes []string, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Uid != was.UID || st.Gid != was.GID {
		if err := unix.Fchown(fd, int(was.UID), int(was.GID)); err != nil {
			return nil, &uncarried{"its owner or group", err}
		}
	}
	mode := keptMode(was.Mode)
	if mode != was.Mode {
		notes = append(notes, "The set-id bits of its mode were dropped, as every write of new bytes drops them.")
	}
	if err := unix.Fchmod(fd, mode); err != nil {
		return nil, &uncarried{"its mode", err}
	}
	more, err := carryAttributes(old, fd)
	if err != nil {
		return nil, err
	}
	if why := carryFlags(old, fd); why != nil {
		more = append(more, "Some flags of the file (see lsattr) could not be given to the new content; the system says: "+bare(why).Error()+".")
	}
	// An access list may have changed the mode, a system without rights may
	// have dropped bits of it without a word.
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if uint32(st.Mode)&0o7777 != mode || st.Uid != was.UID || st.Gid != was.GID {
		return nil, &uncarried{"its mode", syscall.EPERM}
	}
	return append(notes, more...), nil
}

// carryAttributes makes the extended attributes of two files the same.
func carryAttributes(old, fd int) (notes []string, err error) {
	want, err := attributes(old)
	if err != nil {
		return nil, &uncarried{"its extended attributes", err}
	}
	have, err := attributes(fd)
	if err != nil {
		if len(want) > 0 {
			return nil, &uncarried{"its extended attributes", err}
		}
		return nil, nil
	}
	for name := range have {
		if _, ok := want[name]; ok || left(name) {
			continue
		}
		// Given by the folder: a default access list, for one.
		if err := unix.Fremovexattr(fd, name); err != nil && !noAttribute(err) {
			return nil, &uncarried{"its access list", err}
		}
	}
	for name, value := range want {
		switch {
		case name == "security.capability":
			notes = append(notes, "The file capabilities were dropped, as every write of new bytes drops them.")
			continue
		case left(name):
			continue
		}
		if now, ok := have[name]; ok && bytes.Equal(now, value) {
			continue
		}
		if err := unix.Fsetxattr(fd, name, value, 0); err != nil {
			return nil, &uncarried{attributeWord(name), err}
		}
	}
	return notes, nil
}

// likeness gives a copy the attributes and the access list of what was copied.
// What may not be given is said in notes: a copy is whole without it.
func likeness(old int, to *os.File) (notes []string, err error) {
	have, err := attributes(old)
	if err != nil || len(have) == 0 {
		return nil, nil // without a right to read them there is nothing to copy
	}
	err = withFD(to, func(fd int) error {
		for _, name := range slices.Sorted(maps.Keys(have)) {
			if !copies(name) {
				continue
			}
			if err := unix.Fsetxattr(fd, name, have[name], 0); err != nil {
				notes = append(notes, "The copy does not have "+attributeWord(name)+"; the system says: "+bare(err).Error()+".")
			}
		}
		return nil
	})
	if _, ok := have["security.capability"]; ok {
		notes = append(notes, "The copy does not have the file capabilities, which were given to the file that was copied.")
	}
	return notes, err
}

// left are attributes that belong to the bytes, or to the system itself.
func left(name string) bool {
	switch name {
	case "security.capability", "security.ima", "security.evm", "com.apple.provenance":
		return true
	}
	return false
}

func attributeWord(name string) string {
	switch {
	case strings.HasPrefix(name, "system."):
		return "its access list (" + name + ")"
	case strings.HasPrefix(name, "security."):
		return "its security label (" + name + ")"
	}
	return "its attribute " + pathname.Show(name)
}

// attributes reads all extended attributes of an open file; a file system
// without any has none.
func attributes(fd int) (map[string][]byte, error) {
	b, err := sized(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
	if err == syscall.ENOTSUP || err == syscall.ENOSYS || len(b) == 0 && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for name := range strings.SplitSeq(strings.TrimRight(string(b), "\x00"), "\x00") {
		value, err := sized(func(b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
		switch {
		case noAttribute(err): // gone meanwhile
		case err != nil:
			return nil, err
		default:
			all[name] = value
		}
	}
	return all, nil
}

// sized asks for something of unknown size, until the buffer holds it.
func sized(get func([]byte) (int, error)) ([]byte, error) {
	b := make([]byte, 256)
	for {
		n, err := get(b)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == syscall.ERANGE && len(b) < 1<<20 {
			b = make([]byte, len(b)*8)
			continue
		}
		if err != nil {
			return nil, err
		}
		return b[:n], nil
	}
}

// stickyForbids reports that a sticky folder keeps this process from
// replacing a name of another user; the system decides in the end.
func stickyForbids(dir, file Info) bool {
	uid := os.Geteuid()
	return dir.Mode&0o1000 != 0 && uid != 0 && file.UID != uint32(uid) && dir.UID != uint32(uid)
}

// mayBeClosed reports that permissions bind this process at all.
func mayBeClosed() bool { return os.Geteuid() != 0 }

// dress gives a new file or folder what is told of it. What may not be given
// is said in notes, but for the mode, which is an error.
func dress(f *os.File, m reeve.Meta) (notes []string, err error) {
	err = withFD(f, func(fd int) error {
		if m.Owner != nil {
			if err := unix.Fchown(fd, int(m.Owner.UID), int(m.Owner.GID)); err != nil {
				notes = append(notes, "Its owner could not be given back.")
			}
		}
		for _, x := range m.XAttrs {
			if err := unix.Fsetxattr(fd, x.Name, x.Value, 0); err != nil {
				notes = append(notes, "Its attribute "+pathname.Show(x.Name)+" could not be given back.")
			}
		}
		if err := unix.Fchmod(fd, m.Mode&0o7777); err != nil {
			return err
		}
		return setTime(fd, m.MTime)
	})
	return notes, err
}

// stamp sets the time of the last change, in Unix nanoseconds; 0 leaves it.
func stamp(f *os.File, mtime int64) error {
	return withFD(f, func(fd int) error { return setTime(fd, mtime) })
}

// ungiven guesses whether a new file could not be given an old one's owner.
func ungiven(was Info) (why string) {
	uid := os.Geteuid()
	if uid == 0 {
		return ""
	}
	groups, _ := os.Getgroups()
	if was.UID != uint32(uid) || was.GID != uint32(os.Getegid()) && !slices.Contains(groups, int(was.GID)) {
		return "its owner or group cannot be given to a new file"
	}
	return ""
}
