package console

import (
	"net/http"
	"strings"
)

// policy is what a page of ours may load and do: what this server gives, and
// nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// fence stands before every route. It turns away what does not come from a
// page of ours or from the owner's own hand.
func (s *Server) fence(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Frame-Options", "DENY")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		switch why := s.foreign(r); why {
		case "":
			next.ServeHTTP(w, r)
		case "host":
			http.Error(w, "This is not the address of this console.", http.StatusMisdirectedRequest)
		default:
			http.Error(w, "Another site may not ask this.", http.StatusForbidden)
		}
	})
}

// foreign says what about a request shows that it is not ours: its host (a
// name that another site points here), or its origin.
func (s *Server) foreign(r *http.Request) string {
	_, port, _ := strings.Cut(s.Addr(), ":")
	if r.Host != "127.0.0.1:"+port && r.Host != "localhost:"+port {
		return "host"
	}
	if o := r.Header.Get("Origin"); o != "http://"+r.Host && (o != "" || r.Method != http.MethodGet && r.Method != http.MethodHead) {
		return "origin"
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return ""
	}
	// A link that was sent by message and clicked there: its code is the proof.
	if r.URL.Path == "/enter" && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return ""
	}
	return "site"
}

// cookieName differs by port: browsers do not tell ports of a host apart.
func (s *Server) cookieName() string {
	_, port, _ := strings.Cut(s.Addr(), ":")
	return "reeve-console-" + port
}

// inside lets only those in who have entered.
func (s *Server) inside(next func(http.ResponseWriter, *http.Request, session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h, ok := s.gate.of(r, s.cookieName())
		if !ok {
			s.outside(w)
			return
		}
		next(w, r, h)
	}
}
