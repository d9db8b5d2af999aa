package capfs

import (
	"path/filepath"

	"reeve"
)

// pathOf is where an end's held folder was when it was judged.
func pathOf(e *end) string {
	up := len(e.missing) + 1
	in := min(up, len(e.place.Components))
	p := parentPlace(e.place, in).Path()
	for range up - in { // a granted folder that is still to be made itself
		p = filepath.Dir(p)
	}
	return p
}

func namesOf(list []string) []reeve.Name {
	var out []reeve.Name
	for _, n := range list {
		out = append(out, reeve.Name(n))
	}
	return out
}

// stepOf describes a staged change for the journal.
func stepOf(s *staged) noteStep {
	e := &s.from
	n := noteStep{Kind: stepKind(s.change.Kind), Folder: reeve.Name(pathOf(e)), Missing: namesOf(e.missing),
		Name: reeve.Name(e.name), Temp: reeve.Name(s.temp), OldKind: s.was.Kind, Old: s.was.Stamp, New: s.fresh.Stamp,
		Copied: s.copied, At: s.l.o.Now().UnixNano()}
	if self, err := e.top().self(); err == nil {
		n.FolderID = self.Identity
	}
	if s.inPlace != nil {
		n.Kind, n.OldBlob, n.NewBlob = stepInPlace, s.inPlace.old, s.inPlace.new
	}
	if s.to.here() {
		n.To = &noteEnd{Folder: reeve.Name(pathOf(&s.to)), Missing: namesOf(s.to.missing), Name: reeve.Name(s.to.name)}
		if self, err := s.to.top().self(); err == nil {
			n.To.FolderID = self.Identity
		}
	}
	return n
}

// note writes a staged change's own note, for what may be left lying about
// before the swap.
func (s *staged) note(n noteStep) error {
	if s.noted != "" {
		return nil
	}
	id, err := s.l.journal.begin(false, n)
	s.noted = id
	return unable(s.from.place, "be written in the journal", err)
}

// durableNote takes the place of an earlier one.
func (s *staged) durableNote(n noteStep) error {
	id, err := s.l.journal.begin(true, n)
	if err != nil {
		return unable(s.from.place, "be written in the journal", err)
	}
	s.l.journal.end(s.noted)
	s.noted = id
	return nil
}

// note says what a swap is about to do. Several changes are noted durably,
// since they are taken back together.
func (w *swap) note(mine []*staged) (ids []string, err error) {
	if len(mine) == 1 && mine[0].inPlace != nil {
		s := mine[0]
		ids, s.noted = []string{s.noted}, ""
		return ids, nil
	}
	// Also a change that would leave nothing lying about: the next start tells
	// by its note whether it was made.
	steps := make([]noteStep, 0, len(mine))
	for _, s := range mine {
		steps = append(steps, stepOf(s))
	}
	id, err := w.l.journal.begin(len(mine) > 1, steps...)
	if err != nil {
		return nil, unable(mine[0].from.place, "be written in the journal", err)
	}
	for _, s := range mine {
		w.l.journal.end(s.noted)
		s.noted = ""
	}
	return []string{id}, nil
}
