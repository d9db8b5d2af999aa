package capfs

import "fmt"

// uncarried says what of an old file a new one cannot be given. The old file
// is then written in place, where it keeps everything.
type uncarried struct {
	what  string
	cause error
}

func (u *uncarried) Error() string { return fmt.Sprintf("%s cannot be kept: %v", u.what, u.cause) }

func (u *uncarried) Unwrap() error { return u.cause }

// keptMode is what of a mode new bytes may have. As with every write by an
// ordinary user, the bits that lend rights to whoever runs the file go: they
// were given to the old bytes.
func keptMode(mode uint32) uint32 {
	mode &^= 0o4000
	if mode&0o010 != 0 {
		mode &^= 0o2000
	}
	return mode
}
