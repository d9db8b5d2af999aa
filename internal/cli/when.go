package cli

import (
	"strconv"
	"time"
)

// moment reads a time as people write it: an age (30s, 15m, 2h, 7d, 4w), a
// date, a date with a time, or RFC 3339. Dates are of this computer's zone.
func moment(s string, now time.Time) (time.Time, bool) {
	if n := len(s) - 1; n > 0 {
		if count, err := strconv.ParseUint(s[:n], 10, 20); err == nil {
			unit := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[s[n]]
			if unit == 0 {
				return time.Time{}, false
			}
			return now.Add(-time.Duration(count) * unit), true
		}
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, true
		}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}
