package reeve

import (
	"context"
	"io"
)

// ChangeKind is one of the four ways in which a disk is changed.
type ChangeKind string

const (
	Put    ChangeKind = "put" // create or replace a file
	Remove ChangeKind = "remove"
	Move   ChangeKind = "move" // never onto an existing name
	Mkdir  ChangeKind = "mkdir"
)

// Change is what a mutating verb proposes. Nothing happens by making one.
type Change struct {
	Kind  ChangeKind `json:"kind"`
	Place Place      `json:"place"`
	To    *Place     `json:"to,omitempty"` // destination of a move
	// Expect is the version the change is based on. For a place that does
	// not exist it is zero, and the change is create-only.
	Expect Version `json:"expect,omitzero"`
	// Tree: a folder is removed with everything that is in it. Without it, a
	// folder that is not empty is refused.
	Tree bool `json:"tree,omitempty"`
	// Content is set for Put only.
	Content Content `json:"-"`
	// Temp is the hidden name that may stand beside the place while the
	// change is made, and for what was displaced until history has it. It is
	// chosen before the intent is recorded, so that the record tells what to
	// look for after a crash; empty lets the committer choose.
	Temp Name `json:"temp,omitempty"`
	// Meta is what a Put or Mkdir gives a new thing beside its bytes: for what
	// is brought back. Of what is replaced only the time is taken from it: the
	// rest stays as it is. Nil: a new thing gets what is usual. Times of folders are set after all changes of
	// the call. An owner that may not be given is left out, and said.
	Meta *Meta `json:"meta,omitempty"`
}

// Content is where the new bytes of a Put come from: Bytes, FromPlace or
// Stream; or LinkTo, which makes no file.
type Content interface{ isContent() }

// Bytes is content held in memory.
type Bytes []byte

// FromPlace is the content of another place at a fixed version (copy,
// restore).
type FromPlace struct {
	Place   Place
	Version Version
}

// Stream is content that never stands in memory whole. What it binds in a
// digest is its source, not its bytes; the source must refuse a read when its
// version is no longer the one named here.
type Stream struct {
	Size   int64
	Source FromPlace
	// Open is called at most once, when the change is staged. The caller
	// closes the reader.
	Open func(context.Context) (io.ReadCloser, error)
}

// LinkTo makes a symbolic link with this text, any bytes, where nothing is
// yet. It never replaces anything.
type LinkTo string

func (Bytes) isContent()     {}
func (LinkTo) isContent()    {}
func (FromPlace) isContent() {}
func (Stream) isContent()    {}
