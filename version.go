package reeve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// Version is an opaque token for one state of a file's content: a stamp, and
// a hash of the content where the content was in memory anyway. The zero
// value means "no version": the file was still changing, or does not exist.
type Version struct{ t [versionLen]byte }

// A token is: flags | stamp without ctime (10) | ctime (5) | content (16).
const (
	versionLen    = 32
	flagSet       = 1
	flagHashed    = 2
	flagRacy      = 4
	flagPartial   = 8
	stampAt       = 1
	ctimeAt       = 11
	contentAt     = 16
	versionPrefix = "v1"
)

// NewVersion makes a token. Racy says that the stamp was taken so soon after
// the last change that a later change could carry the same times. Hash is the
// BLAKE3 hash of the whole content, nil if it was not computed.
func NewVersion(s Stamp, racy bool, hash *[32]byte) Version {
	var v Version
	v.t[0] = flagSet
	var b [40]byte
	for i, x := range [5]uint64{s.Device, s.Inode, uint64(s.Birth), uint64(s.Size), uint64(s.MTime)} {
		binary.LittleEndian.PutUint64(b[i*8:], x)
	}
	sum := sha256.Sum256(b[:])
	copy(v.t[stampAt:ctimeAt], sum[:])
	var c [8]byte
	binary.LittleEndian.PutUint64(c[:], uint64(s.CTime))
	sum = sha256.Sum256(c[:])
	copy(v.t[ctimeAt:contentAt], sum[:])
	if racy {
		v.t[0] |= flagRacy
	}
	if hash != nil {
		v.t[0] |= flagHashed
		copy(v.t[contentAt:], hash[:])
	}
	return v
}

// IsZero reports that there is no version.
func (v Version) IsZero() bool { return v.t[0]&flagSet == 0 }

// AsPartial is the same version, marked as told to somebody who was not shown
// the whole file: by a refusal, a page, or a view with parts hidden. It
// compares as before, but licenses no replacement.
func (v Version) AsPartial() Version {
	if !v.IsZero() {
		v.t[0] |= flagPartial
	}
	return v
}

// Partial reports the mark of AsPartial.
func (v Version) Partial() bool { return v.t[0]&flagPartial != 0 }

// Hashed reports whether the content's hash is part of the token.
func (v Version) Hashed() bool { return v.t[0]&flagHashed != 0 }

// Kind names what the token rests on, for results: "hash", "stamp" or "none".
func (v Version) Kind() string {
	switch {
	case v.IsZero():
		return "none"
	case v.Hashed():
		return "hash"
	}
	return "stamp"
}

// Sameness is the answer to whether two versions are the same content.
type Sameness int

const (
	// Unknown asks the caller to compare the content itself.
	Unknown Sameness = iota
	Same
	Different
)

// Compare: equal hashes are the same; an equal stamp that is not racy is the
// same; where only ctime differs the hashes decide, and without both of them
// nobody knows.
func (v Version) Compare(o Version) Sameness {
	if v.IsZero() || o.IsZero() {
		return Unknown
	}
	if v.Hashed() && o.Hashed() {
		if bytes.Equal(v.t[contentAt:], o.t[contentAt:]) {
			return Same
		}
		return Different
	}
	if !bytes.Equal(v.t[stampAt:ctimeAt], o.t[stampAt:ctimeAt]) {
		return Different
	}
	if !bytes.Equal(v.t[ctimeAt:contentAt], o.t[ctimeAt:contentAt]) {
		return Unknown
	}
	if (v.t[0]|o.t[0])&flagRacy != 0 {
		return Unknown
	}
	return Same
}

// bound is the version as a digest binds it: by its content where that is
// known, whenever it was looked at, else by the stamp. Who was told of it, and
// how soon after the last change, must not make another proposal of the same.
func (v Version) bound() string {
	switch {
	case v.IsZero():
		return ""
	case v.Hashed():
		return "content " + string(v.t[contentAt:])
	}
	v.t[0] &^= flagPartial
	return "stamp " + string(v.t[:])
}

// String is the token as callers see it: 45 characters, empty for no version.
func (v Version) String() string {
	if v.IsZero() {
		return ""
	}
	return versionPrefix + base64.RawURLEncoding.EncodeToString(v.t[:])
}

// MarshalText implements encoding.TextMarshaler.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

var errVersion = errors.New("not a version token")

// UnmarshalText implements encoding.TextUnmarshaler.
func (v *Version) UnmarshalText(b []byte) error {
	*v = Version{}
	if len(b) == 0 {
		return nil
	}
	s, ok := bytes.CutPrefix(b, []byte(versionPrefix))
	if !ok || base64.RawURLEncoding.DecodedLen(len(s)) != versionLen {
		return errVersion
	}
	// Decoding skips line breaks, hence the comparison: one token, one text.
	_, err := base64.RawURLEncoding.Strict().Decode(v.t[:], s)
	if err != nil || v.String() != string(b) {
		*v = Version{}
		return errVersion
	}
	return nil
}
