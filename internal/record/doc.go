// Package record keeps what was asked, decided and done: append-only lines of
// JSON, one segment file for each process, each line chained to the one
// before by SHA-256. Call Open first, then Append (reads) or AppendSync
// (changes, before they are made); Rows, Follow, Verify and Head read what all
// processes wrote.
//
// A line is {"n":…, the row's fields, "sum":"…"}. Sum is the SHA-256, in
// hexadecimal, of the previous line's sum (32 raw bytes, zero before the first
// line) followed by this line's bytes up to the comma before "sum". The first
// line of a segment names the segment; some lines name the heads of other
// segments, so that one that is gone or was written anew shows.
//
// A row that is too long for a line is cut, and kept whole in the details: one
// file beside the segment, made with its first long row. The line says where
// in it, and the SHA-256 of what stands there. A row goes to disk together with
// the details of all rows before it.
//
// A call whose row can't be written is refused, reads too. When only a sync
// fails, changes are refused and reads go on: their rows are not synced, and
// the next row begins another file.
//
// What it does not protect from: a program of the same user can rewrite every
// segment, and the heads in them, consistently. The chain shows damage and
// edits by others; heads kept elsewhere (Head, and Verify with them) show the
// rest. Rows of reads are not synced, so a power cut can lose the last of
// them. Contents of files never enter a row: what callers put into one is
// theirs to keep so.
package record
