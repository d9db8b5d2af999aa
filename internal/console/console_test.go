package console

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
	"reeve/internal/approval"
)

func TestTheLinkLetsOneBrowserInOnce(t *testing.T) {
	d := newDesk(t)
	s := start(t, d, nil)
	link := s.Link()
	if !strings.HasPrefix(link, "http://127.0.0.1:") {
		t.Error(link)
	}
	b := newBrowser(t, s)
	for name, headers := range map[string][]string{"looking ahead": {"Sec-Purpose", "prefetch"}, "an older way of it": {"Purpose", "prefetch"}} {
		if res, _ := b.do("GET", link, "", headers...); res.StatusCode != 503 || len(res.Cookies()) != 0 {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	if res, _ := b.do("HEAD", link, ""); len(res.Cookies()) != 0 {
		t.Error("HEAD got a cookie")
	}
	if res, text := b.do("GET", "/", ""); res.StatusCode != 403 || !strings.Contains(text, "reeve console") {
		t.Error(res.Status)
	}
	res, page := b.do("GET", link, "")
	cookies := res.Cookies()
	if res.StatusCode != 200 || len(cookies) != 1 || !strings.Contains(page, `content="0; url=/"`) {
		t.Fatal(res.Status, cookies)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.MaxAge != 0 || len(c.Value) < 20 || strings.Contains(link, c.Value) {
		t.Errorf("%+v", c)
	}
	if res, page := b.do("GET", "/", ""); res.StatusCode != 200 || !strings.Contains(page, "Waiting") || strings.Contains(page, "{{") {
		t.Error(res.Status)
	}
	thief := newBrowser(t, s)
	if res, _ := thief.do("GET", link, ""); res.StatusCode != 403 || len(res.Cookies()) != 0 {
		t.Error("a link was good twice")
	}
	late := s.Link()
	d.pass(codeLife)
	if res, _ := thief.do("GET", late, ""); res.StatusCode != 403 {
		t.Error("a link of a minute ago is good")
	}
	first, second := s.Link(), s.Link()
	if res, _ := thief.do("GET", first, ""); res.StatusCode != 403 {
		t.Error("a link is good after a newer one was made")
	}
	if res, _ := thief.do("GET", "/enter?code=", ""); res.StatusCode != 403 {
		t.Error("no code is good")
	}
	if res, _ := newBrowser(t, s).do("GET", second, ""); res.StatusCode != 200 {
		t.Error("a wrong try used the code up")
	}
	d.pass(sessionLife)
	if res, _ := b.do("GET", "/", ""); res.StatusCode != 403 {
		t.Error("a cookie of yesterday is good")
	}
}

// Every request is looked at: where it thinks it goes, and who sent it.
func TestOtherSitesAreTurnedAway(t *testing.T) {
	s := start(t, newDesk(t), nil)
	_, port, _ := strings.Cut(s.Addr(), ":")
	b := newBrowser(t, s).enter()
	for name, c := range map[string]struct {
		path    string
		headers []string
		want    int
	}{
		"the owner's hand":                {"/", []string{"Sec-Fetch-Site", "none"}, 200},
		"our page":                        {"/", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		"by name":                         {"/console.js", []string{"Host", "localhost:" + port}, 200},
		"another name for this computer":  {"/", []string{"Host", "evil.example:" + port}, 421},
		"another name without a port":     {"/", []string{"Host", "evil.example"}, 421},
		"this address without a port":     {"/", []string{"Host", "127.0.0.1"}, 421},
		"another port":                    {"/", []string{"Host", "127.0.0.1:1"}, 421},
		"a name that begins like ours":    {"/", []string{"Host", "localhost:" + port + ".evil.example"}, 421},
		"a name that ends like ours":      {"/", []string{"Host", "evil.localhost:" + port}, 421},
		"the files too":                   {"/console.js", []string{"Host", "evil.example"}, 421},
		"another site's script":           {"/events", []string{"Origin", "http://evil.example"}, 403},
		"a page without an origin":        {"/events", []string{"Origin", "null"}, 403},
		"another port's page":             {"/events", []string{"Origin", "http://127.0.0.1:1"}, 403},
		"our name in another way":         {"/events", []string{"Origin", "https://127.0.0.1:" + port}, 403},
		"another site's image":            {"/icon.svg", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"another site's frame":            {"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		"another port's script":           {"/events", []string{"Sec-Fetch-Site", "same-site"}, 403},
		"another site's link to the page": {"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		"another site's frame of a link":  {"/enter?code=x", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		"no such page":                    {"/etc/passwd", nil, 404},
		"a file of ours by a way around":  {"/page/../console.js", nil, 307},
	} {
		res, text := b.do("GET", c.path, "", c.headers...)
		if res.StatusCode != c.want {
			t.Errorf("%s: %s, want %d", name, res.Status, c.want)
		}
		if h := res.Header; h.Get("X-Frame-Options") != "DENY" || h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" ||
			!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") || strings.Contains(h.Get("Content-Security-Policy"), "unsafe") ||
			h.Get("Access-Control-Allow-Origin") != "" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", name, h)
		}
		if c.want != 200 && strings.Contains(text, b.token) {
			t.Errorf("%s: it got the token", name)
		}
	}
	// Nothing is loaded from elsewhere, and no script or style stands in a page.
	for _, path := range []string{"/", "/enter?code=x"} {
		_, page := b.do("GET", path, "")
		for _, bad := range []string{"http:", "https:", "//", "<style", " style=", "<script>", " onclick"} {
			if strings.Contains(strings.ReplaceAll(page, "http-equiv", ""), bad) {
				t.Errorf("%s holds %q", path, bad)
			}
		}
	}
}

func TestAnAnswerNeedsThePagesToken(t *testing.T) {
	d := newDesk(t)
	s := start(t, d, nil)
	p := d.ask(t, write())
	yes := `{"id":"` + p.ID + `","yes":true}`
	b, other, outside := newBrowser(t, s).enter(), newBrowser(t, s).enter(), newBrowser(t, s)
	for name, c := range map[string]struct {
		b       *browser
		body    string
		headers []string
		want    int
	}{
		"no cookie":             {outside, yes, []string{tokenHeader, b.token}, 403},
		"no token":              {b, yes, []string{tokenHeader, ""}, 403},
		"another page's token":  {b, yes, []string{tokenHeader, other.token}, 403},
		"a form":                {b, yes, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		"a form's plain text":   {b, yes, []string{"Content-Type", "text/plain"}, 415},
		"no origin":             {b, yes, []string{"Origin", ""}, 403},
		"another origin":        {b, yes, []string{"Origin", "http://evil.example"}, 403},
		"another host":          {b, yes, []string{"Host", "evil.example", "Origin", "http://evil.example"}, 421},
		"neither yes nor no":    {b, `{"id":"` + p.ID + `"}`, nil, 400},
		"no question":           {b, `{"yes":true}`, nil, 400},
		"more than an answer":   {b, `{"id":"` + p.ID + `","yes":true,"channel":"terminal"}`, nil, 400},
		"no JSON":               {b, `yes`, nil, 400},
		"endless":               {b, `{"id":"` + strings.Repeat("A", 10_000) + `","yes":true}`, nil, 400},
		"minutes with a no":     {b, `{"id":"` + p.ID + `","yes":false,"minutes":10}`, nil, 422},
		"years":                 {b, `{"id":"` + p.ID + `","yes":true,"minutes":1000000}`, nil, 422},
		"a question of nowhere": {b, `{"id":"ZZZZZZZ","yes":true}`, nil, 409},
	} {
		res, a := c.b.answer(c.body, c.headers...)
		if res.StatusCode != c.want || a.OK {
			t.Errorf("%s: %s %+v, want %d", name, res.Status, a, c.want)
		}
	}
	if res, _ := b.do("GET", "/answer", ""); res.StatusCode != 405 {
		t.Error(res.Status)
	}
	if _, state, _, _ := d.Look(t.Context(), p.ID); state != approval.Waits {
		t.Fatal("one of these answered it: ", state)
	}
	if res, a := b.answer(yes); res.StatusCode != 200 || !a.OK || a.Said != "Allowed." {
		t.Fatal(res.Status, a)
	}
	if _, _, a, _ := d.Look(t.Context(), p.ID); a == nil || !a.Yes || a.Channel != "console" || a.Minutes != 0 {
		t.Errorf("%+v", a)
	}
	if res, a := other.answer(strings.Replace(yes, "true", "false", 1)); res.StatusCode != 409 || !strings.Contains(a.Said, "yes, by console") {
		t.Error(res.Status, a)
	}
	q := d.ask(t, write())
	if _, a := b.answer(`{"id":"` + q.ID + `","yes":true,"minutes":10}`); a.Said != "Allowed, and for 10 minutes on this file." {
		t.Error(a)
	}
	human := write()
	human.HumanOnly, human.Remember = true, false
	h := d.ask(t, human)
	if res, a := b.answer(`{"id":"` + h.ID + `","yes":true,"minutes":10}`); res.StatusCode != 422 {
		t.Error("minutes for what is asked every time: ", a)
	}
	if _, a := b.answer(`{"id":"` + h.ID + `","yes":true}`); !a.OK {
		t.Error("the owner's page can't answer what only the owner may: ", a)
	}
}

func TestThePageSeesWhatHappens(t *testing.T) {
	d := newDesk(t)
	one, two := start(t, d, nil), start(t, d, nil)
	next, _ := newBrowser(t, one).enter().stream()
	b := newBrowser(t, two).enter()
	other, _ := b.stream()
	if m := next(); len(m.Cards) != 0 || m.Cards == nil || len(m.Settled) != 0 || m.Settled == nil {
		t.Fatalf("%+v", m)
	}
	p := d.ask(t, write())
	has := func(n int) func(message) bool { return func(m message) bool { return len(m.Cards) == n } }
	c := until(t, next, has(1)).Cards[0]
	if c.ID != p.ID || c.Title != "Overwrite report.md?" || c.Path != "/home/ann/report.md" || len(c.Body) != 2 || len(c.Detail) != 6 || c.Agent != "claude-code" || !c.Lasting || c.OwnerOnly || c.Left < 890 {
		t.Errorf("%+v", c)
	}
	until(t, other, has(1))
	if _, a := b.answer(`{"id":"` + p.ID + `","yes":false}`); !a.OK {
		t.Fatal(a)
	}
	for _, n := range []func() message{next, other} {
		if m := until(t, n, has(0)); len(m.Settled) != 1 || m.Settled[0].Said != "Declined here." || m.Settled[0].Yes || m.Settled[0].Path != "/home/ann/report.md" {
			t.Errorf("%+v", m)
		}
	}
	for channel, want := range map[string]string{"approve": "Allowed with `reeve approve`.", "terminal": "Allowed at a terminal.", "elicitation": "Allowed in the agent's own window.", "dialog": "Allowed elsewhere."} {
		p := d.ask(t, write())
		until(t, next, has(1))
		if err := d.Answer(t.Context(), p.ID, approval.Answer{Yes: true, Channel: channel}); err != nil {
			t.Fatal(err)
		}
		if m := until(t, next, has(0)); m.Settled[0].Said != want || !m.Settled[0].Yes {
			t.Errorf("%s: %+v", channel, m.Settled[0])
		}
	}
	d.ask(t, write())
	until(t, next, has(1))
	d.pass(approval.QuestionLife)
	if m := until(t, next, has(0)); m.Settled[0].Said != "Nobody answered in time. Nothing was changed." {
		t.Errorf("%+v", m.Settled)
	}
	for range 25 {
		d.ask(t, write())
	}
	until(t, next, has(25))
	d.pass(approval.QuestionLife)
	if m := until(t, next, has(0)); len(m.Settled) != mostKept {
		t.Errorf("%d are kept", len(m.Settled))
	}
	// A page that comes later has the same.
	late, _ := newBrowser(t, one).enter().stream()
	if m := late(); len(m.Settled) != mostKept {
		t.Errorf("%d for a later page", len(m.Settled))
	}
}

// Names and content are made by others: they are text here, and what hides
// itself is seen.
func TestNothingHidesOnACard(t *testing.T) {
	d := newDesk(t)
	s := start(t, d, nil)
	q := write()
	q.Title = "Overwrite <img src=x onerror=alert(1)>?"
	q.Body = "/home/ann/\u202egpj.exe\n</script><script>alert(1)</script>"
	q.Detail = "-a\u200bb\n+a\tb\x1b[31m\n+\ufeff\n"
	d.ask(t, q)
	b := newBrowser(t, s).enter()
	next, _ := b.stream()
	c := until(t, next, func(m message) bool { return len(m.Cards) == 1 }).Cards[0]
	if c.Title != q.Title || c.Path != `/home/ann/\u202Egpj.exe` || c.Detail[0] != `-a\u200Bb` || c.Detail[1] != "+a\tb\\x1B[31m" || c.Detail[2] != `+\uFEFF` {
		t.Errorf("%q %q %q", c.Title, c.Path, c.Detail)
	}
	// The page itself holds no word of it.
	if _, page := b.do("GET", "/", ""); strings.Contains(page, "onerror") || strings.Contains(page, "alert(") {
		t.Error("markup of others in the page")
	}
}

// broken is a table that can't be read.
type broken struct{ *desk }

func (broken) Waiting(context.Context) ([]approval.Card, error) {
	return nil, &reeve.Error{Op: "ask", Kind: reeve.IO, Code: reeve.Failed, What: "table of questions can't be used", Not: "Nothing was written.", Cause: errors.New("disk")}
}

func (broken) Answer(context.Context, string, approval.Answer) error { return errors.New("a secret") }

func TestATableThatCantBeReadIsSaid(t *testing.T) {
	d := newDesk(t)
	s := start(t, d, func(o *Options) { o.Questions = broken{d} })
	b := newBrowser(t, s).enter()
	next, _ := b.stream()
	if m := next(); !strings.Contains(m.Fault, "can't be used") {
		t.Errorf("%+v", m)
	}
	if res, a := b.answer(`{"id":"AAAAAAA","yes":true}`); res.StatusCode != 422 || strings.Contains(a.Said, "secret") {
		t.Errorf("%s %+v", res.Status, a)
	}
}

func TestOtherProcessesKnowOfAnOpenPage(t *testing.T) {
	d := newDesk(t)
	var up atomic.Int32
	var mu sync.Mutex
	announced := 0
	s := start(t, d, func(o *Options) {
		o.Announce = func() (func(), error) {
			mu.Lock()
			defer mu.Unlock()
			announced++
			up.Add(1)
			return func() { up.Add(-1) }, nil
		}
	})
	if up.Load() != 0 {
		t.Fatal("announced without a page")
	}
	b := newBrowser(t, s).enter()
	next, stop := b.stream()
	next()
	if up.Load() != 1 || s.Pages() != 1 {
		t.Fatal(up.Load(), s.Pages())
	}
	again, stopAgain := b.stream()
	again()
	stop()
	for s.Pages() != 1 {
		time.Sleep(time.Millisecond)
	}
	if up.Load() != 1 {
		t.Error("one of two pages went, and none is announced")
	}
	stopAgain()
	for up.Load() != 0 {
		time.Sleep(time.Millisecond)
	}
	if announced != 1 {
		t.Errorf("announced %d times", announced)
	}
	next, _ = b.stream()
	next()
	if up.Load() != 1 {
		t.Error("a page came back and is not announced")
	}
	s.Close()
	if up.Load() != 0 {
		t.Error("closed, and still announced")
	}
}

func TestAConsoleEndsWithItsPages(t *testing.T) {
	d := newDesk(t)
	s := start(t, d, nil)
	b := newBrowser(t, s).enter()
	next, _ := b.stream()
	next()
	if err := s.Start(); err == nil {
		t.Error("started twice")
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := http.Get("http://" + s.Addr() + "/"); err == nil {
		t.Error("it still answers")
	}
	if err := s.Start(); err == nil {
		t.Error("started after its end")
	}
	never := New(Options{Questions: d, Changes: d})
	if err := never.Close(); err != nil {
		t.Error(err)
	}
}

func TestOnlySoManyPages(t *testing.T) {
	s := start(t, newDesk(t), nil)
	b := newBrowser(t, s).enter()
	for range mostStreams {
		next, _ := b.stream()
		next()
	}
	if res, _ := b.do("GET", "/events", ""); res.StatusCode != 503 {
		t.Error(res.Status)
	}
	for range mostSessions - 1 {
		newBrowser(t, s).enter()
	}
	if res, _ := newBrowser(t, s).do("GET", s.Link(), ""); res.StatusCode != 403 {
		t.Error(res.Status)
	}
}

func TestAPortThatIsTaken(t *testing.T) {
	d := newDesk(t)
	s := start(t, d, nil)
	var port int
	for _, c := range s.Addr()[len("127.0.0.1:"):] {
		port = port*10 + int(c-'0')
	}
	second := New(Options{Questions: d, Changes: d, Port: port})
	if err := second.Start(); err == nil {
		t.Error("two on one port")
		second.Close()
	}
}

// What a card leaves out is loaded by a page of ours, and by nobody else.
func TestTheWholeChangeIsForOurPageAlone(t *testing.T) {
	d := newDesk(t)
	s := start(t, d, nil)
	q := write()
	q.Left = &reeve.Left{New: 1204}
	p, err := d.AskWith(t.Context(), reeve.Digest{9}, q, reeve.Subject{Agent: "x"}, func() string { return "+    1 a\u202eb\n+\x1b[2Jsecret\n" })
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s).enter()
	path := "/change?id=" + p.ID
	res, text := b.do("GET", path, "", tokenHeader, b.token)
	if res.StatusCode != 200 || text != "+    1 a\\u202Eb\n+\\x1B[2Jsecret\n" || res.Header.Get("Content-Type") != "text/plain; charset=utf-8" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %q %v", res.StatusCode, text, res.Header)
	}
	for name, headers := range map[string][]string{
		"no token":         nil,
		"another's token":  {tokenHeader, "AAAA"},
		"another site":     {tokenHeader, b.token, "Origin", "http://evil.example"},
		"another site's":   {tokenHeader, b.token, "Sec-Fetch-Site", "cross-site"},
		"a name that lies": {tokenHeader, b.token, "Host", "evil.example"},
	} {
		if res, text := b.do("GET", path, "", headers...); res.StatusCode < 400 || strings.Contains(text, "secret") {
			t.Errorf("%s: %d %q", name, res.StatusCode, text)
		}
	}
	if res, text := newBrowser(t, s).do("GET", path, "", tokenHeader, b.token); res.StatusCode != 403 || strings.Contains(text, "secret") {
		t.Errorf("without a cookie: %d %q", res.StatusCode, text)
	}
	if res, text := b.do("GET", "/change?id=2222222", "", tokenHeader, b.token); res.StatusCode != 404 || !strings.Contains(text, "names no question") {
		t.Errorf("no such question: %d %q", res.StatusCode, text)
	}
}
