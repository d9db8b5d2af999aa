package policy

import (
	"testing"

	"reeve"
)

func benchPolicy(b *testing.B) *Policy {
	p, problems := compileFor(b, "default", "", Run{WriteRoots: []string{"/home/u"}})
	if len(problems) > 0 {
		b.Fatal(problems)
	}
	return p
}

func BenchmarkDecide(b *testing.B) {
	p := benchPolicy(b)
	e := reeve.Effect{Kind: reeve.EffectRead, Place: placeAt("/home/u", reeve.ReadWrite, "work/project/internal/thing/readme.md", reeve.File)}
	b.ReportAllocs()
	for b.Loop() {
		if d := p.Decide(reeve.Subject{}, e); d.Verdict != reeve.Allow {
			b.Fatal(d)
		}
	}
}

func BenchmarkFolderEntry(b *testing.B) {
	p := benchPolicy(b)
	for name, entries := range map[string][]string{
		"ascii":   {"readme.md", "Makefile", "internal_package_test.go", "IMG_20260101_120000.jpeg", "a"},
		"unicode": {"résumé.pdf", "日本語のファイル.txt"},
	} {
		for at, dir := range map[string]string{"deep": "work/project/src", "home": ""} {
			b.Run(name+"/"+at, func(b *testing.B) {
				f := p.Folder(placeAt("/home/u", reeve.ReadWrite, dir, reeve.Directory))
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if d := f(entries[i%len(entries)], reeve.File); d.Verdict != reeve.Allow {
						b.Fatal(d)
					}
					i++
				}
			})
		}
	}
}

func BenchmarkFolder(b *testing.B) {
	p := benchPolicy(b)
	pl := placeAt("/home/u", reeve.ReadWrite, "work/project/src", reeve.Directory)
	b.ReportAllocs()
	for b.Loop() {
		if p.Folder(pl) == nil {
			b.Fatal()
		}
	}
}

// BenchmarkStart is what the policy costs when the program starts.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, _ := compileFor(b, "default", "enabled = true\n", Run{WriteRoots: []string{"/home/u"}})
		if !p.Enabled() {
			b.Fatal()
		}
	}
}
