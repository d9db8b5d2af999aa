package ops

import (
	"context"
	"strings"
	"time"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/pathname"
)

// lineCost is what a surface needs for an entry beside its name and its
// link's text: marks, size, time and the end of the line.
const lineCost = 40

// facts are what is told about an entry beside its name.
type facts struct {
	size     int64
	modified int64 // Unix nanoseconds
	birth    int64
	links    uint64
	link     string
}

// factsOf asks for them. A link is not followed.
func factsOf(ctx context.Context, f *guard.Folder, name string) (facts, kind, error) {
	info, err := f.Stat(ctx, name)
	if err != nil {
		return facts{}, special, err
	}
	return facts{size: info.Size, modified: info.MTime, birth: info.Birth, links: info.Links, link: info.Link}, kindOf(info.Kind), nil
}

// shelf takes entries while they fit the budget.
type shelf struct {
	r       *guard.Reply
	extra   int // what surfaces will add
	entries []reeve.Entry
}

// fits tells whether an entry can be put, from its name and link. The first
// one always can, so that each page goes on.
func (s *shelf) fits(rel, link string) bool {
	return len(s.entries) == 0 || shownLen(rel)+shownLen(link)+lineCost+s.extra <= s.r.Left()
}

// put clears an entry. A protected one is told by its name alone.
func (s *shelf) put(rel string, k kind, f facts, protected bool) {
	e := reeve.Entry{Name: s.r.RelPath(strings.Split(rel, "/")), Kind: k.file(), Protected: protected}
	if !protected {
		if k == file {
			e.Size = f.size
		}
		if k == symlink && f.link != "" {
			e.Link = s.r.Text(pathname.EscapePath(f.link))
		}
		if f.modified != 0 {
			e.Modified = time.Unix(0, f.modified).UTC()
		}
	}
	s.extra += lineCost
	s.entries = append(s.entries, e)
}

// shownLen is the length of a path as it will be shown.
func shownLen(rel string) int {
	n := -1
	for part := range strings.SplitSeq(rel, "/") {
		n += 1 + len(pathname.Escape(part))
	}
	return n
}
