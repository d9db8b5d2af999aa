package reeve

import (
	"encoding/json"
	"fmt"
	"time"
)

// Result is what a call came to.
type Result struct {
	Answer Answer
	// Notes are said after the answer: caps, skips and how to go on.
	Notes []Text
	// FileAccess are the real paths of files whose content was shown or
	// changed, for programs.
	FileAccess []Text
}

// Answer is a typed answer: *Roots, *Listing, *Found, *Facts, *Pages or
// *Changes.
type Answer interface{ AnswerKind() string }

func newAnswer(kind string) Answer {
	switch kind {
	case "roots":
		return &Roots{}
	case "listing":
		return &Listing{}
	case "found":
		return &Found{}
	case "facts":
		return &Facts{}
	case "pages":
		return &Pages{}
	case "restored":
		return &Restored{}
	case "changes":
		return &Changes{}
	}
	return nil
}

type resultJSON struct {
	Kind       string          `json:"kind,omitempty"`
	Answer     json.RawMessage `json:"answer,omitempty"`
	Notes      []Text          `json:"notes,omitempty"`
	FileAccess []Text          `json:"file_access,omitempty"`
}

// MarshalJSON writes the answer's kind beside it.
func (r Result) MarshalJSON() ([]byte, error) {
	j := resultJSON{Notes: r.Notes, FileAccess: r.FileAccess}
	if r.Answer != nil {
		b, err := json.Marshal(r.Answer)
		if err != nil {
			return nil, err
		}
		j.Kind, j.Answer = r.Answer.AnswerKind(), b
	}
	return json.Marshal(j)
}

// UnmarshalJSON refuses answers of a kind that it does not know.
func (r *Result) UnmarshalJSON(b []byte) error {
	var j resultJSON
	if err := strictly(b, &j); err != nil {
		return err
	}
	*r = Result{Notes: j.Notes, FileAccess: j.FileAccess}
	if j.Kind == "" {
		return nil
	}
	a := newAnswer(j.Kind)
	if a == nil {
		return fmt.Errorf("unknown answer %q", j.Kind)
	}
	r.Answer = a
	return strictly(j.Answer, a)
}

// Access is what a root was granted for. A write root is readable too.
type Access string

const (
	Read      Access = "read"
	ReadWrite Access = "readwrite"
)

// RootState says whether a root can be used now.
type RootState string

const (
	StateOpen    RootState = "open"
	StatePending RootState = "pending" // granted, but nothing is there yet
	// StateSuspended: something else stands at its path; the owner must confirm.
	StateSuspended RootState = "suspended"
	StateLost      RootState = "lost" // its file system does not answer, or is gone
)

// Roots answers ListRoots.
type Roots struct {
	Roots    []RootInfo `json:"roots"`
	Relative Text       `json:"relative,omitzero"` // what relative paths are relative to
	Limits   []Limit    `json:"limits,omitempty"`
}

// RootInfo is one granted folder.
type RootInfo struct {
	Target Target    `json:"target"`
	ID     RootID    `json:"id"`
	Path   Text      `json:"path"`
	Access Access    `json:"access"`
	State  RootState `json:"state"`
	Note   Text      `json:"note,omitzero"`
}

// Limit is one bound in force, for programs and for `list_roots`.
type Limit struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Unit  string `json:"unit,omitempty"`
}

// Entry is one name in a listing or one hit of a search.
type Entry struct {
	Name     Text      `json:"name"` // relative to the listed folder
	Kind     FileKind  `json:"kind"`
	Link     Text      `json:"link,omitzero"` // a link's own text
	Size     int64     `json:"size,omitempty"`
	Modified time.Time `json:"modified,omitzero"`
	// Protected entries are told by name and never opened.
	Protected bool `json:"protected,omitempty"`
}

// Skipped counts what was left out, by reason.
type Skipped struct {
	Reason string `json:"reason"` // hidden, ignored, protected, binary, unreadable, cap, time, depth, special
	Count  int    `json:"count"`
	Paths  []Text `json:"paths,omitempty"` // for unreadable folders, bounded
}

// Listing answers ListDirectory.
type Listing struct {
	Path      Text      `json:"path"`
	Entries   []Entry   `json:"entries"`
	Left      int       `json:"left,omitempty"` // entries after the page, when counted
	Cursor    string    `json:"cursor,omitempty"`
	Changed   bool      `json:"changed,omitempty"`   // the folder changed since the cursor was made
	Truncated string    `json:"truncated,omitempty"` // the bound that stopped a recursive listing
	Skipped   []Skipped `json:"skipped,omitempty"`
}

// Found answers SearchFiles.
type Found struct {
	Path       Text      `json:"path"`
	Entries    []Entry   `json:"entries"`
	Cursor     string    `json:"cursor,omitempty"`
	Changed    bool      `json:"changed,omitempty"`
	Incomplete []string  `json:"incomplete,omitempty"` // cap, time, depth, unreadable
	Skipped    []Skipped `json:"skipped,omitempty"`
	Looked     int       `json:"looked"` // entries looked at
}

// Facts answers Stat.
type Facts struct {
	Path        Text      `json:"path"`
	Kind        FileKind  `json:"kind"`
	Size        int64     `json:"size"`
	Modified    time.Time `json:"modified"`
	Created     time.Time `json:"created,omitzero"`
	Accessed    time.Time `json:"accessed,omitzero"`
	Permissions string    `json:"permissions"` // as ls shows them
	Links       uint64    `json:"links,omitempty"`
	Link        Text      `json:"link,omitzero"`
	Access      Access    `json:"access"` // what the deciding root grants
	Version     Version   `json:"version,omitzero"`
}

// Pages answers ReadFile, one page for each path in the order asked. Where the
// reply was full before the last path, a note names the rest.
type Pages struct {
	Pages []Page `json:"pages"`
}

// Page is a part of a text file.
type Page struct {
	Path  Text   `json:"path"`
	Lines []Line `json:"lines,omitempty"`
	// Total lines of the file; Counted is false while only "at least" is
	// known.
	Total   int64 `json:"total,omitempty"`
	Counted bool  `json:"counted,omitempty"`
	// FromEnd says that Line.N counts from the end (-1 is the last line).
	FromEnd bool `json:"from_end,omitempty"`
	// Next is how to go on, nil at the end of the file.
	Next *Next `json:"next,omitempty"`
	// Stopped names the cap that ended the page: "limit" (lines asked for),
	// "lines" (the profile's), "bytes" (the budget), "" at the end.
	Stopped  string  `json:"stopped,omitempty"`
	Size     int64   `json:"size"`
	Version  Version `json:"version,omitzero"`
	Encoding string  `json:"encoding,omitempty"` // "utf-8", "utf-16le", …
	BOM      bool    `json:"bom,omitempty"`
	Endings  string  `json:"endings,omitempty"` // lf, crlf, cr, mixed, "" if none seen
	// Whole is true when every line of this version was shown in full.
	Whole bool `json:"whole,omitempty"`
	// Redacted: parts of the lines were hidden. Such a page is no ground for
	// replacing the file.
	Redacted bool `json:"redacted,omitempty"`
	// BadBytes counts bytes shown as \xNN.
	BadBytes int `json:"bad_bytes,omitempty"`
	// Err is the refusal of this one path of several.
	Err *Error `json:"error,omitempty"`
}

// Line is one line without its ending. When Column is over 1 or Cut is true,
// only a window of it is here.
type Line struct {
	N      int64 `json:"n"`
	Text   Text  `json:"text"`
	Column int   `json:"column,omitempty"` // of the first character shown, 1-based; 0 means 1
	Cut    bool  `json:"cut,omitempty"`    // more of the line follows
	// Chars is how many characters of the line Text shows, where it shows only
	// a window; 0 means as many as it has.
	Chars int `json:"chars,omitempty"`
}

// Next is where the following page starts.
type Next struct {
	Offset int64 `json:"offset"`
	Column int   `json:"column,omitempty"`
}

// Changes answers the verbs that change something: one entry for each thing
// asked for, in that order.
type Changes struct {
	Files []ChangedFile `json:"files"`
	// DryRun: nothing was changed, this is what would be.
	DryRun bool `json:"dry_run,omitempty"`
}

// Did is what became of one thing.
type Did string

const (
	DidCreate    Did = "created"     // a file that was not there before
	DidOverwrite Did = "overwrote"   // all of a file
	DidEdit      Did = "edited"      // parts of a file
	DidNothing   Did = "unchanged"   // it was as asked for already
	DidMkdir     Did = "made_folder" // a folder that was not there before
	DidCopy      Did = "copied"
	DidMove      Did = "moved"
	DidDelete    Did = "deleted"
)

// ChangedFile is one thing and what became of it.
type ChangedFile struct {
	Path Text     `json:"path"` // of a move and a copy: where it was taken from
	To   Text     `json:"to,omitzero"`
	Did  Did      `json:"did"`
	Kind FileKind `json:"kind,omitempty"`
	// Was and Now are its extent before and after; nil where there was or is
	// nothing.
	Was *Extent `json:"was,omitempty"`
	Now *Extent `json:"now,omitempty"`
	// Replacements made by an edit.
	Replacements int `json:"replacements,omitempty"`
	// Version of what stands there now.
	Version Version `json:"version,omitzero"`
	// Excerpt are the changed lines as they are now with some around them,
	// the numbers of the new text; parts that do not touch are told apart by
	// their numbers. More counts the changed lines that are not shown.
	Excerpt []Line `json:"excerpt,omitempty"`
	More    int64  `json:"more,omitempty"`
	// Diff is what a dry run would change, in lines of a unified diff.
	Diff []Text `json:"diff,omitempty"`
	// Encoding, BOM and Endings were found in the file and kept.
	Encoding string `json:"encoding,omitempty"` // "utf-8", "utf-16le", …
	BOM      bool   `json:"bom,omitempty"`
	Endings  string `json:"endings,omitempty"` // lf, crlf, cr, mixed
	// Made are the folders that were made on the way, outermost first. Of more
	// than a few only the outermost is told, and MadeMore counts the others.
	Made     []Text `json:"made,omitempty"`
	MadeMore int    `json:"madeMore,omitempty"`
	// InPlace: no new file could take the old one's place, so the bytes were
	// written into it, and another program may have seen it half written.
	InPlace bool `json:"in_place,omitempty"`
	// Names of the file before, where there were several. A note says which of
	// them lead to the new content.
	Names uint64 `json:"names,omitempty"`
	// Via is the link that was followed to get here.
	Via Text `json:"via,omitzero"`
}

// Extent is how much there is: bytes, of text also its lines, and of a folder
// the files and folders below it.
type Extent struct {
	Size    int64 `json:"size"`
	Lines   int64 `json:"lines,omitempty"`
	Counted bool  `json:"counted,omitempty"` // Lines were counted
	Files   int   `json:"files,omitempty"`
	Folders int   `json:"folders,omitempty"`
	Links   int   `json:"links,omitempty"`
}

func (*Roots) AnswerKind() string   { return "roots" }
func (*Listing) AnswerKind() string { return "listing" }
func (*Found) AnswerKind() string   { return "found" }
func (*Facts) AnswerKind() string   { return "facts" }
func (*Pages) AnswerKind() string   { return "pages" }
func (*Changes) AnswerKind() string { return "changes" }
