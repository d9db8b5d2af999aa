package ops

import (
	"context"
	"time"

	"reeve"
	"reeve/internal/guard"
)

// copyPath copies a file, or a folder with what is in it, to a name that
// nothing has yet. The bytes go from file to file when the change is made: no
// file is held in memory.
type copyPath struct{}

const copyVerb = reeve.VerbCopyPath

// Plan implements guard.Verb.
func (copyPath) Plan(call reeve.Call, s reeve.Settings) ([]reeve.Intent, error) {
	c, err := callOf[reeve.CopyPath](call)
	if err != nil {
		return nil, err
	}
	if err := named(copyVerb, "from", c.From); err != nil {
		return nil, err
	}
	if err := named(copyVerb, "to", c.To); err != nil {
		return nil, err
	}
	return []reeve.Intent{
		{Kind: reeve.IntentWrite, Path: c.To, Parents: s.CreateParents || c.CreateParents, Tree: true},
		{Kind: reeve.IntentWalk, Path: c.From},
	}, nil
}

// Work implements guard.Verb.
func (copyPath) Work(ctx context.Context, _ reeve.Call, v *guard.View, r *guard.Reply) (guard.Work, error) {
	from, to := v.At(1).Place(), v.At(0).Place()
	if to.Exists() {
		e := &reeve.Error{Op: string(copyVerb), Path: v.At(0).Shown(), Kind: reeve.IO, Code: reeve.Exists,
			What: "exists already, so " + from.Display() + " cannot be copied there", Not: "Nothing was copied.",
			Instead: "Choose another name; to replace the file, delete it first or use write_file."}
		if to.Kind == reeve.Directory {
			e.Code, e.What = reeve.IsDirectory, "exists already, as a folder, so "+from.Display()+" cannot be copied there"
			e.Instead = guard.IntoFolder(to, from, "Choose another name.")
		}
		return guard.Work{}, e
	}
	if v.At(0).AsFolder() && from.Kind != reeve.Directory {
		return guard.Work{}, guard.FileAsFolder(copyVerb, v.At(0).Shown(), v.At(0).Intent.Path)
	}
	if err := newNames(copyVerb, v.At(0).Shown(), to); err != nil {
		return guard.Work{}, err
	}
	if from.Kind == reeve.Directory {
		return copyFolder(ctx, v, r)
	}
	wait := settleWait
	f, version, err := settled(ctx, v.At(1).Shown(), &wait, func() (*guard.File, error) { return v.Open(ctx, 1) })
	if err != nil {
		return guard.Work{}, unchanged(err)
	}
	defer f.Close()
	size := f.Size()
	return guard.Work{
		Changes: []reeve.Change{{Kind: reeve.Put, Place: to, Meta: modeOf(f.Info().Mode),
			Content: reeve.FromPlace{Place: f.Place(), Version: version}}},
		After: func(made receipt, r *guard.Reply) reeve.Answer {
			t := told(r, from, reeve.DidCopy)
			t.To = r.Path(to)
			t.Now = &reeve.Extent{Size: size}
			finish(&t, doneFor(made, 0), r)
			return &reeve.Changes{Files: []reeve.ChangedFile{t}}
		},
	}, nil
}

// settleWait bounds how long a copy waits until a file that was just written
// can be told from one that is written again. Two seconds are what the
// coarsest clocks of file systems need.
const settleWait = 2200 * time.Millisecond

// settled opens what is to be copied, with the version that the copy is bound
// to. Where a stamp alone could also be that of a later change, it waits a
// moment for the stamp to age, and hashes the content if that was in vain. All
// files of a call wait out of one purse.
func settled(ctx context.Context, shown string, wait *time.Duration, open func() (*guard.File, error)) (*guard.File, reeve.Version, error) {
	var last reeve.Stamp
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		f, err := open()
		if err != nil {
			return nil, reeve.Version{}, err
		}
		v := f.Version(nil)
		if f.Size() > smallCopy && v.Compare(v) == reeve.Same {
			return f, v, nil
		}
		moving := last != (reeve.Stamp{}) && last != f.Info().Stamp
		last = f.Info().Stamp
		ahead := time.Until(time.Unix(0, max(last.MTime, last.CTime))) > settleWait // waiting is in vain
		if f.Size() <= smallCopy || moving || ahead || *wait <= 0 || !roomFor(ctx, pause) {
			v, err := copyVersion(ctx, shown, snapshotOf(f))
			if err != nil {
				f.Close()
				return nil, v, err
			}
			return f, v, nil
		}
		f.Close()
		t := time.NewTimer(min(pause, *wait))
		select {
		case <-t.C:
			*wait -= pause
		case <-ctx.Done():
			t.Stop()
			return nil, reeve.Version{}, ctx.Err()
		}
	}
}

// roomFor reports that the call has time for a pause and for as much again.
func roomFor(ctx context.Context, pause time.Duration) bool {
	d, ok := ctx.Deadline()
	return !ok || time.Until(d) > 2*pause
}

// copyVersion is a version that rests on the content.
func copyVersion(ctx context.Context, shown string, f snapshot) (reeve.Version, error) {
	if f.Size() > maxEdited {
		return reeve.Version{}, &reeve.Error{Op: string(copyVerb), Path: shown, Kind: reeve.IO, Code: reeve.Changed,
			What: "is being written right now", Not: "Nothing was copied.", Instead: "Try again when it is complete."}
	}
	sum, err := hashWhole(ctx, f)
	if err != nil {
		return reeve.Version{}, stillRefusal(copyVerb, shown, err)
	}
	return f.version(&sum), nil
}

// smallCopy is the size in bytes up to which a file's version always rests on
// its content.
const smallCopy = 1 << 20

// modeOf are the permissions that a copy gets: those of what is copied, but
// never the right to run as somebody else.
func modeOf(mode uint32) *reeve.Meta { return &reeve.Meta{Mode: mode & 0o777} }
