package dialect

import "strings"

// nearest gives the name that a key was probably meant to be, or "". Keys
// that differ in case or punctuation come first, then names inside the key
// (file_path for path), then slips of the pen.
func nearest(key string, names []string) string {
	if len(key) == 0 || len(key) > 64 {
		return ""
	}
	plain := bare(key)
	best, score := "", len(plain)/3+1
	for _, n := range names {
		if bare(n) == plain {
			return n
		}
		if d := distance(plain, bare(n)); d < score {
			best, score = n, d
		}
	}
	if best != "" {
		return best
	}
	for _, n := range names {
		if len(bare(n)) > 3 && (strings.Contains(plain, bare(n)) || len(plain) > 3 && strings.Contains(bare(n), plain)) {
			return n
		}
	}
	return ""
}

func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// distance counts the letters to put in, take out or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
