// Package edit plans changes to text: it is handed the bytes of a file and
// what is wanted, and gives the new bytes. Nothing is opened or written here.
//
// Call Apply first, for replacements of exact text; Rewrite is for a whole new
// text over an existing file. A Plan then gives Diff, and Preview shows a
// single replacement.
//
// What is kept: byte order mark, encoding, every line ending and every byte
// outside the replaced regions, bytes that are no characters among them.
// Matching is exact but for line endings: old text written with "\n" meets
// "\r\n" too. A "\r" that ends no line is data (package textcode says what a
// line is). New text is never a pattern; its line ends become those of where
// it lands.
//
// The package does not protect from anything that happens to a file between
// the reading of its bytes and the writing of the new ones, does not know
// who may see what (an excerpt in a refusal is file content, and has to pass
// the gate like any other), and does not judge whether an edit makes sense.
package edit
