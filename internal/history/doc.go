// Package history keeps what changes put out of the way, so that the owner
// can bring it back: bytes by their content, and beside them entries that say
// what they were, where, when, and whose change it was.
//
// Call New first (it touches no disk), then Recover, which enters what
// processes that were killed had taken and not entered, then Would before
// anyone is asked, Keep when a change was made, Entries and Open to bring
// something back, and Prune to hold the bounds, which Keep does by itself when
// they are passed.
//
// All processes of the owner share one history, and none waits for another:
// blobs are named by the hash of their content and created only by link,
// entries are appended to a segment that one process writes, and a process
// that prunes looks again before it lets go of anything. The names that a
// process works on carry its token, and a file called like the token is locked
// while it lives.
//
// The package does not protect from other programs of the same user, who can
// read and remove what is kept. It knows no rules: what it keeps may be
// protected by now, so nothing of it may be shown to an agent; it is for the
// owner's undo alone. A power cut between a change and Keep's return can cost
// the copy, not the change; what stood there is then for recovery to find, and
// what history had taken already may be entered without its path and its mode.
// A folder of which something failed to be kept stays for a day beside its
// entry, and goes with the next start. A file that another program writes to while it is
// kept is kept as it was read.
package history
