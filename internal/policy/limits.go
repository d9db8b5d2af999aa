package policy

import (
	"fmt"
	"time"

	"reeve"
)

// limit is one number of the settings: its key in [limits], its bounds, and
// where it goes.
type limit struct {
	name     string
	min, max int64
	set      func(*reeve.Settings, int64)
}

// limits lists every number. Where 0 is allowed its meaning is told in
// reeve.Settings; it is never "unlimited" for what leaves the computer.
func limits() []limit {
	const million, reply = 1_000_000, 8<<20 - 64<<10
	in := func(name string, min, max int64, at func(*reeve.Settings) *int) limit {
		return limit{name, min, max, func(s *reeve.Settings, v int64) { *at(s) = int(v) }}
	}
	wide := func(name string, min, max int64, at func(*reeve.Settings) *int64) limit {
		return limit{name, min, max, func(s *reeve.Settings, v int64) { *at(s) = v }}
	}
	seconds := func(name string, max int64, at func(*reeve.Settings) *time.Duration) limit {
		return limit{name, 1, max, func(s *reeve.Settings, v int64) { *at(s) = time.Duration(v) * time.Second }}
	}
	return []limit{
		in("read_lines", 1, million, func(s *reeve.Settings) *int { return &s.ReadLines }),
		in("read_bytes", 1_000, reply, func(s *reeve.Settings) *int { return &s.ReadBytes }),
		in("read_chars", 0, reply, func(s *reeve.Settings) *int { return &s.ReadChars }),
		in("max_limit", 1, million, func(s *reeve.Settings) *int { return &s.MaxLimit }),
		wide("max_file_bytes", 0, 1<<50, func(s *reeve.Settings) *int64 { return &s.MaxFileBytes }),
		in("reply_bytes", 2_000, reply, func(s *reeve.Settings) *int { return &s.ReplyBytes }),
		in("list_entries", 1, 10_000, func(s *reeve.Settings) *int { return &s.ListEntries }),
		in("list_depth", 1, 256, func(s *reeve.Settings) *int { return &s.ListDepth }),
		in("list_max_entries", 1, 100_000, func(s *reeve.Settings) *int { return &s.ListMaxEntries }),
		in("search_results", 1, 10_000, func(s *reeve.Settings) *int { return &s.SearchResults }),
		in("search_depth", 0, 256, func(s *reeve.Settings) *int { return &s.SearchDepth }),
		wide("search_bytes", 0, 1<<50, func(s *reeve.Settings) *int64 { return &s.SearchBytes }),
		in("walk_entries", 1, 100*million, func(s *reeve.Settings) *int { return &s.WalkEntries }),
		seconds("call_seconds", 600, func(s *reeve.Settings) *time.Duration { return &s.CallTime }),
		seconds("search_seconds", 600, func(s *reeve.Settings) *time.Duration { return &s.SearchTime }),
	}
}

func limitNames() []string {
	var names []string
	for _, l := range limits() {
		names = append(names, l.name)
	}
	return names
}

// limits reads a table of numbers. One that is out of its bounds is left out.
func (r *reader) limits(v *value, entry string) map[string]int64 {
	if !r.kind(v, entry, group, "[limits] and below it read_lines = 2000") {
		return nil
	}
	out := map[string]int64{}
	known := limits()
next:
	for _, key := range v.group.keys {
		row := v.group.at[key]
		for _, l := range known {
			if l.name != key {
				continue
			}
			if !r.kind(row, entry+"."+key, number, fmt.Sprintf("%s = %d", key, l.min)) {
				continue next
			}
			if row.number < l.min || row.number > l.max {
				r.bad(row, entry+"."+key, fmt.Sprintf("is %d, and must be between %d and %d; it is left out", row.number, l.min, l.max), "")
				continue next
			}
			out[key] = row.number
			continue next
		}
		r.unknown(row, entry, key, limitNames())
	}
	return out
}

// apply puts the numbers that are there into the settings.
func applyLimits(s *reeve.Settings, numbers map[string]int64) {
	for _, l := range limits() {
		if n, ok := numbers[l.name]; ok {
			l.set(s, n)
		}
	}
}
