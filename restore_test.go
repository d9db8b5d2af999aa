package reeve

import (
	"testing"

	"pgregory.net/rapid"
)

func genMeta() *rapid.Generator[*Meta] {
	return rapid.Custom(func(t *rapid.T) *Meta {
		return &Meta{rapid.Uint32().Draw(t, "mode"), rapid.Int64().Draw(t, "mtime"), &Ownership{rapid.Uint32().Draw(t, "uid"), rapid.Uint32().Draw(t, "gid")},
			[]XAttr{{rapid.String().Draw(t, "name"), rapid.SliceOfN(rapid.Byte(), 1, 9).Draw(t, "value")}}}
	})
}

func TestARestoreSurvivesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, n, text := rapid.String(), rapid.Int64(), genText()
		same(t, Request{Subject: Subject{Kind: Owner}, Call: &Restore{Change: s.Draw(t, "change"), DryRun: rapid.Bool().Draw(t, "dry"), Steps: []RestoreStep{{
			Kind: RestoreFile, Path: s.Draw(t, "path"), To: s.Draw(t, "to"), Left: genVersion().Draw(t, "left"), LeftKind: File,
			LeftStamp: Stamp{genIdentity().Draw(t, "id"), n.Draw(t, "size"), n.Draw(t, "mtime"), n.Draw(t, "ctime")},
			Blob:      s.Draw(t, "blob"), Size: n.Draw(t, "bytes"), Any: true, There: true, Link: s.Draw(t, "link"), Meta: genMeta().Draw(t, "meta")}}}})
		same(t, Result{Answer: &Restored{text.Draw(t, "change"), true, []RestoredStep{{RestoreMove, StepChanged, text.Draw(t, "path"), text.Draw(t, "to"),
			text.Draw(t, "why"), n.Draw(t, "was"), n.Draw(t, "now"), []Text{text.Draw(t, "diff")}, 3}}, 4, 5}})
		same(t, *genMeta().Draw(t, "meta alone"))
	})
}

func TestDigestBindsWhatComesBack(t *testing.T) {
	seen := map[Digest]string{}
	for name, change := range map[string]func(*Change){
		"nothing":        func(*Change) {},
		"a link":         func(c *Change) { c.Content = LinkTo("a") },
		"another link":   func(c *Change) { c.Content = LinkTo("b") },
		"bytes of it":    func(c *Change) { c.Content = Bytes("a") },
		"meta":           func(c *Change) { c.Meta = &Meta{} },
		"mode":           func(c *Change) { c.Meta = &Meta{Mode: 1} },
		"time":           func(c *Change) { c.Meta = &Meta{MTime: 1} },
		"owner":          func(c *Change) { c.Meta = &Meta{Owner: &Ownership{}} },
		"user":           func(c *Change) { c.Meta = &Meta{Owner: &Ownership{UID: 1}} },
		"group":          func(c *Change) { c.Meta = &Meta{Owner: &Ownership{GID: 1}} },
		"attribute":      func(c *Change) { c.Meta = &Meta{XAttrs: []XAttr{{"a", []byte("b")}}} },
		"attribute name": func(c *Change) { c.Meta = &Meta{XAttrs: []XAttr{{"ab", nil}}} },
	} {
		p := proposal()
		change(&p.Changes[0])
		if other, ok := seen[p.Digest()]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[p.Digest()] = name
	}
}
