package repotest

import (
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Word is something that must not be committed.
type Word struct {
	Text string
	Why  string
	// Whole asks for a word by itself, Path for the beginning of an absolute
	// path.
	Whole, Path bool
	// Then must follow the text, if set (a digit, for instance).
	Then string
}

// Words lists what must not be committed. They are put together from halves
// so that this file passes its own check.
func Words() []Word {
	later := "unfinished work is either done or told to the owner of the project, not left in the source"
	w := []Word{
		{Text: "TO" + "DO", Whole: true, Why: later},
		{Text: "FIX" + "ME", Whole: true, Why: later},
		{Text: "XX" + "X", Whole: true, Why: later},
		{Text: "HA" + "CK", Whole: true, Why: later},
		{Text: "iss" + "ue ", Then: "0123456789#", Why: "numbers of a tracker mean nothing to a reader of the source; say what the matter is"},
		{Text: "<<<<" + "<<< ", Why: "a merge was not finished"},
		{Text: ">>>>" + ">>> ", Why: "a merge was not finished"},
		{Text: "BEGIN OPENSSH " + "PRIVATE KEY", Why: "keys are never committed, not even invented ones: scanners cannot tell"},
	}
	for _, host := range []string{"registry." + "npmjs.org", "proxy." + "golang.org", "goproxy" + ".", "pypi" + ".org"} {
		w = append(w, Word{Text: host, Why: "where packages come from is the builder's setting"})
	}
	return w
}

// BuildPaths are words for places of one computer, such as the checkout and
// its caches. A path of a single component is too common to tell anything.
func BuildPaths(paths ...string) []Word {
	var out []Word
	for _, p := range paths {
		p = strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/")
		if strings.Count(p, "/") < 2 {
			continue
		}
		out = append(out, Word{Text: p, Path: true, Why: "it is a path of one computer; everyone else's is another"})
	}
	return out
}

// ForbiddenWords looks through every text file of the repository.
func ForbiddenWords(fsys fs.FS, words []Word) ([]Finding, error) {
	var out []Finding
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || path.Base(p) == "go.sum" {
			return nil
		}
		b, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		if bytes.IndexByte(b[:min(len(b), 8192)], 0) >= 0 {
			return nil
		}
		line := 0
		for l := range bytes.Lines(b) {
			line++
			for _, w := range words {
				if w.in(l) {
					out = append(out, Finding{p + ":" + strconv.Itoa(line), "holds " + w.Text + ": " + w.Why})
				}
			}
		}
		return nil
	})
	return out, err
}

func (w Word) in(line []byte) bool {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(w.Text))
		if i < 0 {
			return false
		}
		i += at
		end := i + len(w.Text)
		var before, after byte
		if i > 0 {
			before = line[i-1]
		}
		if end < len(line) {
			after = line[end]
		}
		ok := true
		if w.Whole {
			ok = !wordByte(before) && !wordByte(after)
		}
		if w.Path {
			ok = !wordByte(before) && !wordByte(after) && (before == 0 || strings.IndexByte("./~-", before) < 0)
		}
		if w.Then != "" {
			ok = ok && after != 0 && strings.IndexByte(w.Then, after) >= 0
		}
		if ok {
			return true
		}
		at = end
	}
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
