package history

import (
	"crypto/rand"
	"hash/crc32"
	"path"
	"strconv"
	"strings"
	"time"
)

// Everything lies under these names, in the folder top of the state folder.
const (
	top        = "history"
	blobsDir   = "blobs"
	entriesDir = "entries"
	tmpDir     = "tmp"
	sizeFile   = "size"

	segmentEnd  = ".log"
	startLayout = "20060102T150405Z"
	oldEnd      = ".old" // a blob that is being let go of
	takenEnd    = ".taken"
)

// alphabet has no characters that are taken for others when read aloud or
// typed.
const (
	alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
	idLen    = 8
)

// NewID makes the ID of a change, short enough to be typed.
func NewID() string {
	var id []byte
	for len(id) < idLen {
		var b [16]byte
		rand.Read(b[:]) // never fails
		for _, c := range b {
			if c &= 31; int(c) < len(alphabet) && len(id) < idLen {
				id = append(id, alphabet[c])
			}
		}
	}
	return string(id)
}

// CleanID reads an ID as people type it; ok is false for what is none.
func CleanID(s string) (id string, ok bool) {
	s = strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(s))
	return s, properID(s)
}

func properID(s string) bool { return len(s) == idLen && strings.Trim(s, alphabet) == "" }

func properHash(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

func blobName(hash string) string { return path.Join(blobsDir, hash) }

// tmpName says when it was made: a file that was taken keeps its own times.
func tmpName(now time.Time) string {
	return path.Join(tmpDir, strconv.FormatInt(now.Unix(), 10)+"-"+rand.Text())
}

// tokenOf reads the token out of a name in the tmp folder, empty if it has
// none.
func tokenOf(name string) string {
	f := strings.SplitN(strings.TrimSuffix(name, takenEnd), "-", 3)
	if len(f) < 3 || strings.ContainsAny(f[2], "-.") {
		return ""
	}
	return f[2]
}

// madeAt reads the time out of a name of tmpName.
func madeAt(name string) (time.Time, bool) {
	at, _, ok := strings.Cut(name, "-")
	sec, err := strconv.ParseInt(at, 10, 64)
	return time.Unix(sec, 0), ok && err == nil
}

func segmentName(start time.Time) string {
	return path.Join(entriesDir, start.UTC().Format(startLayout)+"-"+rand.Text()[:8]+segmentEnd)
}

// startOf reads the start out of a segment's name.
func startOf(name string) (time.Time, bool) {
	stem, ok := strings.CutSuffix(name, segmentEnd)
	if !ok || len(stem) < len(startLayout)+2 || stem[len(startLayout)] != '-' {
		return time.Time{}, false
	}
	t, err := time.Parse(startLayout, stem[:len(startLayout)])
	return t, err == nil
}

func checksum(s string) uint32 {
	// In pieces, since the string is not to be copied whole.
	var piece [4096]byte
	sum := uint32(0)
	for len(s) > 0 {
		n := copy(piece[:], s)
		sum = crc32.Update(sum, crc32.IEEETable, piece[:n])
		s = s[n:]
	}
	return sum
}
