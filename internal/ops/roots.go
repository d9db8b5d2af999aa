package ops

import (
	"context"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/pathname"
)

// listRoots tells what was granted. It touches no disk.
type listRoots struct{}

// Plan implements guard.Verb.
func (listRoots) Plan(call reeve.Call, _ reeve.Settings) ([]reeve.Intent, error) {
	_, err := callOf[reeve.ListRoots](call)
	return nil, err
}

// Work implements guard.Verb.
func (listRoots) Work(_ context.Context, _ reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	a := &reeve.Roots{Limits: limits(v.Settings())}
	for _, s := range v.Roots() {
		info := reeve.RootInfo{Target: v.Target(), ID: s.ID, Access: s.Access, State: s.State}
		at, note := s.Path, s.Note
		if s.Real != "" && s.Real != s.Path {
			at = s.Real
			if note != "" {
				note += "; "
			}
			note += "granted as " + pathname.EscapePath(s.Path)
		}
		info.Path = r.Text(pathname.EscapePath(at))
		if note != "" {
			info.Note = r.Text(note)
		}
		a.Roots = append(a.Roots, info)
	}
	if base := v.Relative(); base != "" {
		a.Relative = r.Text(pathname.EscapePath(base))
	}
	return guard.Work{Answer: a}, nil
}

// limits are the bounds in force. What a profile does not bound is left out.
func limits(s reeve.Settings) []reeve.Limit {
	var list []reeve.Limit
	add := func(name string, n int64, unit string) {
		if n > 0 {
			list = append(list, reeve.Limit{Name: name, Value: n, Unit: unit})
		}
	}
	add("read_lines", int64(s.ReadLines), "lines")
	if s.ReadChars > 0 {
		add("read_chars", int64(s.ReadChars), "characters")
	} else {
		add("read_bytes", int64(s.ReadBytes), "bytes")
	}
	add("reply_bytes", int64(s.ReplyBytes), "bytes")
	add("max_limit", int64(s.MaxLimit), "")
	add("list_entries", int64(s.ListEntries), "entries")
	add("list_depth", int64(s.ListDepth), "levels")
	add("list_max_entries", int64(s.ListMaxEntries), "entries")
	add("search_results", int64(s.SearchResults), "results")
	add("search_depth", int64(s.SearchDepth), "levels")
	add("search_bytes", s.SearchBytes, "bytes of each file")
	add("search_time", s.SearchTime.Milliseconds(), "ms")
	add("walk_entries", int64(s.WalkEntries), "entries")
	add("call_time", s.CallTime.Milliseconds(), "ms")
	return list
}
