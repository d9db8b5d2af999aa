package search

import (
	"strings"
	"time"
)

// maxAge bounds an age, so that no number leaves the range of times.
const maxAge = 200 * 366 * 24 * time.Hour

// ParseTime reads a time as callers write it: RFC 3339, a date with or
// without a time of day in the zone of now, or an age before now such as
// 30m, 2h, 7d or 1w (a day is 24 hours). A date alone is its first moment.
// The error is always *Problem.
func ParseTime(s string, now time.Time) (time.Time, error) {
	if age, ok := parseAge(s); ok {
		if age > maxAge {
			return time.Time{}, &Problem{0, "is an age of more than 200 years", "Leave it out to mean any time."}
		}
		return now.Add(-age), nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	for _, form := range []string{"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, &Problem{0, "is not a time", "Write 2026-05-01, 2026-05-01T14:30:00Z, or an age such as 30m, 2h, 7d, 1w."}
}

// parseAge reads a whole number and a unit. Too large a number is more than
// maxAge.
func parseAge(s string) (time.Duration, bool) {
	if len(s) < 2 || strings.Trim(s[:len(s)-1], "0123456789") != "" {
		return 0, false
	}
	var unit time.Duration
	switch s[len(s)-1] {
	case 's':
		unit = time.Second
	case 'm':
		unit = time.Minute
	case 'h':
		unit = time.Hour
	case 'd':
		unit = 24 * time.Hour
	case 'w':
		unit = 7 * 24 * time.Hour
	default:
		return 0, false
	}
	n := int64(0)
	for _, c := range s[:len(s)-1] {
		if n = n*10 + int64(c-'0'); n > int64(maxAge/unit) {
			return maxAge + 1, true
		}
	}
	return time.Duration(n) * unit, true
}
