package ops

import (
	"context"

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
		return guard.Work{}, &reeve.Error{Op: string(copyVerb), Path: v.At(0).Shown(), Kind: reeve.IO, Code: reeve.Exists,
			What: "exists already, so " + from.Display() + " cannot be copied there", Not: "Nothing was copied.",
			Instead: "Choose another name; to replace the file, delete it first or use write_file."}
	}
	if err := newNames(copyVerb, v.At(0).Shown(), to); err != nil {
		return guard.Work{}, err
	}
	if from.Kind == reeve.Directory {
		return copyFolder(ctx, v, r)
	}
	f, err := v.Open(ctx, 1)
	if err != nil {
		return guard.Work{}, unchanged(err)
	}
	defer f.Close()
	version, err := copyVersion(ctx, v.At(1).Shown(), snapshotOf(f))
	if err != nil {
		return guard.Work{}, err
	}
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

// copyVersion is the version that a copy is bound to. Where the stamp alone
// could also be that of a later change, the content is hashed.
func copyVersion(ctx context.Context, shown string, f snapshot) (reeve.Version, error) {
	v := f.version(nil)
	if f.Size() > smallCopy && v.Compare(v) == reeve.Same {
		return v, nil
	}
	if f.Size() > maxEdited {
		return v, &reeve.Error{Op: string(copyVerb), Path: shown, Kind: reeve.IO, Code: reeve.Changed,
			What: "is being written right now", Not: "Nothing was copied.", Instead: "Try again when it is complete."}
	}
	sum, err := hashWhole(ctx, f)
	if err != nil {
		return v, stillRefusal(copyVerb, shown, err)
	}
	return f.version(&sum), nil
}

// smallCopy is the size in bytes up to which a file's version always rests on
// its content.
const smallCopy = 1 << 20

// modeOf are the permissions that a copy gets: those of what is copied, but
// never the right to run as somebody else.
func modeOf(mode uint32) *reeve.Meta { return &reeve.Meta{Mode: mode & 0o777} }
