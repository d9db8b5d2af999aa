package reeve

import (
	"time"

	"pgregory.net/rapid"
)

// Generators of every word that crosses JSON. Names are any bytes that a
// file system can hold; other text is UTF-8.

func genName() *rapid.Generator[Name] {
	return rapid.Custom(func(t *rapid.T) Name {
		b := rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 12).Draw(t, "name")
		for i := range b {
			if b[i] == '/' {
				b[i] = '\n'
			}
		}
		if rapid.Bool().Draw(t, "looks escaped") {
			return Name("$'" + string(b))
		}
		return Name(b)
	})
}

func genText() *rapid.Generator[Text] {
	return rapid.Map(rapid.String(), func(s string) Text { return Cleared(s) })
}

func genTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "none") {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "s"), rapid.Int64Range(0, 999999999).Draw(t, "ns")).UTC()
	})
}

func genIdentity() *rapid.Generator[Identity] {
	return rapid.Custom(func(t *rapid.T) Identity {
		return Identity{rapid.Uint64().Draw(t, "device"), rapid.Uint64().Draw(t, "inode"), rapid.Int64().Draw(t, "birth")}
	})
}

func genPlace() *rapid.Generator[Place] {
	return rapid.Custom(func(t *rapid.T) Place {
		p := Place{
			Target:   Target(rapid.String().Draw(t, "target")),
			Root:     RootID(rapid.String().Draw(t, "root")),
			RootPath: "/" + genName().Draw(t, "root path"),
			Missing:  rapid.IntRange(0, 3).Draw(t, "missing"),
			Kind:     rapid.SampledFrom([]FileKind{File, Directory, Symlink, Special, Absent}).Draw(t, "kind"),
			Links:    rapid.Uint64().Draw(t, "links"),
			Mode:     rapid.Uint32().Draw(t, "mode"),
			Stamp:    Stamp{genIdentity().Draw(t, "id"), rapid.Int64().Draw(t, "size"), rapid.Int64().Draw(t, "mtime"), rapid.Int64().Draw(t, "ctime")},
			Access:   rapid.SampledFrom([]Access{Read, ReadWrite, ""}).Draw(t, "access"),
			Via:      rapid.String().Draw(t, "via"),
		}
		if n := rapid.SliceOfN(genName(), 0, 4).Draw(t, "components"); len(n) > 0 {
			p.Components = n
		}
		if rapid.Bool().Draw(t, "marked") {
			p.Marks = []Mark{{MarkProtected, "~/.ssh"}, {MarkOwn, rapid.String().Draw(t, "rule")}}
		}
		return p
	})
}

func genVersion() *rapid.Generator[Version] {
	return rapid.Custom(func(t *rapid.T) Version {
		s := Stamp{Identity: genIdentity().Draw(t, "id"), Size: rapid.Int64().Draw(t, "size"), MTime: rapid.Int64().Draw(t, "mtime"), CTime: rapid.Int64().Draw(t, "ctime")}
		switch rapid.IntRange(0, 2).Draw(t, "sort") {
		case 0:
			return Version{}
		case 1:
			return NewVersion(s, rapid.Bool().Draw(t, "racy"), nil)
		}
		var h [32]byte
		copy(h[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "hash"))
		return NewVersion(s, rapid.Bool().Draw(t, "racy"), &h)
	})
}

func genSubject() *rapid.Generator[Subject] {
	return rapid.Custom(func(t *rapid.T) Subject {
		s := rapid.String()
		return Subject{rapid.SampledFrom([]SubjectKind{"", Agent, Owner}).Draw(t, "kind"), s.Draw(t, "agent"), s.Draw(t, "door"),
			s.Draw(t, "session"), rapid.Bool().Draw(t, "told"), s.Draw(t, "turn"), s.Draw(t, "connection")}
	})
}

func genError() *rapid.Generator[*Error] {
	return rapid.Custom(func(t *rapid.T) *Error {
		s := rapid.String()
		return &Error{Op: s.Draw(t, "op"), Path: s.Draw(t, "path"), Kind: rapid.SampledFrom([]Kind{Policy, Approval, IO, Input}).Draw(t, "kind"),
			Code: rapid.SampledFrom([]Code{OutsideRoots, NotFound, Waiting, LocalRootDenied}).Draw(t, "code"),
			What: s.Draw(t, "what"), Not: s.Draw(t, "not"), Instead: s.Draw(t, "instead")}
	})
}

func genCall() *rapid.Generator[Call] {
	return rapid.Custom(func(t *rapid.T) Call {
		s, n := rapid.String(), rapid.Int()
		size := rapid.Ptr(rapid.Int64(), true)
		switch rapid.IntRange(0, 10).Draw(t, "verb") {
		case 0:
			return &ListRoots{}
		case 1:
			return &ListDirectory{s.Draw(t, "path"), rapid.Bool().Draw(t, "hidden"), rapid.Bool().Draw(t, "recursive"), n.Draw(t, "depth"), s.Draw(t, "cursor"), n.Draw(t, "max")}
		case 2:
			return &SearchFiles{Pattern: s.Draw(t, "pattern"), Path: s.Draw(t, "path"), Contains: s.Draw(t, "contains"), Type: s.Draw(t, "type"),
				ModifiedAfter: s.Draw(t, "ma"), CreatedBefore: s.Draw(t, "cb"), LargerThan: size.Draw(t, "larger"), SmallerThan: size.Draw(t, "smaller"),
				Sort: s.Draw(t, "sort"), Hidden: rapid.Ptr(rapid.Bool(), true).Draw(t, "hidden"), Ignored: rapid.Bool().Draw(t, "ignored"), Limit: n.Draw(t, "limit"), Cursor: s.Draw(t, "cursor")}
		case 3:
			return &Stat{s.Draw(t, "path")}
		case 4:
			return &WriteFile{s.Draw(t, "path"), s.Draw(t, "content"), s.Draw(t, "version"), rapid.Bool().Draw(t, "parents")}
		case 5:
			return &EditFile{s.Draw(t, "path"), []Edit{{s.Draw(t, "its path"), s.Draw(t, "old"), s.Draw(t, "new"), rapid.Bool().Draw(t, "all")}},
				rapid.Bool().Draw(t, "dry"), s.Draw(t, "version"), rapid.Bool().Draw(t, "create")}
		case 6:
			return &CreateDirectory{s.Draw(t, "path")}
		case 7:
			return &CopyPath{s.Draw(t, "from"), s.Draw(t, "to"), rapid.Bool().Draw(t, "parents")}
		case 8:
			return &MovePath{s.Draw(t, "from"), s.Draw(t, "to"), rapid.Bool().Draw(t, "parents")}
		case 9:
			return &DeletePath{s.Draw(t, "path"), rapid.Bool().Draw(t, "recursive")}
		}
		return &ReadFile{rapid.SliceOfN(s, 1, 3).Draw(t, "paths"), n.Draw(t, "offset"), n.Draw(t, "column"), n.Draw(t, "limit")}
	})
}

func genEntries() *rapid.Generator[[]Entry] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Entry {
		return Entry{genText().Draw(t, "name"), File, genText().Draw(t, "link"), rapid.Int64().Draw(t, "size"), genTime().Draw(t, "modified"), rapid.Bool().Draw(t, "protected")}
	}), 1, 3)
}

func genSkipped() *rapid.Generator[[]Skipped] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Skipped {
		return Skipped{rapid.String().Draw(t, "reason"), rapid.Int().Draw(t, "count"), rapid.SliceOfN(genText(), 1, 2).Draw(t, "paths")}
	}), 1, 3)
}

func genAnswer() *rapid.Generator[Answer] {
	return rapid.Custom(func(t *rapid.T) Answer {
		text, s := genText(), rapid.String()
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return &Roots{[]RootInfo{{Local, RootID(s.Draw(t, "id")), text.Draw(t, "path"), ReadWrite, StateSuspended, text.Draw(t, "note")}}, text.Draw(t, "relative"), []Limit{{"x", 3, "B"}}}
		case 1:
			return &Listing{text.Draw(t, "path"), genEntries().Draw(t, "entries"), rapid.Int().Draw(t, "left"), s.Draw(t, "cursor"), rapid.Bool().Draw(t, "changed"), s.Draw(t, "truncated"), genSkipped().Draw(t, "skipped")}
		case 2:
			return &Found{text.Draw(t, "path"), genEntries().Draw(t, "entries"), s.Draw(t, "cursor"), rapid.Bool().Draw(t, "changed"), rapid.SliceOfN(s, 1, 2).Draw(t, "incomplete"), genSkipped().Draw(t, "skipped"), rapid.Int().Draw(t, "looked")}
		case 3:
			return &Facts{text.Draw(t, "path"), Directory, rapid.Int64().Draw(t, "size"), genTime().Draw(t, "m"), genTime().Draw(t, "c"), genTime().Draw(t, "a"),
				s.Draw(t, "permissions"), rapid.Uint64().Draw(t, "links"), text.Draw(t, "link"), Read, genVersion().Draw(t, "version")}
		}
		if rapid.Bool().Draw(t, "changes") {
			return genChanges().Draw(t, "changed")
		}
		return &Pages{[]Page{{Path: text.Draw(t, "path"), Lines: []Line{{rapid.Int64().Draw(t, "n"), text.Draw(t, "text"), 3, true, 7}}, Total: 9, Counted: true, FromEnd: true, Redacted: true,
			Next: &Next{rapid.Int64().Draw(t, "offset"), 2}, Stopped: "bytes", Size: 7, Version: genVersion().Draw(t, "version"), Encoding: "utf-8", BOM: true, Endings: "lf", Whole: true, BadBytes: 1},
			{Path: text.Draw(t, "other"), Err: genError().Draw(t, "err")}}}
	})
}

func genChanges() *rapid.Generator[*Changes] {
	return rapid.Custom(func(t *rapid.T) *Changes {
		text, n := genText(), rapid.Int64()
		extent := &Extent{n.Draw(t, "size"), n.Draw(t, "lines"), true, 3, 2, 1}
		return &Changes{DryRun: true, Files: []ChangedFile{{Path: text.Draw(t, "path"), To: text.Draw(t, "to"), Did: DidEdit, Kind: File,
			Was: extent, Now: extent, Replacements: 2, Version: genVersion().Draw(t, "version"), Excerpt: []Line{{n.Draw(t, "n"), text.Draw(t, "text"), 3, true, 7}},
			More: n.Draw(t, "more"), Diff: []Text{text.Draw(t, "diff")}, Encoding: "utf-16le", BOM: true, Endings: "crlf",
			Made: []Text{text.Draw(t, "made")}, MadeMore: 3, InPlace: true, Names: 2, Via: text.Draw(t, "via")}}}
	})
}

func genOutcome() *rapid.Generator[Outcome] {
	return rapid.Custom(func(t *rapid.T) Outcome {
		if rapid.Bool().Draw(t, "result") {
			return Outcome{Result: &Result{genAnswer().Draw(t, "answer"), rapid.SliceOfN(genText(), 1, 2).Draw(t, "notes"), rapid.SliceOfN(genText(), 1, 2).Draw(t, "access")}}
		}
		s := rapid.String()
		to := genPlace().Draw(t, "to")
		p := &Pending{ID: s.Draw(t, "id"), Expires: genTime().Draw(t, "expires"), Question: Question{s.Draw(t, "title"), s.Draw(t, "body"), true, s.Draw(t, "detail"), &Left{1, 2, 3, 4, true}, true,
			[]Effect{{EffectMove, genPlace().Draw(t, "place"), &to}}, rapid.Bool().Draw(t, "remember")}}
		copy(p.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
		return Outcome{Pending: p}
	})
}
