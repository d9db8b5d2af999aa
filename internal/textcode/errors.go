package textcode

import (
	"fmt"
	"strings"

	"reeve"
)

// ErrShort says that the source ended before its Size: the file became
// shorter while it was read. It matches reeve.Changed too.
var ErrShort error = shortError{}

type shortError struct{}

func (shortError) Error() string        { return "the file became shorter while it was read" }
func (shortError) Is(target error) bool { return target == reeve.Changed }

// BinaryError refuses content that is not text. It matches reeve.Binary.
type BinaryError struct {
	Size int64  // bytes
	Type string // media type by content, "application/octet-stream" if unknown
}

func (e *BinaryError) Error() string {
	return NotText(e.Size, e.Type)
}

// NotText says in plain words what there is in place of text that can be used
// here: how many bytes, and of what, by the media type of a BinaryError.
func NotText(size int64, mediaType string) string {
	bytes := fmt.Sprintf("%d bytes", size)
	if size == 1 {
		bytes = "1 byte"
	}
	charset, isText := strings.CutPrefix(mediaType, "text/plain; charset=")
	switch {
	case mediaType == unknownType:
		return "is not text: " + bytes + " of no type that is known"
	case isText && charset == unknown8Bit:
		return "is not text in an encoding that is read here: " + bytes + ", some of them not UTF-8"
	case isText:
		return "is not text in an encoding that is read here: " + bytes + ", by their look " + charset
	}
	return "is not text: " + bytes + " of " + mediaType
}

// Is matches reeve.Binary.
func (e *BinaryError) Is(target error) bool { return target == reeve.Binary }

// SizeError refuses a file that would have to be checked whole and is too
// large for it. It matches reeve.TooLarge.
type SizeError struct{ Size, Limit int64 } // bytes

func (e *SizeError) Error() string {
	return fmt.Sprintf("is too large to be checked as UTF-8: %d bytes, at most %d are", e.Size, e.Limit)
}

// Is matches reeve.TooLarge.
func (e *SizeError) Is(target error) bool { return target == reeve.TooLarge }

// EncodeError says which character an encoding cannot hold.
type EncodeError struct {
	Encoding string
	At       int  // byte in the string given
	Char     rune // utf8.RuneError if the string is not UTF-8 there
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf("%s cannot hold %#U (byte %d)", e.Encoding, e.Char, e.At)
}

// AskError refuses an Ask that no page can be made for. It matches
// reeve.Invalid.
type AskError struct{ What string }

func (e *AskError) Error() string { return e.What }

// Is matches reeve.Invalid.
func (e *AskError) Is(target error) bool { return target == reeve.Invalid }
