package policy

import "strings"

// nearest gives the known word that was most likely meant, "" if none is
// near.
func nearest(word string, known []string) string {
	best, at := "", 1+max(2, len(word)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(word), k, at); d < at {
			best, at = k, d
		}
	}
	return best
}

// distance counts the letters to add, drop, change or exchange with their
// neighbour. It gives bound as soon as it cannot stay below it.
func distance(a, b string, bound int) int {
	if len(a) > 64 || len(a)-len(b) >= bound || len(b)-len(a) >= bound {
		return bound
	}
	older, old, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			d := old[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, old[j]+1, now[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, older[j-2]+1)
			}
			now[j] = d
		}
		older, old, now = old, now, older
	}
	return min(old[len(b)], bound)
}
