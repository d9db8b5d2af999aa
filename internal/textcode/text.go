package textcode

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/zeebo/blake3"
)

// SmallFile is the size in bytes up to which a file is read whole, in one
// read, hashed, and its lines counted.
const SmallFile = 1 << 20

// The rules that tell text from binary.
const (
	// BinaryNUL: the character NUL in the first 8 KiB. UTF-16 with its byte
	// order mark is text.
	BinaryNUL = "nul"
	// BinaryNULByte: a byte of value 0 in the first 8 KiB, whatever the
	// encoding, so that UTF-16 is binary too.
	BinaryNULByte = "nul-byte"
	// BinaryUTF8: whatever is not valid UTF-8 as a whole, or has a NUL in the
	// first 8 KiB. A file of over SmallFile is read whole for it once per
	// Index, and one of over MaxChecked is refused with a *SizeError.
	BinaryUTF8 = "utf8"
)

// MaxChecked is the largest file, in bytes, that BinaryUTF8 looks through.
const MaxChecked = 256 << 20

// Options say how a text is opened. The zero value is the strictest: valid
// UTF-8 only, no index.
type Options struct {
	// Binary is one of the Binary rules; empty or unknown is BinaryUTF8.
	Binary string
	// Index is what earlier calls learned about this very version, or nil.
	Index *Index
}

// Text is one version of one file, recognised as text. It is for one
// goroutine; it holds no resources to be released.
type Text struct {
	blocks
	enc    Encoding
	ends   ends
	start  int64 // after the byte order mark
	small  bool  // buf is all of it
	total  int64 // lines of a small file
	seen   endsSeen
	index  *Index // nil only if small
	hash   *[32]byte
	hashed [32]byte
}

// Open reads the beginning of src (all of it up to SmallFile bytes), tells
// encoding and endings, and refuses what is not text with a *BinaryError. A
// source shorter than its Size is ErrShort; errors of ReadAt and of ctx are
// given back as they are.
func Open(ctx context.Context, src Source, o Options) (*Text, error) {
	return open(ctx, src, o, usual())
}

func open(ctx context.Context, src Source, o Options, sz sizes) (*Text, error) {
	t := &Text{blocks: blocks{sizes: sz, src: src, size: src.Size()}, index: o.Index}
	head := t.head
	if t.small = t.size <= t.smallFile; t.small {
		head = int(t.size)
	} else if t.index == nil {
		t.index = NewIndex()
	}
	p, err := t.peek(ctx, 0, head)
	if err != nil {
		return nil, err
	}
	var utf32 string
	var mark int
	t.enc, mark, utf32 = byMark(p)
	t.start = int64(mark)
	t.ends = ends{unit: t.enc.Unit(), big: t.enc.big}
	if err := t.refuseBinary(ctx, o.Binary, p, utf32); err != nil {
		return nil, err
	}
	if p, err = t.peek(ctx, 0, head); err != nil { // the check may have moved on
		return nil, err
	}
	t.lookAtEndings(p[mark:max(mark, min(head, len(p)))])
	return t, nil
}

func (t *Text) refuseBinary(ctx context.Context, rule string, head []byte, utf32 string) error {
	var binary bool
	switch rule {
	case BinaryNUL:
		binary = utf32 != "" || hasNUL(t.enc, head, int(t.start))
	case BinaryNULByte:
		binary = bytes.IndexByte(head[:min(len(head), sniffBytes)], 0) >= 0
	default:
		switch {
		case utf32 != "" || t.enc != UTF8() || hasNUL(t.enc, head, int(t.start)):
			binary = true
		case t.small:
			binary = !utf8.Valid(head)
		case t.size > MaxChecked:
			return &SizeError{Size: t.size, Limit: MaxChecked}
		case !t.index.isUTF8():
			kind := mediaType(head, utf32) // head is gone after the check
			ok, err := t.checkWhole(ctx)
			if err != nil {
				return err
			}
			if !ok {
				return &BinaryError{Size: t.size, Type: kind}
			}
		}
	}
	if binary {
		return &BinaryError{Size: t.size, Type: mediaType(head, utf32)}
	}
	return nil
}

// lookAtEndings decides whether this is a text of lone CRs, and counts the
// lines of a small one.
func (t *Text) lookAtEndings(head []byte) {
	if t.ends.index(head, '\n') < 0 {
		cr := t.ends.index(head, '\r')
		// A CR that ends the head of a larger file may be half of a CRLF.
		all := t.start+int64(len(head)) == t.size
		t.ends.mac = cr >= 0 && (all || cr+t.ends.unit < len(head))
	}
	t.seen.all(t.ends, head, t.small)
	if t.small {
		t.total = t.ends.count(head, true)
		if n := len(head); n > 0 && t.ends.after(head, true) != n {
			t.total++
		}
	}
}

// Encoding is how the text is encoded.
func (t *Text) Encoding() Encoding { return t.enc }

// BOM reports whether a byte order mark stands in front.
func (t *Text) BOM() bool { return t.start > 0 }

// Hash is the BLAKE3 hash of all bytes, the byte order mark included, or nil
// if not all of them were read.
func (t *Text) Hash() *[32]byte {
	if t.hash == nil {
		switch {
		case t.small:
			t.hashed = blake3.Sum256(t.buf)
			t.hash = &t.hashed
		default:
			t.hash = t.index.getHash()
		}
	}
	return t.hash
}
