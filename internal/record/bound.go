package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"unicode/utf8"

	"reeve"
)

const (
	detailField = `,"detail":"`
	detailRoom  = len(detailField) + 2*sha256.Size + 1
	cutRoom     = len(`,"cut":""`) + 6*cutMax
	cutMax      = 80
)

// bounded encodes a row. One that is too long for a line is cut, and given
// back whole beside it, to be kept as a detail.
func bounded(b []byte, r *reeve.Row) (body, whole []byte) {
	b = appendRow(b, r)
	if len(b) <= maxBody {
		return b, nil
	}
	whole = append(append([]byte{'{'}, b...), '}')
	if r.Patch != "" { // the first thing that a line does without
		c := *r
		c.Patch = ""
		if b = appendRow(b[:0], &c); len(b)+detailRoom+cutRoom <= maxBody {
			return b, whole
		}
	}
	for _, l := range []limits{{6, 4, 200}, {3, 2, 120}, {1, 1, 60}, {0, 0, 20}} {
		c := l.cut(*r)
		if b = appendRow(b[:0], &c); len(b)+detailRoom+cutRoom <= maxBody {
			break
		}
	}
	return b, whole
}

// limits are how much of a row stays: effects, paths asked for, bytes of each
// text.
type limits struct{ effects, asked, text int }

func (l limits) cut(r reeve.Row) reeve.Row {
	t := func(s string) string { return cutText(s, l.text) }
	effects := make([]reeve.RowEffect, 0, l.effects)
	for _, e := range r.Effects[:min(l.effects, len(r.Effects))] {
		effects = append(effects, reeve.RowEffect{Kind: reeve.EffectKind(t(string(e.Kind))), Path: t(e.Path), To: t(e.To), Before: cutText(e.Before, 45), After: cutText(e.After, 45),
			Temp: cutText(e.Temp, 45), Refused: reeve.Code(t(string(e.Refused))), Rule: t(e.Rule)})
	}
	asked := make([]string, 0, l.asked)
	for _, s := range r.Asked[:min(l.asked, len(r.Asked))] {
		asked = append(asked, t(s))
	}
	r.Effects, r.Asked, r.Patch = effects, asked, ""
	for _, s := range []*string{&r.Event, &r.Call, (*string)(&r.Target), (*string)(&r.Verb), (*string)(&r.Verdict), &r.Rule,
		(*string)(&r.Kind), (*string)(&r.Code), &r.Note, (*string)(&r.Subject.Kind), &r.Subject.Agent, &r.Subject.Door,
		&r.Subject.Session, &r.Subject.Turn, &r.Subject.Connection} {
		*s = t(*s)
	}
	r.Digest = cutText(r.Digest, 64)
	return r
}

// cutText cuts a text to about n bytes, and shows that it did.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)] + "…"
}

// detail keeps a whole row as a file named by its hash, and adds that name to
// the cut row. When it can't be kept, the last row of a call says why it was
// cut: losing it for its length would be worse.
func detail(f *file, body, whole []byte, synced, last bool) ([]byte, error) {
	h := sha256.Sum256(whole)
	name := hex.EncodeToString(h[:])
	switch err := keep(f.root, name, whole, synced); {
	case err == nil:
		return text(body, "detail", name, true), nil
	case last:
		return text(body, "cut", cutText(err.Error(), cutMax), true), nil
	default:
		return body, err
	}
}

// keep creates a detail. One that is there already holds the same bytes.
func keep(root *os.Root, name string, b []byte, synced bool) error {
	if err := root.Mkdir(blobDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	full := path.Join(blobDir, name)
	f, err := root.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		_, err := readDetail(root, name)
		return err
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && synced {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		root.Remove(full)
		return err
	}
	if !synced {
		return nil
	}
	d, err := root.Open(blobDir)
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(d), d.Close())
}

// maxDetail bounds what is read back: a row with many effects, not more.
const maxDetail = 64 << 20

func readDetail(root *os.Root, name string) ([]byte, error) {
	if b, err := hex.DecodeString(name); err != nil || len(b) != sha256.Size {
		return nil, errors.New("the detail has no proper name")
	}
	f, err := openRead(root, path.Join(blobDir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxDetail))
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != name {
		return nil, errors.New("the detail is not what was written")
	}
	return b, nil
}
