package console

import (
	"embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"reeve"
	"reeve/internal/approval"
)

//go:embed page
var files embed.FS

// routes are all there is.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.inside(s.page))
	m.HandleFunc("GET /enter", s.enter)
	m.HandleFunc("GET /events", s.inside(s.events))
	m.HandleFunc("GET /change", s.inside(s.change))
	m.HandleFunc("POST /answer", s.inside(s.answer))
	m.HandleFunc("GET /console.js", file("console.js", "text/javascript; charset=utf-8"))
	m.HandleFunc("GET /console.css", file("console.css", "text/css; charset=utf-8"))
	m.HandleFunc("GET /icon.svg", file("icon.svg", "image/svg+xml"))
	return m
}

func file(name, kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		b, err := files.ReadFile("page/" + name)
		if err != nil {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Write(b)
	}
}

// html writes a page of ours with one word put into it.
func html(w http.ResponseWriter, status int, name, word string) {
	b, err := files.ReadFile("page/" + name)
	if err != nil {
		http.Error(w, "not here", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, strings.Replace(string(b), "{{token}}", word, 1))
}

func (s *Server) page(w http.ResponseWriter, _ *http.Request, h session) {
	html(w, http.StatusOK, "waiting.html", h.token)
}

func (s *Server) outside(w http.ResponseWriter) { html(w, http.StatusForbidden, "outside.html", "") }

// enter exchanges the code of a link for a cookie. The page that it answers
// with goes on to the console by itself, so that the browser counts it as our
// own step and sends the cookie along.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	// A browser that looks ahead must not use the code up.
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "" {
		http.Error(w, "Open this link by hand.", http.StatusServiceUnavailable)
		return
	}
	value, ok := s.gate.enter(r.URL.Query().Get("code"))
	if !ok {
		s.outside(w)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	html(w, http.StatusOK, "entered.html", "")
}

// change gives all of one change, as text. Like an answer it is for a page of
// ours alone.
func (s *Server) change(w http.ResponseWriter, r *http.Request, h session) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if !h.holds(r.Header.Get(tokenHeader)) {
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, "This page is out of date. Load it again.")
		return
	}
	all, err := s.o.Changes.Change(r.Context(), r.URL.Query().Get("id"))
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, words(err))
		return
	}
	io.WriteString(w, visible(all))
}

// tokenHeader carries the page's token. A header of our own can't be sent by
// another site's form.
const tokenHeader = "X-Reeve-Token"

const maxAnswer = 4 << 10

// answered is what the page reads after an answer.
type answered struct {
	OK   bool   `json:"ok"`
	Said string `json:"said"`
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, h session) {
	reply := func(status int, a answered) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(a)
	}
	if !h.holds(r.Header.Get(tokenHeader)) {
		reply(http.StatusForbidden, answered{Said: "This page is out of date. Load it again. Nothing was answered."})
		return
	}
	if r.Header.Get("Content-Type") != "application/json" {
		reply(http.StatusUnsupportedMediaType, answered{Said: "Not an answer. Nothing was answered."})
		return
	}
	var in struct {
		ID      string `json:"id"`
		Yes     *bool  `json:"yes"`
		Minutes int    `json:"minutes"`
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAnswer))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || in.Yes == nil || in.ID == "" {
		reply(http.StatusBadRequest, answered{Said: "Not an answer. Nothing was answered."})
		return
	}
	err := s.o.Questions.Answer(r.Context(), in.ID, approval.Answer{Yes: *in.Yes, Channel: "console", Minutes: in.Minutes})
	s.news.look()
	switch {
	case err == nil:
		reply(http.StatusOK, answered{OK: true, Said: said(*in.Yes, in.Minutes)})
	case errors.Is(err, reeve.Exists), errors.Is(err, reeve.NotFound):
		reply(http.StatusConflict, answered{Said: words(err)})
	default:
		reply(http.StatusUnprocessableEntity, answered{Said: words(err)})
	}
}

// words are those of an error that was made to be read, and of no other.
func words(err error) string {
	if e, ok := reeve.AsError(err); ok {
		e := *e
		e.Path, e.What = "", "This "+e.What
		if strings.HasPrefix(e.What, "This is a question") {
			e.What = strings.Replace(e.What, "This is a question that", "This question", 1)
		}
		return e.Error()
	}
	return "That did not work. Nothing was answered."
}
