package console

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reeve"
	"reeve/internal/approval"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is the real table of questions, with a clock.
type desk struct {
	*approval.Table
	mu  sync.Mutex
	now time.Time
	n   byte
}

func newDesk(t testing.TB) *desk {
	d := &desk{now: time.Now()}
	d.Table = approval.NewTable(approval.TableOptions{Dir: filepath.Join(t.TempDir(), "state"), Now: d.clock})
	return d
}

func (d *desk) clock() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

func (d *desk) pass(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

func (d *desk) ask(t testing.TB, q reeve.Question) reeve.Pending {
	t.Helper()
	d.n++
	p, err := d.Ask(t.Context(), reeve.Digest{d.n}, q, reeve.Subject{Kind: reeve.Agent, Agent: "claude-code", Door: "stdio"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write() reeve.Question {
	return reeve.Question{Title: "Overwrite report.md?", Body: "/home/ann/report.md\nReplaces 1,240 bytes, 40 lines, last changed 3 days ago.\nNew content is 2,180 bytes, 61 lines.",
		Remember: true, Effects: []reeve.Effect{{Kind: reeve.EffectReplace}}, Detail: "--- report.md\n+++ report.md\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n"}
}

// start runs a console until the test ends.
func start(t testing.TB, d *desk, change func(*Options)) *Server {
	t.Helper()
	o := Options{Questions: d, Changes: d, Mark: d.Mark, Now: d.clock, Every: 2 * time.Millisecond, Grace: 5 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	s := New(o)
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// browser is an HTTP client that keeps cookies as a browser does.
type browser struct {
	t     testing.TB
	s     *Server
	c     *http.Client
	token string
}

func newBrowser(t testing.TB, s *Server) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &browser{t: t, s: s, c: &http.Client{Jar: jar, Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func (b *browser) do(method, path, body string, headers ...string) (*http.Response, string) {
	b.t.Helper()
	url := path
	if !strings.HasPrefix(path, "http") {
		url = "http://" + b.s.Addr() + path
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := b.c.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(text)
}

// enter goes in by the link and learns the page's token.
func (b *browser) enter() *browser {
	b.t.Helper()
	if res, text := b.do("GET", b.s.Link(), ""); res.StatusCode != 200 {
		b.t.Fatal(res.Status, text)
	}
	_, page := b.do("GET", "/", "")
	_, after, ok := strings.Cut(page, `name="reeve-token" content="`)
	if !ok {
		b.t.Fatal("no token in the page")
	}
	b.token, _, _ = strings.Cut(after, `"`)
	return b
}

func (b *browser) answer(body string, headers ...string) (*http.Response, answered) {
	b.t.Helper()
	all := append([]string{"Origin", "http://" + b.s.Addr(), "Content-Type", "application/json", tokenHeader, b.token}, headers...)
	res, text := b.do("POST", "/answer", body, all...)
	var a answered
	if res.Header.Get("Content-Type") == "application/json" {
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			b.t.Fatal(err, text)
		}
	}
	return res, a
}

// stream opens the page's events; next gives one message after another.
func (b *browser) stream() (next func() message, stop func()) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+b.s.Addr()+"/events", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	res, err := b.c.Do(r)
	if err != nil || res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		b.t.Fatal(res, err)
	}
	b.t.Cleanup(func() { cancel(); res.Body.Close() })
	lines := bufio.NewReader(res.Body)
	return func() message {
		b.t.Helper()
		for {
			l, err := lines.ReadString('\n')
			if err != nil {
				b.t.Fatal("the stream ended: ", err)
			}
			if data, ok := strings.CutPrefix(l, "data: "); ok {
				var m message
				if err := json.Unmarshal([]byte(data), &m); err != nil {
					b.t.Fatal(err)
				}
				return m
			}
		}
	}, func() { cancel(); res.Body.Close() }
}

// until reads messages until one fits.
func until(t testing.TB, next func() message, fits func(message) bool) message {
	t.Helper()
	for range 1000 {
		if m := next(); fits(m) {
			return m
		}
	}
	t.Fatal("it did not come")
	return message{}
}
