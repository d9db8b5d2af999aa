package policy

import (
	"fmt"
	"strings"
)

// reader takes values of the right kind out of a tree and keeps what is
// wrong with the others.
type reader struct {
	file     string
	problems []Problem
}

func (r *reader) bad(v *value, entry, what, instead string) {
	r.problems = append(r.problems, Problem{File: r.file, Line: v.line, Column: v.column, Entry: entry, What: what, Instead: instead})
}

func (r *reader) kind(v *value, entry string, want kind, example string) bool {
	if v.kind == want {
		return true
	}
	r.bad(v, entry, fmt.Sprintf("is %s, and must be %s; it is left out", v.kind, want), "Write for example: "+example)
	return false
}

func (r *reader) flag(v *value, entry string, into *bool) {
	if r.kind(v, entry, flag, entry+" = true") {
		*into = v.flag
	}
}

// word takes one of a few words.
func (r *reader) word(v *value, entry string, known []string) (string, bool) {
	if !r.kind(v, entry, text, fmt.Sprintf("%s = %q", entry, known[0])) {
		return "", false
	}
	for _, k := range known {
		if v.text == k {
			return k, true
		}
	}
	r.bad(v, entry, fmt.Sprintf("is %q, which is none of %s", v.text, strings.Join(known, ", ")), meant(v.text, known))
	return "", false
}

func meant(word string, known []string) string {
	if n := nearest(word, known); n != "" {
		return fmt.Sprintf("Did you mean %q?", n)
	}
	return ""
}

// lines takes a list of texts; an entry that is none is left out.
func (r *reader) lines(v *value, entry, example string) ([]Entry, bool) {
	if !r.kind(v, entry, list, example) {
		return nil, false
	}
	out := make([]Entry, 0, len(v.list))
	for _, e := range v.list {
		if e.line == 0 {
			e.line, e.column = v.line, v.column
		}
		if !r.kind(e, "an entry of "+entry, text, example) {
			continue
		}
		if strings.TrimSpace(e.text) == "" || strings.ContainsRune(e.text, 0) {
			r.bad(e, entry, "has an empty entry, which is left out", "")
			continue
		}
		out = append(out, Entry{e.text, e.line, e.column})
	}
	return out, true
}

// unknown reports a key that means nothing here.
func (r *reader) unknown(v *value, where, key string, known []string) {
	what := "is not a key that Reeve knows; it is left out"
	if where != "" {
		what = "is not a key of " + where + "; it is left out"
	}
	r.bad(v, key, what, meant(key, known))
}

// Entry is a text of a configuration with its place there.
type Entry struct {
	Text         string
	Line, Column int
}

func texts(entries []Entry) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		out[i] = e.Text
	}
	return out
}
