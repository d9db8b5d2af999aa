package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// maxDetail bounds a long row in bytes, so that reading one back is bounded.
const maxDetail = 64 << 20

// details is the file beside a segment that holds its long rows whole, one
// JSON object in each line. Segment.mu guards it. Rows name offsets in it and
// no file: a forged row reaches nothing but its own segment's details.
type details struct {
	f      *os.File
	off    int64 // end of the last detail whose row stands
	synced int64 // everything before it is on disk
	named  bool  // so is the file's name
	gone   bool  // to anybody who would read it
}

// place is where a long row stands in the details of its segment.
type place struct {
	At   int64  `json:"at"`     // in bytes from the start
	Size int64  `json:"size"`   // in bytes, without the newline
	Sum  string `json:"sha256"` // of these bytes, hexadecimal
}

// detail puts a whole row into the details of a segment, and its place into
// the cut row. Kept is how many bytes it took; settle takes them in once the
// row stands. When it can't be kept, the last row of a call says why it was
// cut: losing it for its length would be worse.
func (s *Segment) detail(f *file, body, whole []byte, last bool) (_ []byte, kept int64, err error) {
	p, err := s.keep(f, whole)
	switch {
	case err == nil:
		body = append(body, `,"detail":{"at":`...)
		body = strconv.AppendInt(body, p.At, 10)
		body = append(body, `,"size":`...)
		body = strconv.AppendInt(body, p.Size, 10)
		body = text(body, "sha256", p.Sum, true)
		return append(body, '}'), p.Size + 1, nil
	case last:
		return text(body, "cut", cutText(err.Error(), cutMax), true), 0, nil
	}
	return body, 0, err
}

func (s *Segment) keep(f *file, whole []byte) (place, error) {
	if len(whole) > maxDetail {
		return place{}, fmt.Errorf("it is longer than %d MiB", maxDetail>>20)
	}
	if f.details == nil {
		d, err := f.root.OpenFile(detailsOf(f.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return place{}, err
		}
		f.details = &details{f: d}
	}
	d := f.details
	if d.gone {
		return place{}, errors.New("the file of details is gone")
	}
	h := sha256.Sum256(whole)
	if _, err := s.o.hooks.write(d.f, append(whole, '\n'), d.off); err != nil {
		d.f.Truncate(d.off) // for the room; what stays is named by no row
		return place{}, err
	}
	return place{d.off, int64(len(whole)), hex.EncodeToString(h[:])}, nil
}

// settle takes in a detail whose row was written, and takes back one whose row
// was not. A row that may be there all the same keeps its detail.
func (f *file) settle(kept int64, err error) {
	switch d := f.details; {
	case err == nil:
		d.off += kept
	case !f.broken:
		d.f.Truncate(d.off)
	}
}

// lostDetails says what was done to the details behind the writer's back,
// empty when a long row can be put there.
func (f *file) lostDetails() string {
	d := f.details
	if d == nil {
		if _, err := f.root.Lstat(detailsOf(f.name)); err == nil {
			return "the details of the file before this one had their place taken by another file"
		}
		return ""
	}
	links, size, err := linksOf(d.f)
	switch {
	case err != nil:
		return "" // the write itself will tell
	case links == 0:
		d.gone = true
		return "the details of the file before this one were removed while they were written"
	case size < d.off:
		d.gone = true
		return "the details of the file before this one were cut short while they were written"
	}
	return ""
}

// longRows reads the details of one segment. The file is opened with the first
// one that is asked for.
type longRows struct {
	root    *os.Root
	segment string
	f       *os.File
}

func (r *longRows) read(p place) ([]byte, error) {
	if p.At < 0 || p.Size < 2 || p.Size > maxDetail {
		return nil, errors.New("the row names no place that a detail can have")
	}
	if r.f == nil {
		f, err := openRead(r.root, detailsOf(r.segment))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New(detailsOf(r.segment) + " is missing")
		}
		if err != nil {
			return nil, err
		}
		r.f = f
	}
	st, err := r.f.Stat()
	if err != nil {
		return nil, err
	}
	if p.At > st.Size()-p.Size { // before room is made for it
		return nil, errors.New("the file of details ends before it")
	}
	b := make([]byte, p.Size)
	if _, err := io.ReadFull(io.NewSectionReader(r.f, p.At, p.Size), b); err != nil {
		return nil, err
	}
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != p.Sum {
		return nil, errors.New("the detail is not what was written")
	}
	return b, nil
}

func (r *longRows) close() {
	if r.f != nil {
		r.f.Close()
	}
}
