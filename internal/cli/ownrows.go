package cli

import (
	"context"
	"errors"
	"time"

	"reeve"
	"reeve/internal/record"
)

// onRecord puts what the owner changes in the rules on record, before it
// happens: a grant that nobody remembers giving shows in the log. Where the
// row cannot be written nothing is changed.
// A change that gives errNoChange leaves what was there, and a row says that;
// it is no error of onRecord.
func onRecord(ctx context.Context, state, what, path string, change func() error) error {
	s, err := record.Open(record.Options{Dir: state, Process: record.Process{Name: "reeve", Version: programVersion()}})
	if err != nil {
		return err
	}
	row := reeve.Row{Time: time.Now(), Event: "policy", Target: reeve.Local, Subject: reeve.Subject{Kind: reeve.Owner, Door: "cli"},
		Asked: []string{path}, Note: what}
	if _, err := s.AppendSync(ctx, row); err != nil {
		return errors.Join(err, s.Close())
	}
	err = change()
	if errors.Is(err, errNoChange) {
		row.Time, row.Note = time.Now(), what+": nothing was changed"
		_, e := s.AppendSync(context.WithoutCancel(ctx), row)
		return errors.Join(e, s.Close())
	}
	if err != nil {
		row.Time, row.Kind, row.Code, row.Note = time.Now(), reeve.IO, reeve.Failed, what+": "+err.Error()
		_, e := s.AppendSync(context.WithoutCancel(ctx), row)
		return errors.Join(err, e, s.Close())
	}
	return s.Close()
}

// errNoChange: everything stood already as it was asked for.
var errNoChange = errors.New("nothing was changed")
