package history

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/zeebo/blake3"

	"reeve"
)

// Blobs hold content as it is; a compressed form would get a name of its own
// beside the hash, which is always that of the content.

const chunk = 256 << 10

var errTooLarge = errors.New("too large")

// pending is content in the tmp folder, on its way to being a blob. Until the
// entry that names it is written, the tmp file stays: a process that prunes
// may let go of a blob that nothing named yet.
type pending struct {
	tmp  string
	f    *os.File
	hash string
	size int64
	had  bool // a blob of that content was there already
	// taken is what a change displaced, in the tmp folder: tmp itself, or what
	// it is a copy of. It stays until its entry is written.
	taken  string
	done   bool
	xattrs []reeve.XAttr // of the file that it came from
}

// drop takes the tmp file away. What was taken, and is not entered, stays for
// the next start; left says so.
func (p *pending) drop(h *house) (left bool) {
	p.close()
	if p.tmp != p.taken {
		h.tmp.Remove(path.Base(p.tmp))
	}
	if p.taken != "" && p.done {
		h.tmp.Remove(path.Base(p.taken))
	}
	return p.taken != "" && !p.done
}

// close lets go of what is open.
func (p *pending) close() {
	if p.f != nil {
		p.f.Close()
		p.f = nil
	}
}

// stage brings a displaced file into the tmp folder: itself where it can be
// taken, else a copy. What the note tells is written down before it is taken; without one, only
// parts of what was taken already are.
func (s *Store) stage(ctx context.Context, h *house, d Displaced, l *note) (*pending, error) {
	t, ok := d.(Taker)
	if _, own := d.(takenThing); ok && (own || l != nil) {
		p, err := s.take(context.WithoutCancel(ctx), h, t, l)
		if p != nil || err != nil {
			return p, err
		}
	}
	r, err := d.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := s.copy(ctx, h, io.NewSectionReader(r, 0, 1<<62), s.o.FileBytes)
	if err != nil {
		return nil, err
	}
	switch l := r.(type) {
	case interface{ Fd() uintptr }:
		p.xattrs = xattrs(l.Fd())
	case Lender:
		l.Lend(func(fd uintptr) error { p.xattrs = xattrs(fd); return nil })
	}
	return p, nil
}

// take gives nil where the file could not be taken, and is still where it was.
func (s *Store) take(ctx context.Context, h *house, t Taker, l *note) (*pending, error) {
	p := &pending{tmp: s.tmp(h.root)}
	others := uint64(1) // names that it may have
	if _, own := t.(takenThing); own {
		others = 2 // it keeps the one that it had
	} else {
		name, ok := s.noteTaken(h, p.tmp, l)
		if !ok {
			return nil, nil
		}
		p.tmp, p.taken = name, name
	}
	if taken, _ := t.TakeInto(h.tmpDir, path.Base(p.tmp)); !taken {
		return nil, nil // why does not matter: a copy is tried next
	}
	base := path.Base(p.tmp)
	st, err := h.tmp.Lstat(base)
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New("what was taken is no plain file")
	}
	if err == nil {
		p.f, err = h.tmp.Open(base)
	}
	if err == nil && (names(st) > others || !private(st) && p.f.Chmod(0o600) != nil) {
		// Another name leads to the same bytes, or they are another user's:
		// only a copy stays as it is.
		c, err := s.copy(ctx, h, p.f, s.o.FileBytes)
		if c != nil {
			c.xattrs = xattrs(p.f.Fd())
			c.taken = p.taken // goes with the copy
		}
		p.drop(h)
		return c, err
	}
	if err == nil {
		p.xattrs = xattrs(p.f.Fd())
		p.hash, p.size, err = s.sum(ctx, p.f, s.o.FileBytes)
	}
	if err != nil {
		p.drop(h)
		return nil, err
	}
	return p, nil
}

// noteTaken says what is about to be taken, under which name. Not ok: nothing
// may be taken.
func (s *Store) noteTaken(h *house, tmp string, l *note) (name string, ok bool) {
	n := s.notes(h.root)
	if n == nil || l == nil || tokenOf(path.Base(tmp)) != n.token {
		return tmp, false
	}
	tmp += takenEnd
	l.Name = path.Base(tmp)
	n.write(*l)
	return tmp, true
}

func (s *Store) copy(ctx context.Context, h *house, from io.Reader, most int64) (*pending, error) {
	p := &pending{tmp: s.tmp(h.root)}
	var err error
	if p.f, err = h.tmp.OpenFile(path.Base(p.tmp), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	hash := s.hashers.Get().(*blake3.Hasher)
	defer s.hashers.Put(hash)
	hash.Reset()
	p.size, err = s.pour(ctx, io.MultiWriter(p.f, hash), from, most)
	if err != nil {
		p.drop(h)
		return nil, err
	}
	p.hash = hex.EncodeToString(hash.Sum(nil))
	return p, nil
}

// pour copies at most so many bytes; more is errTooLarge.
func (s *Store) pour(ctx context.Context, to io.Writer, from io.Reader, most int64) (n int64, err error) {
	lent := s.chunks.Get().(*[]byte)
	defer s.chunks.Put(lent)
	b := *lent
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		k, rerr := from.Read(b)
		if n += int64(k); n > most {
			return n, errTooLarge
		}
		if _, err := to.Write(b[:k]); err != nil {
			return n, err
		}
		if rerr == io.EOF {
			return n, nil
		}
		if rerr != nil {
			return n, rerr
		}
	}
}

func (s *Store) sum(ctx context.Context, from io.Reader, most int64) (hash string, n int64, err error) {
	h := s.hashers.Get().(*blake3.Hasher)
	defer s.hashers.Put(h)
	h.Reset()
	n, err = s.pour(ctx, h, from, most)
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// publish gives content its name. Where that name is there already, what it
// holds is looked at, and replaced when it is damaged.
func (s *Store) publish(ctx context.Context, h *house, p *pending) error {
	name := blobName(p.hash)
	now := s.o.Now()
	for range 3 {
		err := s.link(h, p, name)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return err
		}
		if !s.whole(ctx, h, name, p) {
			s.o.Report(name, "was damaged, and is replaced by the same content")
			return s.replace(ctx, h, p, name)
		}
		if err := h.root.Chtimes(name, now, now); err == nil {
			p.had = true
			return nil
		} // it went meanwhile
	}
	return errors.New("other processes keep removing what is kept")
}

// link gives the tmp file the blob's name, which must be free. On a file
// system without links a copy gets it.
func (s *Store) link(h *house, p *pending, name string) error {
	err := linkFile(h, p.tmp, name)
	if err == nil || errors.Is(err, fs.ErrExist) || !unlinkable(err) {
		return err
	}
	if _, err := h.root.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return s.replace(context.Background(), h, p, name)
}

// replace puts a durable copy of the tmp file in the blob's place.
func (s *Store) replace(ctx context.Context, h *house, p *pending, name string) error {
	from, err := h.root.Open(p.tmp)
	if err != nil {
		return err
	}
	defer from.Close()
	second, err := s.copy(ctx, h, from, p.size)
	if err != nil {
		return err
	}
	defer second.drop(h)
	if err := syncData(second.f); err != nil {
		return err
	}
	return h.root.Rename(second.tmp, name)
}

func (s *Store) whole(ctx context.Context, h *house, name string, p *pending) bool {
	st, err := h.root.Lstat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() != p.size {
		return false
	}
	f, err := h.root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	hash, _, err := s.sum(ctx, f, p.size)
	return err == nil && hash == p.hash && syncData(f) == nil
}

// Open opens kept content by the hash that an entry or a manifest names. The
// last Read fails with reeve.Damaged, in place of io.EOF, when what was read
// is not what was kept.
func (s *Store) Open(ctx context.Context, hash string) (io.ReadCloser, int64, error) {
	if !properHash(hash) {
		return nil, 0, gone(hash)
	}
	root, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, gone(hash)
	}
	if err != nil {
		return nil, 0, failed("history", "a kept copy could not be read", err)
	}
	defer root.Close()
	name := blobName(hash)
	for _, n := range []string{name, name + oldEnd, name} {
		st, err := root.Lstat(n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && !st.Mode().IsRegular() {
			return nil, 0, damaged(n)
		}
		var f *os.File
		if err == nil {
			f, err = root.Open(n)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, failed("history", "a kept copy could not be read", err)
		}
		return &checked{ctx: ctx, f: f, h: blake3.New(), hash: hash, name: n, size: st.Size()}, st.Size(), nil
	}
	return nil, 0, gone(hash)
}

// Check reads kept content and says whether it is whole.
func (s *Store) Check(ctx context.Context, hash string, size int64) error {
	r, n, err := s.Open(ctx, hash)
	if err != nil {
		return err
	}
	defer r.Close()
	if n != size {
		return damaged(blobName(hash))
	}
	_, err = io.Copy(io.Discard, r)
	return err
}

func gone(hash string) error {
	return &reeve.Error{Op: "history", Kind: reeve.IO, Code: reeve.NotFound, What: "the copy is no longer kept",
		Instead: "Copies are kept for a number of days and bytes only; what is oldest goes first."}
}

func damaged(name string) error {
	return &reeve.Error{Op: "history", Path: path.Join(top, name), Kind: reeve.IO, Code: reeve.Damaged,
		What: "in the state folder is damaged: it is not what was kept", Instead: "The other copies are not touched by this. A backup of the state folder may hold it."}
}

// checked reads a blob and compares its hash at the end.
type checked struct {
	ctx  context.Context
	f    *os.File
	h    *blake3.Hasher
	hash string
	name string
	size int64
	read int64
}

// Read implements io.Reader.
func (c *checked) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.f.Read(b)
	c.h.Write(b[:n])
	c.read += int64(n)
	if err == io.EOF && hex.EncodeToString(c.h.Sum(nil)) != c.hash {
		return n, damaged(c.name)
	}
	if err != nil && err != io.EOF {
		err = failed("history", "a kept copy could not be read", err)
	}
	return n, err
}

// Close implements io.Closer.
func (c *checked) Close() error { return c.f.Close() }
