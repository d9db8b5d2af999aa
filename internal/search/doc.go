// Package search holds what searching needs and no walk: globs over names and
// relative paths (Compile), times as callers write them (ParseTime), and text
// to be found in the bytes of a file (NewNeedle).
//
// Call Compile once for a search, then Match for each entry and Below for
// each folder. Everything here is bounded: matching takes time in proportion
// to the length of the name times that of the pattern, whatever the pattern.
//
// The package opens nothing and looks at no disk. It does not protect from
// anything: whether an entry may be seen is decided before it comes here.
package search
