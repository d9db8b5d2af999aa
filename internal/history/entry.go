package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"reeve"
)

// Call is what the changes of one call have in common.
type Call struct {
	// Change is the ID under which they are undone together. Empty makes a
	// new one; the same ID again adds to it.
	Change string
	// Undoes is the Change that this call takes back, if it is an undo.
	Undoes  string
	ID      string // the door's name for the call
	Verb    reeve.Verb
	Subject reeve.Subject
	Digest  string
	At      time.Time
	// Beside, if set, is done at the same time as the history's own syncs:
	// what the caller has to make durable too. It is called at most once, and
	// perhaps not at all when Keep fails.
	Beside func() `json:"-"`
}

// Thing is one change that was made. Paths are in the shown form.
type Thing struct {
	Effect   reeve.EffectKind
	Target   reeve.Target
	Root     string // path of the granted folder
	Path, To string
	// Before is the version that was replaced or removed, After what the
	// change left at Path (at To, for a move).
	Before, After reeve.Version
	// Kind and Stamp are of what stood at Path before; for what was created,
	// Kind is that of the new thing.
	Kind  reeve.FileKind
	Stamp reeve.Stamp
	// Made are folders that were made on the way, outermost first.
	Made []string
	// Displaced is what was put out of the way, nil if nothing was.
	Displaced Displaced `json:"-"`
}

// Entry is one change as it is listed. What it says beyond that is in Detail.
type Entry struct {
	// Change and N identify it: the N-th change, from 0, of one call.
	Change string
	N      int
	// Order is later than that of every entry this process had seen, whatever
	// the clock did; At is the clock.
	Order int64
	At    time.Time
	// Undoes is the Change that this one takes back.
	Undoes string
	Owner  bool // made by the owner, not by an agent
	Effect reeve.EffectKind
	Kind   reeve.FileKind
	Path   string // shown form
	To     string
	// Blob is the hash of what is kept: a file's content, or a folder's
	// manifest. Empty where there is none. Size is in bytes, of the content.
	Blob string
	Size int64

	detail string
}

// Detail is the rest of an entry.
type Detail struct {
	ID      string        `json:"call,omitempty"`
	Verb    reeve.Verb    `json:"verb,omitempty"`
	Digest  string        `json:"digest,omitempty"`
	Subject reeve.Subject `json:"subject,omitzero"`
	Target  reeve.Target  `json:"target,omitempty"`
	Root    string        `json:"root,omitempty"`
	Before  reeve.Version `json:"before,omitzero"`
	After   reeve.Version `json:"after,omitzero"`
	Stamp   reeve.Stamp   `json:"stamp,omitzero"`
	Made    []string      `json:"made,omitempty"`
	// Meta is of what was displaced.
	Meta *reeve.Meta `json:"meta,omitempty"`
	Link string      `json:"link,omitempty"` // a link's text, in shown form
	// Kept is true when what was displaced can be brought back whole; NotKept
	// says why not, and stands also beside Kept for parts that are missing.
	Kept    bool   `json:"kept,omitempty"`
	NotKept string `json:"not_kept,omitempty"`
	// Left is true for a folder of which something failed to be kept: it stays
	// as it was taken for a day.
	Left bool `json:"left,omitempty"`
	// Later is true for bytes that arrived after the entry with the same
	// Change and N was made.
	Later bool `json:"later,omitempty"`
}

// ID names the entry: K7M2PQ4X.0.
func (e Entry) ID() string { return e.Change + "." + strconv.Itoa(e.N) }

// Detail decodes what the listing passes over.
func (e Entry) Detail() (Detail, error) {
	var d Detail
	if err := json.Unmarshal([]byte(e.detail), &d); err != nil {
		return d, fmt.Errorf("the entry %s is damaged: %w", e.ID(), err)
	}
	return d, nil
}

// A line is fields between tabs: what a listing needs as plain text, so that
// it is read quickly, then the detail as JSON, then a checksum of all before.
const (
	lineMark   = "1"
	lineFields = 14
	maxLine    = 4 << 20
)

var errLine = errors.New("is not an entry")

// dash stands for an empty field.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func undash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// line writes an entry with its detail, which it has from then on.
func (e *Entry) line(b []byte, d Detail) ([]byte, error) {
	detail, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	e.detail = string(detail)
	who := "agent"
	if e.Owner {
		who = "owner"
	}
	for _, f := range []string{string(e.Effect), string(e.Kind), e.Path, e.To, e.detail} {
		if strings.ContainsAny(f, "\t\n") {
			return nil, errLine
		}
	}
	start := len(b)
	field := func(f string) { b = append(append(b, f...), '\t') }
	number := func(n int64) { b = append(strconv.AppendInt(b, n, 10), '\t') }
	field(lineMark)
	number(e.Order)
	number(e.At.UnixNano())
	field(e.Change)
	number(int64(e.N))
	field(dash(e.Undoes))
	field(who)
	field(string(e.Effect))
	field(dash(string(e.Kind)))
	field(dash(e.Path))
	field(dash(e.To))
	field(dash(e.Blob))
	number(e.Size)
	b = append(b, detail...)
	if len(b)-start > maxLine {
		return nil, errors.New("is too long to be kept")
	}
	return fmt.Appendf(b, "\t%08x\n", crc32.ChecksumIEEE(b[start:])), nil
}

// parse reads a line without its end.
func parse(line string) (Entry, error) {
	i := strings.LastIndexByte(line, '\t')
	if i < 0 || len(line)-i != 9 {
		return Entry{}, errLine
	}
	sum, err := strconv.ParseUint(line[i+1:], 16, 32)
	if err != nil || uint32(sum) != checksum(line[:i]) {
		return Entry{}, errors.New("has a wrong checksum")
	}
	var f [lineFields]string
	rest, ok := line[:i], true
	for k := range f {
		if !ok {
			return Entry{}, errLine
		}
		if k == lineFields-1 {
			f[k] = rest
			break
		}
		f[k], rest, ok = strings.Cut(rest, "\t")
	}
	if f[0] != lineMark {
		return Entry{}, errors.New("was written by another version of Reeve")
	}
	order, err1 := strconv.ParseInt(f[1], 10, 64)
	at, err2 := strconv.ParseInt(f[2], 10, 64)
	n, err3 := strconv.Atoi(f[4])
	size, err4 := strconv.ParseInt(f[12], 10, 64)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return Entry{}, errLine
	}
	e := Entry{Change: f[3], N: n, Order: order, At: time.Unix(0, at).UTC(), Undoes: undash(f[5]), Owner: f[6] == "owner",
		Effect: reeve.EffectKind(f[7]), Kind: reeve.FileKind(undash(f[8])), Path: undash(f[9]), To: undash(f[10]),
		Blob: undash(f[11]), Size: size, detail: f[13]}
	if !properID(e.Change) || e.Undoes != "" && !properID(e.Undoes) || e.Blob != "" && !properHash(e.Blob) || n < 0 {
		return Entry{}, errLine
	}
	return e, nil
}
