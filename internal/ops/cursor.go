package ops

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strings"

	"reeve"
)

// cursor says where an answer ended. It is the whole memory between two
// calls: the caller carries it, sealed, since the entry that an answer ended
// at may be one whose name is not told. It gives no right to anything; all
// that it can do is to leave out what comes before a name.
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

const (
	cursorHead = 8 + 8 + 8 + 8 + 1 + 1 + 8
	cursorStep = 32
)

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

// plain is the cursor as bytes. Its length tells that of the path only in
// steps of cursorStep.
func (c cursor) plain() []byte {
	b := make([]byte, 0, plainLen(len(c.rel)))
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
	return b[:cap(b)] // no name has a zero byte
}

func plainLen(rel int) int {
	return cursorHead + (rel+cursorStep-1)/cursorStep*cursorStep
}

// parseCursor reads what plain gave, and nothing else.
func parseCursor(b []byte) (c cursor, ok bool) {
	if len(b) <= cursorHead || b[33] > 1 {
		return c, false
	}
	copy(c.query[:], b)
	copy(c.folder[:], b[8:])
	c.mtime = int64(binary.LittleEndian.Uint64(b[16:]))
	c.now = int64(binary.LittleEndian.Uint64(b[24:]))
	c.sort, c.isDir = b[32], b[33] == 1
	c.time = int64(binary.LittleEndian.Uint64(b[34:]))
	c.rel = strings.TrimRight(string(b[cursorHead:]), "\x00")
	if len(b) != plainLen(len(c.rel)) {
		return c, false
	}
	for part := range strings.SplitSeq(c.rel, "/") {
		if part == "" || part == "." || part == ".." || strings.IndexByte(part, 0) >= 0 {
			return c, false
		}
	}
	return c, true
}

// changed reports that the start is another folder, or was changed since.
func (c cursor) changed(s reeve.Stamp) bool {
	return c.folder != identityOf(s.Identity) || c.mtime != s.MTime
}
