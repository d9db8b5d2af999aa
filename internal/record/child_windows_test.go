package record

import (
	"errors"

	"golang.org/x/sys/windows"
)

const errFull = windows.ERROR_DISK_FULL

var errNoSuchThing = errors.ErrUnsupported
