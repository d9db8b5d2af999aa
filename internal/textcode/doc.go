// Package textcode turns bytes into text and pages through its lines.
//
// Call Open first: it tells the encoding and refuses what is not text. Then
// Page, as often as needed. Encoding is the joint that writing and editing
// use: it decodes any stretch that starts and ends between characters, and
// writes text back.
//
// What a line is: it ends at "\n" or "\r\n". A lone "\r" is part of a line,
// except in a file whose beginning (all of it up to SmallFile bytes, else the
// first 64 KiB) holds lone "\r" and no "\n" at all: there "\r" ends a line
// too. U+2028, U+0085, form feeds and the like end none. A last line without
// an ending is a line, an ending at the end of the file starts none, and an
// empty file has no lines. A line is given exactly, without its ending;
// invisible and control characters stay in it.
//
// What cannot be shown is escaped and counted: a byte that belongs to no
// character as \xE9, a lone surrogate of UTF-16 as \uD800, NUL as \x00. In
// columns each of them counts as one character.
//
// The package opens nothing, and does not protect from anything: not from a
// file that changes while it is read (it reports a file that became shorter,
// ErrShort; all else is seen only by comparing stamps before and after), not
// from an Index kept for another version of the file, and not from what the
// text says. A source that blocks, blocks it: the context is looked at
// between reads only.
package textcode
