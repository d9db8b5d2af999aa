package ops

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/guard"
)

// maxEdited is the largest file, in bytes, whose text is changed: it stands
// in memory for it.
const maxEdited = 256 << 20

// original is a file as it stood still while it was read.
type original struct {
	bytes   []byte
	version reeve.Version // with the content's hash
}

// load reads the whole file of an intent to read, which must lead to the
// place that is to be changed.
func load(ctx context.Context, v *guard.View, i int, change reeve.Place, verb reeve.Verb) (original, error) {
	s := v.At(i)
	if s.Err != nil {
		return original{}, unchanged(s.Err)
	}
	// Another thing at the same place is met by the gate's own comparison
	// before the swap, which then looks anew.
	if s.Place().Key() != change.Key() {
		return original{}, ledElsewhere(verb, s.Shown())
	}
	most := int64(maxEdited)
	if m := v.Settings().MaxFileBytes; m > 0 && m < most {
		most = m
	}
	for try := 1; ; try++ {
		o, err := loadOnce(ctx, v, i, most, verb)
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, errMoving) || try == tries {
			return original{}, stillRefusal(verb, s.Shown(), err)
		}
		if err := ctx.Err(); err != nil {
			return original{}, err
		}
	}
}

func loadOnce(ctx context.Context, v *guard.View, i int, most int64, verb reeve.Verb) (original, error) {
	f, err := v.Open(ctx, i)
	if err != nil {
		return original{}, unchanged(err)
	}
	defer f.Close()
	if f.Size() > most {
		return original{}, tooLarge(verb, v.At(i).Shown(), fmt.Sprintf("is %s bytes, and files of over %s are not changed here", grouped(f.Size()), grouped(most)),
			"Split the file, or work on a smaller one.")
	}
	b, err := readStillAll(ctx, f)
	if err != nil {
		return original{}, err
	}
	sum := blake3.Sum256(b)
	return original{bytes: b, version: f.Version(&sum)}, nil
}

// readWhole reads all of a file. It fails with errMoving when the file is
// not the same before and after.
func readWhole(ctx context.Context, f snapshot) ([]byte, error) {
	const step = 4 << 20
	b := make([]byte, f.Size())
	for off := 0; off < len(b); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.ReadAt(b[off:min(len(b), off+step)], int64(off))
		if off += n; off < len(b) && (err == io.EOF || n == 0) {
			return nil, errMoving // it has become shorter
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	return b, stoodStill(f)
}

func stoodStill(f snapshot) error {
	now, err := f.fresh()
	if err != nil {
		return err
	}
	if now != f.stamp {
		return errMoving
	}
	return nil
}

// hashWhole hashes all of a file without holding it in memory.
func hashWhole(ctx context.Context, f snapshot) (sum [32]byte, err error) {
	h := blake3.New()
	b := make([]byte, min(f.Size(), 256<<10))
	for off := int64(0); off < f.Size(); {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		n, err := f.ReadAt(b[:min(int64(len(b)), f.Size()-off)], off)
		h.Write(b[:n])
		if off += int64(n); off < f.Size() && (err == io.EOF || n == 0) {
			return sum, errMoving
		}
		if err != nil && err != io.EOF {
			return sum, err
		}
	}
	h.Sum(sum[:0])
	return sum, stoodStill(f)
}

// stillRefusal says that a file did not stand still. Other errors are given
// back as they are.
func stillRefusal(verb reeve.Verb, shown string, err error) error {
	if !errors.Is(err, errMoving) {
		return err
	}
	return &reeve.Error{Op: string(verb), Path: shown, Kind: reeve.IO, Code: reeve.Changed, Cause: err,
		What: "is being changed by another program right now", Not: notChanged, Instead: "Try again in a moment."}
}
