package reeve

// Verb names one operation. Dialects give it other names; records do not.
type Verb string

const (
	VerbListRoots     Verb = "list_roots"
	VerbListDirectory Verb = "list_directory"
	VerbSearchFiles   Verb = "search_files"
	VerbStat          Verb = "stat"
	VerbReadFile      Verb = "read_file"
)

// Call is the arguments of one verb. In all calls a zero field means "not
// given", and the profile's default holds.
type Call interface{ Verb() Verb }

// NewCall gives an empty call of a verb for decoding into, nil for a verb
// that does not exist.
func NewCall(v Verb) Call {
	switch v {
	case VerbListRoots:
		return &ListRoots{}
	case VerbListDirectory:
		return &ListDirectory{}
	case VerbSearchFiles:
		return &SearchFiles{}
	case VerbStat:
		return &Stat{}
	case VerbReadFile:
		return &ReadFile{}
	}
	return nil
}

// ListRoots asks what was granted. It touches no disk.
type ListRoots struct{}

// ListDirectory asks for the names in a folder.
type ListDirectory struct {
	Path      string `json:"path"`
	Hidden    bool   `json:"hidden,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
	Depth     int    `json:"depth,omitempty"` // only with Recursive
	Cursor    string `json:"cursor,omitempty"`
	// MaxEntries bounds a recursive listing. The native dialect does not
	// offer it; the profile's limit is also its upper bound.
	MaxEntries int `json:"max_entries,omitempty"`
}

// SearchFiles asks for the names below a folder that match.
type SearchFiles struct {
	// Pattern is a glob: without "/" it meets the base name at any depth,
	// with "/" the path relative to the start.
	Pattern  string `json:"pattern"`
	Path     string `json:"path,omitempty"`
	Contains string `json:"contains,omitempty"`
	Type     string `json:"type,omitempty"` // file, directory, symlink
	// Times are RFC 3339, a date, or an age such as 7d or 2h.
	ModifiedAfter  string `json:"modified_after,omitempty"`
	ModifiedBefore string `json:"modified_before,omitempty"`
	CreatedAfter   string `json:"created_after,omitempty"`
	CreatedBefore  string `json:"created_before,omitempty"`
	// Sizes are bytes; nil means not given.
	LargerThan  *int64 `json:"larger_than,omitempty"`
	SmallerThan *int64 `json:"smaller_than,omitempty"`
	Sort        string `json:"sort,omitempty"` // path, newest
	// Hidden is nil where the profile's own default holds.
	Hidden  *bool  `json:"hidden,omitempty"`
	Ignored bool   `json:"ignored,omitempty"` // look into ignored folders too
	Limit   int    `json:"limit,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
}

// Stat asks for the facts of one path. A link is told as a link.
type Stat struct {
	Path string `json:"path"`
}

// ReadFile asks for text. Several paths share one budget, in their order.
type ReadFile struct {
	Paths  []string `json:"paths"`
	Offset int      `json:"offset,omitempty"` // first line, 1-based; negative counts from the end
	Column int      `json:"column,omitempty"` // first character of that line, 1-based
	Limit  int      `json:"limit,omitempty"`  // lines
}

func (*ListRoots) Verb() Verb     { return VerbListRoots }
func (*ListDirectory) Verb() Verb { return VerbListDirectory }
func (*SearchFiles) Verb() Verb   { return VerbSearchFiles }
func (*Stat) Verb() Verb          { return VerbStat }
func (*ReadFile) Verb() Verb      { return VerbReadFile }
