package reeve

// Verb names one operation. Dialects give it other names; records do not.
type Verb string

const (
	VerbListRoots     Verb = "list_roots"
	VerbListDirectory Verb = "list_directory"
	VerbSearchFiles   Verb = "search_files"
	VerbStat          Verb = "stat"
	VerbReadFile      Verb = "read_file"

	VerbWriteFile       Verb = "write_file"
	VerbEditFile        Verb = "edit_file"
	VerbCreateDirectory Verb = "create_directory"
	VerbCopyPath        Verb = "copy_path"
	VerbMovePath        Verb = "move_path"
	VerbDeletePath      Verb = "delete_path"
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
	case VerbRestore:
		return &Restore{}
	case VerbWriteFile:
		return &WriteFile{}
	case VerbEditFile:
		return &EditFile{}
	case VerbCreateDirectory:
		return &CreateDirectory{}
	case VerbCopyPath:
		return &CopyPath{}
	case VerbMovePath:
		return &MovePath{}
	case VerbDeletePath:
		return &DeletePath{}
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

// WriteFile puts text into a file, which may not exist yet.
type WriteFile struct {
	Path    string `json:"path"`
	Content string `json:"content"`
	// IfVersion is the version token that the file must still have.
	IfVersion string `json:"if_version,omitempty"`
	// CreateParents makes missing folders where the profile by itself does
	// not.
	CreateParents bool `json:"create_parents,omitempty"`
}

// EditFile replaces exact text, in one file or in several: all of it or none.
type EditFile struct {
	// Path is the file of the edits that name none.
	Path  string `json:"path,omitempty"`
	Edits []Edit `json:"edits"`
	// DryRun shows what would change and proposes nothing.
	DryRun bool `json:"dry_run,omitempty"`
	// IfVersion is the version token that the file must still have. It goes
	// with a single file.
	IfVersion string `json:"if_version,omitempty"`
	// Create lets an empty Old make a file that does not exist yet.
	Create bool `json:"create,omitempty"`
}

// Edit is one replacement. Several for one file apply in their order, each to
// what the ones before have made.
type Edit struct {
	Path string `json:"path,omitempty"`
	Old  string `json:"old"`
	New  string `json:"new"`
	All  bool   `json:"all,omitempty"` // every occurrence
}

// CreateDirectory makes a folder and those missing above it.
type CreateDirectory struct {
	Path string `json:"path"`
}

// CopyPath copies a file, or a folder with what is in it, to a name that
// nothing has yet. A link is followed.
type CopyPath struct {
	From          string `json:"from"`
	To            string `json:"to"`
	CreateParents bool   `json:"create_parents,omitempty"`
}

// MovePath gives the thing itself another name, which nothing has yet.
type MovePath struct {
	From          string `json:"from"`
	To            string `json:"to"`
	CreateParents bool   `json:"create_parents,omitempty"`
}

// DeletePath removes the thing itself: a file, a link, an empty folder, or
// with Recursive a folder and all that is in it, as one change.
type DeletePath struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive,omitempty"`
}

func (*ListRoots) Verb() Verb     { return VerbListRoots }
func (*ListDirectory) Verb() Verb { return VerbListDirectory }
func (*SearchFiles) Verb() Verb   { return VerbSearchFiles }
func (*Stat) Verb() Verb          { return VerbStat }
func (*ReadFile) Verb() Verb      { return VerbReadFile }

func (*WriteFile) Verb() Verb       { return VerbWriteFile }
func (*EditFile) Verb() Verb        { return VerbEditFile }
func (*CreateDirectory) Verb() Verb { return VerbCreateDirectory }
func (*CopyPath) Verb() Verb        { return VerbCopyPath }
func (*MovePath) Verb() Verb        { return VerbMovePath }
func (*DeletePath) Verb() Verb      { return VerbDeletePath }
