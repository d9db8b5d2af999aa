package ops

import (
	"fmt"

	"reeve"
	"reeve/internal/guard"
	"reeve/internal/pathname"
)

// What the verbs that change something have in common: refusals, the version
// that a caller states, and how a change is told.

// refuseArgument refuses an argument of a changing verb by its name.
func refuseArgument(verb reeve.Verb, name, what, instead string) error {
	return &reeve.Error{Op: string(verb), Kind: reeve.Input, Code: reeve.Invalid,
		What: "the argument " + name + " " + what, Not: notChanged, Instead: instead}
}

const notChanged = "Nothing was changed."

// named refuses an empty path.
func named(verb reeve.Verb, name, path string) error {
	if path != "" {
		return nil
	}
	return refuseArgument(verb, name, "is empty", "Give the path; list_roots shows the folders that were granted.")
}

// unchanged gives the refusal of a look the words of a change that did not
// happen.
func unchanged(err error) error {
	e, ok := reeve.AsError(err)
	if !ok {
		return err
	}
	c := *e
	c.Not = notChanged
	return &c
}

// statedVersion reads the version token that a caller names, zero for none.
func statedVersion(verb reeve.Verb, token string) (v reeve.Version, err error) {
	if err := v.UnmarshalText([]byte(token)); err != nil {
		return v, refuseArgument(verb, "if_version", "is not a version token", "Give a version exactly as read_file, stat or a change has told it, or leave it out.")
	}
	return v, nil
}

// holds compares the version that a caller states with the one that is there.
func holds(verb reeve.Verb, shown string, stated, now reeve.Version) error {
	if stated.IsZero() {
		return nil
	}
	e := &reeve.Error{Op: string(verb), Path: shown, Kind: reeve.IO, Code: reeve.Changed, Not: notChanged,
		Instead: "Read it again before you change it; its version is now " + now.String() + "."}
	switch stated.Compare(now) {
	case reeve.Same:
		return nil
	case reeve.Different:
		e.What = "was changed since the version that if_version names"
	default:
		e.What = "may have changed since the version that if_version names: that version was told without the content's hash, which leaves it open"
	}
	return e
}

// goneVersion refuses to go on from a version of a file that is not there.
func goneVersion(verb reeve.Verb, shown string) error {
	return &reeve.Error{Op: string(verb), Path: shown, Kind: reeve.IO, Code: reeve.Changed,
		What: "does not exist, and if_version names a version of it", Not: notChanged,
		Instead: "Look whether it was moved or deleted; to make it anew, leave if_version out."}
}

// ledElsewhere: two looks at one path in one call did not find the same thing.
func ledElsewhere(verb reeve.Verb, shown string) error {
	return &reeve.Error{Op: string(verb), Path: shown, Kind: reeve.IO, Code: reeve.Changed,
		What: "was replaced by another program just now", Not: notChanged, Instead: "Look again, then decide."}
}

// maxOnTheWay is the most names that one call makes below each other: each is
// judged, asked, recorded and synced.
const maxOnTheWay = 100

// newNames refuses names that should not be made: those with control
// characters, or with characters that hide what the name is; and too many.
func newNames(verb reeve.Verb, shown string, p reeve.Place) error {
	if p.Missing > len(p.Components) {
		return nil
	}
	if over := p.Missing - maxOnTheWay; over > 0 {
		first := p
		first.Components = p.Components[:len(p.Components)-over]
		return tooLarge(verb, shown, fmt.Sprintf("needs %s folders that do not exist, one in the other, and %d are the most that are made at once",
			grouped(int64(p.Missing)), maxOnTheWay), "Make the first of them with create_directory "+first.Display()+", then call again.")
	}
	for _, n := range p.Components[len(p.Components)-p.Missing:] {
		if what := pathname.NewNameProblem(string(n), ""); what != "" {
			return &reeve.Error{Op: string(verb), Path: shown, Kind: reeve.Input, Code: reeve.Invalid,
				What: "cannot be made: the name " + pathname.Escape(string(n)) + " " + what, Not: notChanged, Instead: "Choose another name."}
		}
	}
	return nil
}

// asSeen is the version of a thing that is moved or removed as it stands: its
// content is not read for it. That the stamp may be racy is left out: bytes
// that came within the same tick of the clock go along, or are kept.
func asSeen(p reeve.Place) reeve.Version {
	if p.Kind != reeve.File {
		return reeve.Version{} // compared by identity
	}
	return reeve.NewVersion(p.Stamp, false, nil)
}

// told starts the account of one change.
func told(r *guard.Reply, p reeve.Place, did reeve.Did) reeve.ChangedFile {
	f := reeve.ChangedFile{Path: r.Path(p), Did: did, Kind: p.Kind}
	if p.Via != "" {
		f.Via = r.Text(p.Via)
	}
	return f
}

// finish adds what only the commit knows.
func finish(f *reeve.ChangedFile, d done, r *guard.Reply) {
	f.Version = d.Version
	f.InPlace = d.Rung == "in_place"
	made := d.Made
	if len(made) > madeTold {
		made, f.MadeMore = made[:1], len(made)-1
	}
	for _, m := range made {
		f.Made = append(f.Made, r.Path(m))
	}
}

// madeTold is how many folders made on the way are told one by one.
const madeTold = 8

// doneFor finds what became of one change. The receipt has them in their
// order; a shorter one would be the committer's mistake, and says nothing.
func doneFor(made receipt, i int) done {
	if i < len(made.Done) {
		return made.Done[i]
	}
	return done{}
}

func tooLarge(verb reeve.Verb, shown, what, instead string) error {
	return &reeve.Error{Op: string(verb), Path: shown, Kind: reeve.IO, Code: reeve.TooLarge,
		What: what, Not: notChanged, Instead: instead}
}

// grouped writes a number with a comma between each three digits.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}
