package dialect

import (
	"encoding/json"
	"time"

	"reeve"
)

// MetaKey is where Meta stands in a tool result's _meta.
const MetaKey = "reeve/result"

// Meta is what a program may want of a result without reading its text. A
// model never needs it.
type Meta struct {
	Kind string `json:"kind,omitempty"` // of the answer: pages, listing, found, facts, roots, changes
	// FileAccess names the files whose content was shown or changed.
	FileAccess *FileAccess `json:"fileAccess,omitempty"`
	Files      []FileMeta  `json:"files,omitempty"`
	// Entries counts the lines of a listing or search, Left what follows
	// them, where it was counted.
	Entries   *int            `json:"entries,omitempty"`
	Left      int             `json:"left,omitempty"`
	Cursor    string          `json:"cursor,omitempty"`
	Changed   bool            `json:"changed,omitempty"`
	Truncated []string        `json:"truncated,omitempty"` // the bounds that stopped it
	Skipped   map[string]int  `json:"skipped,omitempty"`
	Changes   []ChangeMeta    `json:"changes,omitempty"`
	DryRun    bool            `json:"dryRun,omitempty"`
	Error     *ErrorMeta      `json:"error,omitempty"`
	Question  json.RawMessage `json:"question,omitempty"`
}

// FileAccess lists absolute paths, escaped where a name is odd.
type FileAccess struct {
	Path []string `json:"path"`
}

// FileMeta is one file of a read or a stat.
type FileMeta struct {
	Path        string      `json:"path"`
	Version     string      `json:"version,omitempty"`
	VersionKind string      `json:"versionKind,omitempty"` // hash, stamp, none
	Size        int64       `json:"size"`
	Lines       int         `json:"lines,omitempty"` // shown
	Total       int64       `json:"total,omitempty"`
	Counted     bool        `json:"counted,omitempty"` // false: at least Total
	Whole       bool        `json:"whole,omitempty"`
	Stopped     string      `json:"stopped,omitempty"`
	Next        *reeve.Next `json:"next,omitempty"`
	Encoding    string      `json:"encoding,omitempty"`
	Endings     string      `json:"endings,omitempty"`
	Error       *ErrorMeta  `json:"error,omitempty"`
}

// ChangeMeta is one thing that was changed.
type ChangeMeta struct {
	Path         string        `json:"path"`
	To           string        `json:"to,omitempty"`
	Did          reeve.Did     `json:"did"`
	Replacements int           `json:"replacements,omitempty"`
	Version      string        `json:"version,omitempty"`
	VersionKind  string        `json:"versionKind,omitempty"`
	Was          *reeve.Extent `json:"was,omitempty"`
	Now          *reeve.Extent `json:"now,omitempty"`
	Made         []string      `json:"made,omitempty"`
	MadeMore     int           `json:"madeMore,omitempty"`
	InPlace      bool          `json:"inPlace,omitempty"`
}

// ErrorMeta is a refusal for programs.
type ErrorMeta struct {
	Kind reeve.Kind `json:"kind"`
	Code reeve.Code `json:"code"`
	Path string     `json:"path,omitempty"`
}

// ResultMeta makes the facts of a result.
func ResultMeta(r reeve.Result) Meta {
	m := Meta{}
	if r.Answer != nil {
		m.Kind = r.Answer.AnswerKind()
	}
	if len(r.FileAccess) > 0 {
		fa := &FileAccess{Path: make([]string, len(r.FileAccess))}
		for i, t := range r.FileAccess {
			fa.Path[i] = t.String()
		}
		m.FileAccess = fa
	}
	switch a := r.Answer.(type) {
	case *reeve.Pages:
		for i := range a.Pages {
			m.Files = append(m.Files, pageMeta(&a.Pages[i]))
		}
	case *reeve.Facts:
		m.Files = []FileMeta{{Path: a.Path.String(), Size: a.Size,
			Version: a.Version.String(), VersionKind: versionKind(a.Version)}}
	case *reeve.Listing:
		n := len(a.Entries)
		m.Entries, m.Left, m.Cursor, m.Changed = &n, a.Left, a.Cursor, a.Changed
		if a.Truncated != "" {
			m.Truncated = []string{a.Truncated}
		}
		m.Skipped = skippedMeta(a.Skipped)
	case *reeve.Found:
		n := len(a.Entries)
		m.Entries, m.Cursor, m.Changed, m.Truncated = &n, a.Cursor, a.Changed, a.Incomplete
		m.Skipped = skippedMeta(a.Skipped)
	case *reeve.Roots:
		n := len(a.Roots)
		m.Entries = &n
	case *reeve.Changes:
		m.DryRun = a.DryRun
		for i := range a.Files {
			m.Changes = append(m.Changes, changeMeta(&a.Files[i]))
		}
	}
	return m
}

func changeMeta(f *reeve.ChangedFile) ChangeMeta {
	m := ChangeMeta{Path: f.Path.String(), To: f.To.String(), Did: f.Did, Replacements: f.Replacements,
		Version: f.Version.String(), VersionKind: versionKind(f.Version), Was: f.Was, Now: f.Now, InPlace: f.InPlace}
	m.MadeMore = f.MadeMore
	for _, made := range f.Made {
		m.Made = append(m.Made, made.String())
	}
	return m
}

func pageMeta(p *reeve.Page) FileMeta {
	f := FileMeta{Path: p.Path.String(), Size: p.Size, Lines: len(p.Lines), Total: p.Total,
		Counted: p.Counted, Whole: p.Whole, Stopped: p.Stopped, Next: p.Next,
		Encoding: p.Encoding, Endings: p.Endings}
	if p.Err != nil {
		f.Error = errorMeta(p.Err)
		return f
	}
	f.Version, f.VersionKind = p.Version.String(), p.Version.Kind()
	return f
}

func versionKind(v reeve.Version) string {
	if v.IsZero() {
		return ""
	}
	return v.Kind()
}

func skippedMeta(list []reeve.Skipped) map[string]int {
	if len(list) == 0 {
		return nil
	}
	m := make(map[string]int, len(list))
	for _, s := range list {
		m[s.Reason] += s.Count
	}
	return m
}

// RefusalMeta makes the facts of a refusal.
func RefusalMeta(e *reeve.Error) Meta { return Meta{Error: errorMeta(e)} }

func errorMeta(e *reeve.Error) *ErrorMeta {
	return &ErrorMeta{Kind: e.Kind, Code: e.Code, Path: e.Path}
}

// PendingMeta makes the facts of a question that nobody has answered: which
// one, and until when. What it asks about stays with the owner.
func PendingMeta(p *reeve.Pending) Meta {
	m := RefusalMeta(Waiting(p))
	m.Question, _ = json.Marshal(struct {
		ID      string    `json:"id"`
		Expires time.Time `json:"expires"`
	}{p.ID, p.Expires})
	return m
}
