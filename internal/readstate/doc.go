// Package readstate remembers what each session has seen of which file, and
// judges whether a change rests on it.
//
// Call New first, Read for each page that was shown, Wrote for each change
// that was made, and Fresh before a change. One session never vouches for
// another, and nothing else than a finished read or an own write counts:
// searches, facts, previews and excerpts in refusals are not told to it.
//
// The package does not protect from a change between Fresh and the commit
// (the commit compares versions once more), opens no files (what is on disk is
// told by the caller), and believes the caller about what was shown. All of it
// is in memory and bounded: what is forgotten has to be read again.
package readstate
