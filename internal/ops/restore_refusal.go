package ops

import "reeve"

// refusal is why nothing was done.
func (s *restoring) refusal() error {
	if s.err != nil && s.told.State == reeve.StepRefused {
		e := *s.err
		e.Not = notRestored
		return &e
	}
	code := reeve.Changed
	switch s.told.State {
	case reeve.StepGone:
		code = reeve.NotFound
	case reeve.StepExists:
		code = reeve.Exists
	case reeve.StepNotEmpty:
		code = reeve.NotEmpty
	case reeve.StepLost:
		code = reeve.Damaged
	}
	return &reeve.Error{Op: string(restoreVerb), Path: s.Path, Kind: reeve.IO, Code: code, What: s.told.Why.String(), Not: notRestored,
		Instead: s.instead()}
}

// instead is the way on from a step that cannot be done.
func (s *restoring) instead() string {
	switch s.told.State {
	case reeve.StepExists:
		return "Move what is there to another name; then it can be taken back."
	case reeve.StepNotEmpty:
		return "Move what is in it elsewhere; then it can be taken back."
	case reeve.StepLost:
		return "`reeve undo --list` shows which other changes can be taken back."
	}
	if s.Kind == reeve.RestoreMove {
		return "It can be moved by hand; `reeve undo --list` shows the changes made since, which may be taken back first."
	}
	return "`reeve undo --dry-run` shows what is there now and what was there before."
}
