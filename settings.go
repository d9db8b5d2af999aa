package reeve

import "time"

// Settings are a profile's numbers and habits as verbs and surfaces see them.
// Policy makes them; a zero number is never "unlimited", it is refused when
// the profile is compiled.
type Settings struct {
	Profile string
	// ReadLines and ReadBytes bound one read; whichever comes first. In a
	// profile whose ReadBytes counts characters, ReadChars is set.
	ReadLines, ReadBytes, ReadChars int
	// MaxLimit is the largest `limit` a caller may ask for.
	MaxLimit int
	// MaxFileBytes is the largest file that is read at all; a larger one is
	// refused whole, not cut. 0 means that any file is read, in pages.
	MaxFileBytes int64
	// ReplyBytes bounds the text of any reply.
	ReplyBytes int
	// ListEntries is a page of a listing. ListDepth and ListMaxEntries bound
	// a recursive one.
	ListEntries, ListDepth, ListMaxEntries int
	// SearchResults, SearchDepth and SearchBytes bound search_files:
	// results, levels (0 = no bound but the walk's) and bytes of each file
	// looked at for `contains` (0 = whole files).
	SearchResults, SearchDepth int
	SearchBytes                int64
	// WalkEntries ends any walk as incomplete.
	WalkEntries int
	// SearchHidden and ListHidden: whether dot names are shown when the
	// caller does not say.
	SearchHidden, ListHidden bool
	// BaseNamePatterns: a pattern knows only *, ? and ** and meets the base
	// name alone (Lam).
	BaseNamePatterns bool
	// SkipDirs are folder names not walked into unless `ignored` is asked.
	SkipDirs []string
	// Binary says how text is told from binary: "nul" (a NUL in the first
	// 8 KiB) or "utf8" (must be valid UTF-8 as a whole).
	Binary string
	// ReadState is "off", "read" or "all_lines".
	ReadState string
	// CreateParents: changes make the folders that are missing above them. If
	// it is false, the caller has to say so.
	CreateParents bool
	// CallTime bounds the file-system work of one call, SearchTime a search.
	CallTime, SearchTime time.Duration
}
