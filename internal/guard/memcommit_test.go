package guard

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/capfstest"
)

// memCommitter makes changes to files in memory: compare-and-swap, all or
// none.
type memCommitter struct{ mem *capfstest.Memory }

type memStaged struct {
	change  reeve.Change
	content []byte
	cleaned bool
}

func (s *memStaged) Change() reeve.Change { return s.change }
func (s *memStaged) Rung() string         { return "exchange" }
func (s *memStaged) Cleanup() error       { s.cleaned, s.content = true, nil; return nil }

func (m *memCommitter) Stage(_ context.Context, parent *capfs.Held, c reeve.Change) (capfs.Staged, error) {
	if parent == nil {
		return nil, errors.New("no held place for the change")
	}
	s := &memStaged{change: c}
	if b, ok := c.Content.(reeve.Bytes); ok {
		s.content = append([]byte{}, b...)
	}
	return s, nil
}

func (m *memCommitter) Swap(_ context.Context, staged []capfs.Staged) (capfs.Receipt, error) {
	var undo []capfstest.Op
	var r capfs.Receipt
	for _, st := range staged {
		s := st.(*memStaged)
		if s.cleaned {
			return r, errors.New("swapped after it was cleaned up")
		}
		done, back, err := m.one(s)
		if err != nil {
			for i := len(undo) - 1; i >= 0; i-- {
				if e := m.mem.Make(undo[i]); e != nil {
					return r, e
				}
			}
			return capfs.Receipt{}, err
		}
		undo = append(undo, back)
		r.Done = append(r.Done, done)
	}
	return r, nil
}

func (m *memCommitter) one(s *memStaged) (capfs.Done, capfstest.Op, error) {
	path := s.change.Place.Path()
	done := capfs.Done{Change: s.change, Rung: "exchange"}
	info, err := m.mem.Stat(path, false)
	if s.change.Place.Exists() {
		if err != nil || s.change.Expect.Compare(reeve.NewVersion(info.Stamp, false, nil)) != reeve.Same {
			return done, capfstest.Op{}, &reeve.Error{Path: path, Kind: reeve.IO, Code: reeve.Changed, What: "has changed"}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return done, capfstest.Op{}, &reeve.Error{Path: path, Kind: reeve.IO, Code: reeve.Exists, What: "exists"}
	}
	var op, back capfstest.Op
	switch s.change.Kind {
	case reeve.Put:
		op = capfstest.Op{Verb: "file", Path: path, Arg: string(s.content)}
		back = capfstest.Op{Verb: "remove", Path: path}
		if old, err := m.mem.Bytes(path); err == nil {
			back = capfstest.Op{Verb: "file", Path: path, Arg: string(old)}
		}
	case reeve.Mkdir:
		op, back = capfstest.Op{Verb: "dir", Path: path}, capfstest.Op{Verb: "remove", Path: path}
	case reeve.Remove:
		old, _ := m.mem.Bytes(path)
		op, back = capfstest.Op{Verb: "remove", Path: path}, capfstest.Op{Verb: "file", Path: path, Arg: string(old)}
	case reeve.Move:
		to := s.change.To.Path()
		if _, err := m.mem.Stat(to, false); err == nil {
			return done, op, syscall.EEXIST
		}
		op, back = capfstest.Op{Verb: "move", Path: path, Arg: to}, capfstest.Op{Verb: "move", Path: to, Arg: path}
	}
	if err := m.mem.Make(op); err != nil {
		return done, op, err
	}
	if after, err := m.mem.Stat(path, false); err == nil {
		done.Version = reeve.NewVersion(after.Stamp, false, nil)
	}
	return done, back, nil
}
