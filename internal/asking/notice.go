package asking

import (
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// Notice is what a desktop shows: two short texts, which hold no content of
// any file.
type Notice struct{ Title, Body string }

// Bounds of a notice, in characters.
const (
	noticeTitle = 100
	noticePath  = 200
)

// noticeOf says what is asked, of which path, and where it is answered.
func noticeOf(p reeve.Pending) Notice {
	path, _, _ := strings.Cut(p.Question.Body, "\n")
	return Notice{Title: "Reeve: " + shorten(pathname.Visible(p.Question.Title), noticeTitle),
		Body: shorten(pathname.Visible(path), noticePath) + "\nAnswer on Reeve's page, or with: reeve approve " + p.ID}
}

// shorten keeps the beginning and the end of a text: the end of a path tells
// most.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	head := most / 3
	return string(r[:head]) + "…" + string(r[len(r)-(most-head-1):])
}
