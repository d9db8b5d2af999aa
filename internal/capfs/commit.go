package capfs

import (
	"context"
	"os"

	"reeve"
)

// Committer makes proposed changes real, all of them or none. The gate stages
// first, outside any lock, beside the record's intent row, and swaps under its
// one commit lock.
//
// How a change is made is chosen per mount and file, and told in Staged.Rung:
//
//	exchange     an unnamed new file takes the place of the old one in one step
//	link         the old file is kept by a link, the new one renamed over it;
//	             a new name is made by a link, which refuses an existing one
//	in_place     the bytes are written into the old file, from a journal
//
// Methods may be called by many goroutines; one Staged belongs to one.
type Committer interface {
	// Stage prepares one change at held folders, and shows nothing under a
	// name: new bytes lie in an unnamed file, synced. Missing folders of the
	// change's place are made by Swap, through the same handle, one by one,
	// none through a link. Errors are *reeve.Error; when there is one, nothing
	// is left behind. Stage keeps what it needs of at: the caller may close
	// it afterwards.
	Stage(ctx context.Context, at At, c reeve.Change) (Staged, error)
	// Swap makes all the changes or none. Before each, what is at the place
	// is compared with what the change expects (reeve.Changed; for a create
	// and the end of a move: reeve.Exists), again on what was displaced, and
	// afterwards the parent is read back: if it has left the granted folders,
	// everything is undone. The receipt counts also when there is an error:
	// it then names what could not be put back.
	//
	// Swap waits for no disk. What it did is durable after Receipt.Sync, which
	// is called once, outside the lock.
	Swap(ctx context.Context, staged []Staged) (Receipt, error)
}

// At is where a change happens: the very folders that were judged. No path is
// looked up for it again.
type At struct {
	// Parent holds the folder that the changed name is in, or the deepest one
	// that exists where folders are still to be made.
	Parent *Held
	// To is the same for the other end of a move, nil otherwise.
	To *Held
	// Source holds the file whose bytes a change takes (reeve.FromPlace), nil
	// otherwise. It was judged for reading; the place in the content only says
	// which version of it is meant.
	Source *Held
}

// Staged is one prepared change.
type Staged interface {
	Change() reeve.Change
	// Rung is how it would be made: "exchange", "link" or "in_place".
	Rung() string
	// Cleanup drops what was prepared. It is safe to defer: after a Swap that
	// succeeded, and a second time, it does nothing.
	Cleanup() error
}

// Receipt is what a Swap did.
type Receipt struct {
	Done []Done
	// Left names what is neither old nor new, after a roll-back met somebody
	// else's change. It is empty unless Swap failed.
	Left []reeve.Place
	// Kept is what other programs saved in the very moment of a change, put
	// aside so that nothing of it is lost. Release leaves it where it is.
	Kept []Displaced

	sync  func(context.Context) error
	tally *tally
}

// Hold keeps what the journal knows of the changes until let is called, once:
// a process that ends before that leaves them to the next start, which sees
// that they were made. Hold before Sync.
func (r Receipt) Hold() (let func()) {
	if r.tally == nil {
		return func() {}
	}
	r.tally.add()
	return r.tally.done
}

// Sync makes durable what Swap did, and settles that it is not undone any
// more by a later start. It must be called once for a Swap that succeeded; it
// is not ended by ctx. After an error the changes stand, but a power cut may
// still take them back.
func (r Receipt) Sync(ctx context.Context) error {
	if r.sync == nil {
		return nil
	}
	return r.sync(ctx)
}

// Done is one change as it came out.
type Done struct {
	Change reeve.Change
	// Version is that of what stands at the place now, zero after a removal.
	Version reeve.Version
	Rung    string
	// Made are the folders that were made on the way, outermost first.
	Made []reeve.Place
	// Displaced is what stood there before, nil if nothing did. It belongs to
	// who holds the receipt: history takes it, then calls Release.
	Displaced Displaced
	// Notes are sentences that the result must say: written in place, one of
	// several names, bits that were dropped.
	Notes []string
}

// Displaced is what a change put out of the way, still whole.
type Displaced interface {
	Info() Info
	// Open opens a displaced file's bytes.
	Open(ctx context.Context) (OpenFile, error)
	// Release lets go of it for good. A file that another program still has
	// open for writing is only let go when that program is done, and comes
	// back from Ladder.Recover when something was written to it.
	Release() error
}

// Taker is a Displaced that history can have as it is.
type Taker interface {
	// TakeInto moves it into an opened folder, under a name that must be
	// free. Not taken and no error means that its bytes must be copied: the
	// folder is on another file system, or another program may still write to
	// the file. A folder is moved with everything in it. Release is called
	// all the same.
	TakeInto(dir *os.File, name string) (taken bool, err error)
}
