package ops

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// cursor says where an answer ended. It is the whole memory between two
// calls: the caller carries it. It gives no right to anything; all that it
// can do is to leave out what comes before a name.
type cursor struct {
	query  [8]byte // of the arguments, so that it serves no other question
	folder [8]byte // of the start's identity
	mtime  int64   // of the start, in Unix nanoseconds
	now    int64   // the moment that ages of the first call were counted from
	sort   byte    // sortList, sortTree, sortPath or sortNewest
	isDir  bool    // the last entry is a folder
	time   int64   // its time, for sortNewest; else that of the folder it is in
	rel    string  // its path relative to the start, raw names
}

const (
	sortList   = 'l'
	sortTree   = 't'
	sortPath   = 'p'
	sortNewest = 'n'
)

const cursorHead = 8 + 8 + 8 + 8 + 1 + 1 + 8

// queryOf is the mark of a call's arguments. The caller takes cursor and page
// size out of it first.
func queryOf(call any) (q [8]byte) {
	b, err := json.Marshal(call)
	if err != nil {
		return q // calls are plain data: it cannot fail
	}
	sum := sha256.Sum256(b)
	copy(q[:], sum[:])
	return q
}

func identityOf(i reeve.Identity) (f [8]byte) {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[0:], i.Device)
	binary.LittleEndian.PutUint64(b[8:], i.Inode)
	binary.LittleEndian.PutUint64(b[16:], uint64(i.Birth))
	sum := sha256.Sum256(b[:])
	copy(f[:], sum[:])
	return f
}

func (c cursor) String() string {
	b := make([]byte, 0, cursorHead+len(c.rel)+4)
	b = append(b, c.query[:]...)
	b = append(b, c.folder[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(c.mtime))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.now))
	b = append(b, c.sort, 0)
	if c.isDir {
		b[len(b)-1] = 1
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(c.time))
	b = append(b, c.rel...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads one that String gave for the same question, and nothing
// else. The checksum finds what was miscopied.
func readCursor(verb reeve.Verb, s string, sort byte, query [8]byte) (cursor, error) {
	bad := func(what string) (cursor, error) {
		return cursor{}, invalid(verb, "cursor", what, "Give the cursor exactly as the last answer showed it, with the same other arguments, or leave it out to start again.")
	}
	var c cursor
	if len(s) > base64.RawURLEncoding.EncodedLen(cursorHead+pathname.MaxBytes+4) {
		return bad("is longer than a cursor can be")
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") || len(b) < cursorHead+1+4 {
		return bad("is not a cursor")
	}
	body := b[:len(b)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return bad("is not a cursor, or was not copied exactly")
	}
	copy(c.query[:], body)
	copy(c.folder[:], body[8:])
	c.mtime = int64(binary.LittleEndian.Uint64(body[16:]))
	c.now = int64(binary.LittleEndian.Uint64(body[24:]))
	c.sort, c.isDir = body[32], body[33] == 1
	c.time = int64(binary.LittleEndian.Uint64(body[34:]))
	c.rel = string(body[cursorHead:])
	if body[33] > 1 {
		return bad("is not a cursor")
	}
	if c.sort != sort || c.query != query {
		return bad("belongs to a call with other arguments")
	}
	for part := range strings.SplitSeq(c.rel, "/") {
		if part == "" || part == "." || part == ".." || strings.IndexByte(part, 0) >= 0 {
			return bad("is not a cursor")
		}
	}
	return c, nil
}

// changed reports that the start is another folder, or was changed since.
func (c cursor) changed(s reeve.Stamp) bool {
	return c.folder != identityOf(s.Identity) || c.mtime != s.MTime
}
