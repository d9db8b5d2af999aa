package cli

import "os"

// deepStart makes the stack large enough for all of a start at once, while
// nothing is on it. Growing in steps copies what is on it each time, and to do
// so looks each function up in tables of the program's file: 200 KB of them
// are in memory then that nobody needs again.
//
//go:noinline
func deepStart() byte {
	var room [24 << 10]byte
	n := len(os.Args) % len(room)
	room[n] = 1 // or it would not be there
	return room[n/2]
}
