package policy

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"reeve"
)

// disguise changes a name in ways that a file system, or a person, may not
// tell from the name itself.
func disguise(t *rapid.T, name string) string {
	invisible := []rune{0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xad, 0xfe0f, 0x202e, 0x180e, 0x34f, 0xe0100, 0x3164, 0x115f}
	var b strings.Builder
	for _, r := range name {
		for range rapid.IntRange(0, 1).Draw(t, "between") {
			b.WriteRune(rapid.SampledFrom(invisible).Draw(t, "invisible"))
		}
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			r = unicode.ToUpper(r)
		case 1: // full width
			if r > ' ' && r < 0x7f && r != '/' {
				r += 0xfee0
			}
		case 2: // any that folds to the same
			for range rapid.IntRange(0, 3).Draw(t, "orbit") {
				r = unicode.SimpleFold(r)
			}
		}
		b.WriteRune(r)
	}
	return b.String() + rapid.SampledFrom([]string{"", ".", " ", ". .", "::$DATA", ":x", "\u00a0"}).Draw(t, "end")
}

func TestDisguisedNamesAreProtected(t *testing.T) {
	p, _ := compileFor(t, "lam", "", Run{WriteRoots: []string{"/home/u"}})
	var bad []string
	for _, r := range lamRules(t) {
		bad = append(bad, strings.NewReplacer("~/", "", "*", "x").Replace(r))
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := strings.Split(rapid.SampledFrom(bad).Draw(t, "rule"), "/")
		pl := placeAt("/home/u", reeve.ReadWrite, "", reeve.File)
		for _, c := range parts {
			pl.Components = append(pl.Components, reeve.Name(disguise(t, c)))
		}
		if d := p.Decide(reeve.Subject{}, reeve.Effect{Kind: reeve.EffectRead, Place: pl}); d.Verdict != reeve.Refuse {
			t.Fatalf("%q: %+v", pl.Path(), d)
		}
	})
}

// FuzzCanon: the compared form does not depend on case, on normalisation or
// on what cannot be seen, and making it twice changes nothing.
func FuzzCanon(f *testing.F) {
	for _, s := range []string{"", ".env", ".ENV ", "\ufeff.e\u0301nv", "ﬁle.ＰＥＭ", "ẞ", "İ", "\u0345\u0399", "ᾳ", "a\xffb", "ǰ\u0323", "\u1e9b\u0323", "\u3164", "가", "K", "x..", "ΐ", "\ufb05", "℀", "№"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := string(canon(nil, s))
		if again := string(canon(nil, c)); again != c {
			t.Fatalf("canon(%q) = %q, and again %q", s, c, again)
		}
		for how, other := range map[string]string{
			"NFC": norm.NFC.String(s), "NFD": norm.NFD.String(s), "NFKC": norm.NFKC.String(s), "NFKD": norm.NFKD.String(s),
			"invisible": "\u200b" + s + "\u2060", "end": s + ". .",
		} {
			if got := string(canon(nil, other)); got != c {
				t.Fatalf("%s of %q gives %q, not %q", how, s, got, c)
			}
		}
		// Case by single characters: what each can be exchanged for.
		var b strings.Builder
		for _, r := range s {
			b.WriteRune(unicode.SimpleFold(r))
		}
		if strings.ToValidUTF8(s, "") == s {
			if got := string(canon(nil, b.String())); got != c {
				t.Fatalf("case of %q gives %q, not %q", s, got, c)
			}
		}
		var buf [16]byte
		if got := string(formOf(buf[:0], s).text); got != c {
			t.Fatalf("formOf(%q) = %q, not %q", s, got, c)
		}
	})
}

// FuzzNames: no name panics, and a protected one stays so whatever is put on.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"x", "ENV~1", "a~1.pem", "~", "~~~1", ":", "::", ".:.", "#", "##", "x.~1~", "~1~", ".~1~", "CR12FE~1.JSO", strings.Repeat("*", 300), strings.Repeat("a", 5000)} {
		f.Add(s)
	}
	p, err := LoadProfile("default")
	if err != nil {
		f.Fatal(err)
	}
	policy, _ := Compile(testEnv(), p, Config{}, Run{WriteRoots: []string{"/home/u"}})
	home := policy.Folder(placeAt("/home/u", reeve.ReadWrite, "", reeve.Directory))
	f.Fuzz(func(t *testing.T, s string) {
		d := home(s, reeve.File)
		if strings.HasSuffix(strings.ToLower(s), ".pem") && d.Verdict != reeve.Refuse {
			t.Fatalf("%q: %+v", s, d)
		}
		if home(s+".pem", reeve.File).Verdict != reeve.Refuse {
			t.Fatalf("%q with .pem: allowed", s)
		}
		if d.Verdict == reeve.Refuse && !policy.exceptNames[s] {
			for _, other := range []string{strings.ToUpper(s), s + ".", s + "::$DATA", "\u200d" + s} {
				if strings.ToValidUTF8(s, "") == s && strings.IndexByte(s, ':') < 0 && home(other, reeve.File).Verdict != reeve.Refuse && string(canon(nil, strings.ToUpper(s))) == string(canon(nil, s)) {
					t.Fatalf("%q is refused (%s), %q is not", s, d.Rule, other)
				}
			}
		}
	})
}

func FuzzWild(f *testing.F) {
	f.Add("a*b?c", "axxbyc")
	f.Add("*", "")
	f.Add("**a**", "ba")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 40 || len(s) > 40 {
			return
		}
		if got, want := wild(pattern, []byte(s)), wildSimply(pattern, []rune(s)); strings.ToValidUTF8(s+pattern, "") == s+pattern && got != want && isASCII(pattern) {
			t.Fatalf("wild(%q, %q) = %t", pattern, s, got)
		}
	})
}

func isASCII(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 0x7e }) < 0 }

func wildSimply(p string, s []rune) bool {
	if p == "" {
		return len(s) == 0
	}
	switch p[0] {
	case '*':
		for i := 0; i <= len(s); i++ {
			if wildSimply(strings.TrimLeft(p, "*"), s[i:]) {
				return true
			}
		}
		return false
	case '?':
		return len(s) > 0 && wildSimply(p[1:], s[1:])
	}
	return len(s) > 0 && s[0] == rune(p[0]) && wildSimply(p[1:], s[1:])
}
