package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"reeve/internal/attack"
)

// page is the console's page without a browser.
type page struct {
	t     *testing.T
	base  string
	token string
	c     *http.Client
	lines *bufio.Reader
}

// enter goes in by a link and opens the event stream, as a page does.
func enter(t *testing.T, link string) *page {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	base, _, _ := strings.Cut(link, "/enter")
	p := &page{t: t, base: base, c: &http.Client{Jar: jar}}
	get := func(url string) *http.Response {
		r, err := p.c.Get(url)
		if err != nil || r.StatusCode != 200 {
			t.Fatal(r, err)
		}
		return r
	}
	get(link).Body.Close()
	r := get(base + "/")
	b, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(b), `reeve-token" content="`)
	p.token, _, _ = strings.Cut(after, `"`)
	r = get(base + "/events")
	t.Cleanup(func() { r.Body.Close() })
	p.lines = bufio.NewReader(r.Body)
	p.next() // from here on the page counts as open
	return p
}

// next gives the IDs of the questions of the next message.
func (p *page) next() (ids []string) {
	p.t.Helper()
	for {
		l, err := p.lines.ReadString('\n')
		if err != nil {
			p.t.Fatal(err)
		}
		if data, ok := strings.CutPrefix(l, "data: "); ok {
			var m struct{ Cards []struct{ ID string } }
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				p.t.Fatal(err)
			}
			for _, c := range m.Cards {
				ids = append(ids, c.ID)
			}
			return ids
		}
	}
}

func (p *page) answer(id, yes string) string {
	p.t.Helper()
	r, err := http.NewRequest("POST", p.base+"/answer", strings.NewReader(`{"id":"`+id+`","yes":`+yes+`}`))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header = http.Header{"Origin": {p.base}, "Content-Type": {"application/json"}, "X-Reeve-Token": {p.token}}
	res, err := p.c.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return string(b)
}

// startConsole runs `reeve console` and gives its link.
func startConsole(t *testing.T, env []string) string {
	t.Helper()
	cmd := exec.Command(program(t), "console", "--no-open")
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "/enter?code=") {
			return lines.Text()
		}
	}
	t.Fatal("no link")
	return ""
}

// While a page is open the client is not asked, the call waits, and what the
// owner presses is what happens; two consoles show the same.
func TestACallWaitsForThePage(t *testing.T) {
	home, env := place(t)
	first, second := enter(t, startConsole(t, env)), enter(t, startConsole(t, env))
	c := served(t, env, attack.LineOptions{Capabilities: json.RawMessage(`{"elicitation":{}}`), Answer: func(string, json.RawMessage) (any, error) {
		t.Error("the client was asked")
		return map[string]any{"action": "decline"}, nil
	}}, filepath.Join(home, "notes"))
	if _, err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan string, 1)
	go func() {
		raw, err := c.Tool(t.Context(), "delete_path", map[string]any{"path": "plan.txt"}) // the owner's alone
		if err != nil {
			t.Error(err)
		}
		done <- string(raw)
	}()
	ids := first.next()
	if other := second.next(); len(ids) != 1 || len(other) != 1 || ids[0] != other[0] {
		t.Fatal(ids, other)
	}
	if said := second.answer(ids[0], "true"); !strings.Contains(said, "Allowed.") {
		t.Fatal(said)
	}
	if r := <-done; strings.Contains(r, `"isError":true`) {
		t.Error(r)
	}
	if _, err := os.Stat(filepath.Join(home, "notes", "plan.txt")); err == nil {
		t.Error("it is still there")
	}
	if said := first.answer(ids[0], "false"); !strings.Contains(said, "yes, by console") {
		t.Error(said)
	}
}

// On a desktop a question that finds nobody opens the page by itself, once.
func TestAQuestionOpensTheBrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser is opened in another way here")
	}
	home, env := place(t)
	bin, opened := filepath.Join(home, "bin"), filepath.Join(home, "opened")
	write(t, filepath.Join(bin, "xdg-open"), "#!/bin/sh\necho \"$1\" >> "+opened+"\n")
	if err := os.Chmod(filepath.Join(bin, "xdg-open"), 0o700); err != nil {
		t.Fatal(err)
	}
	desktop := append(append([]string(nil), env...), "DISPLAY=:99", "PATH="+bin+":"+os.Getenv("PATH"))
	c := served(t, desktop, attack.LineOptions{}, filepath.Join(home, "notes"))
	if _, err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := func(path string) <-chan string {
		done := make(chan string, 1)
		go func() {
			raw, err := c.Tool(t.Context(), "write_file", map[string]any{"path": path, "content": "text"})
			if err != nil {
				t.Error(err)
			}
			done <- string(raw)
		}()
		return done
	}
	links := func() []string {
		b, _ := os.ReadFile(opened)
		return strings.Fields(string(b))
	}
	done := call("one.txt")
	for range 4000 {
		if len(links()) > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(links()) != 1 {
		t.Fatal("no page was opened")
	}
	p := enter(t, links()[0])
	p.answer(waitingOne(t, env), "true")
	if r := <-done; !strings.Contains(r, "Created ") {
		t.Fatal(r)
	}
	// The page is open: the next question appears there, and opens nothing.
	done = call("two.txt")
	var id string
	for id == "" {
		if ids := p.next(); len(ids) == 1 {
			id = ids[0]
		}
	}
	p.answer(id, "true")
	if r := <-done; !strings.Contains(r, "Created ") || len(links()) != 1 {
		t.Fatal(r, links())
	}
}

// The owner's rules can forbid it; then the text names the way.
func TestNoBrowserAgainstTheRules(t *testing.T) {
	home, env := place(t)
	write(t, filepath.Join(home, "cfg", "config.toml"), "open_console = \"never\"\n")
	write(t, filepath.Join(home, "bin", "xdg-open"), "#!/bin/sh\necho > "+filepath.Join(home, "opened")+"\n")
	if err := os.Chmod(filepath.Join(home, "bin", "xdg-open"), 0o700); err != nil {
		t.Fatal(err)
	}
	desktop := append(append([]string(nil), env...), "DISPLAY=:99", "PATH="+filepath.Join(home, "bin")+":"+os.Getenv("PATH"))
	c := served(t, desktop, attack.LineOptions{}, filepath.Join(home, "notes"))
	if _, err := c.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, _ := toolText(t, c, "write_file", map[string]any{"path": "one.txt", "content": "text"}); !strings.Contains(text, "no_channel") {
		t.Error(text)
	}
	if _, err := os.Stat(filepath.Join(home, "opened")); err == nil {
		t.Error("a browser was opened")
	}
}

func TestAConsoleThatCannotRun(t *testing.T) {
	home, env := place(t)
	for name, c := range map[string]struct {
		env  []string
		args []string
		code int
		want string
	}{
		"a state folder that is a file": {append(append([]string(nil), env...), "REEVE_STATE="+filepath.Join(home, "notes", "plan.txt")), []string{"console", "--no-open"}, 1, "plan.txt"},
		"no such port":                  {env, []string{"console", "--port", "70000"}, 2, "70000 is no port"},
		"one argument too many":         {env, []string{"console", "now"}, 2, "one argument too many"},
	} {
		cmd := exec.Command(program(t), c.args...)
		cmd.Env = c.env
		out, err := cmd.CombinedOutput()
		if exitCode(err) != c.code || !strings.Contains(string(out), c.want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}
