package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a story waits for a line before it is lost. Nothing is
// measured by it.
const patience = 30 * time.Second

const (
	before2026 = "2025-11-25"
	since2026  = "2026-07-28"
)

func exitCode(err error) int {
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		return ee.ExitCode()
	}
	return -1
}

// peer is the other end of a server's pipes: raw lines, no SDK.
type peer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	errs   bytes.Buffer
	mu     sync.Mutex
	all    []string // every line received
	lines  chan string
	era    string
	waited []string // lines read while waiting for another
}

func startPeer(cmd *exec.Cmd) (*peer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &peer{cmd: cmd, in: in, lines: make(chan string, 4096), era: before2026}
	cmd.Stderr = &p.errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.lines)
		sc := bufio.NewScanner(out)
		sc.Buffer(nil, 16<<20)
		for sc.Scan() {
			p.mu.Lock()
			p.all = append(p.all, sc.Text())
			p.mu.Unlock()
			p.lines <- sc.Text()
		}
	}()
	return p, nil
}

func (p *peer) send(line string) error {
	_, err := io.WriteString(p.in, line+"\n")
	return err
}

// request sends a request in the form of the peer's era.
func (p *peer) request(id, method string, params map[string]any) error {
	if p.era == since2026 {
		meta, _ := params["_meta"].(map[string]any)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["io.modelcontextprotocol/protocolVersion"] = since2026
		meta["io.modelcontextprotocol/clientInfo"] = map[string]any{"name": "story", "version": "1"}
		meta["io.modelcontextprotocol/clientCapabilities"] = map[string]any{}
		params["_meta"] = meta
	}
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	if err != nil {
		return err
	}
	return p.send(string(b))
}

// await gives the first line that pick takes, of those not given before.
func (p *peer) await(pick func(string) bool) (string, error) {
	for i, l := range p.waited {
		if pick(l) {
			p.waited = append(p.waited[:i:i], p.waited[i+1:]...)
			return l, nil
		}
	}
	late := time.After(patience)
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				return "", fmt.Errorf("the server closed its output; it had said:\n%s\nand on stderr:\n%s", strings.Join(p.received(), "\n"), p.errs.String())
			}
			if pick(l) {
				return l, nil
			}
			p.waited = append(p.waited, l)
		case <-late:
			return "", fmt.Errorf("nothing of the kind came; received:\n%s", strings.Join(p.received(), "\n"))
		}
	}
}

func (p *peer) received() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.all...)
}

// reply waits for the answer to a request.
func (p *peer) reply(id string) (string, error) {
	return p.await(func(l string) bool {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		return json.Unmarshal([]byte(l), &m) == nil && m.Method == "" && string(m.ID) == id
	})
}

// hello opens the conversation as the era asks.
func (p *peer) hello(era string) (string, error) {
	p.era = era
	if era == since2026 {
		if err := p.request("0", "server/discover", map[string]any{}); err != nil {
			return "", err
		}
		return p.reply("0")
	}
	err := p.request("0", "initialize", map[string]any{"protocolVersion": era,
		"capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "story", "version": "1"}})
	if err != nil {
		return "", err
	}
	l, err := p.reply("0")
	if err != nil {
		return "", err
	}
	return l, p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// end closes the server's input and waits for it to go.
func (p *peer) end() error {
	p.in.Close()
	return p.gone()
}

func (p *peer) gone() error {
	done := make(chan error, 1)
	go func() { // all that it says is read first, as Wait asks
		for range p.lines {
		}
		done <- p.cmd.Wait()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		p.cmd.Process.Kill()
		<-done
		return errors.New("the server did not end by itself")
	}
}

// talk FILE ARGS…: a conversation with `reeve ARGS…` over its pipes, line by
// line as FILE says:
//
//	hello ERA              open the conversation in a protocol generation
//	> LINE                 send a raw line
//	long N                 send one line of N bytes
//	list ID                ask for the tools
//	call ID TOOL JSON      call a tool
//	reply ID REGEXP        the answer to a request must come and match
//	noreply REGEXP         no line received so far matches
//	told REGEXP            a notification must come and match
//	run CODE ARGS…         run another reeve meanwhile
//	write FILE TEXT        write a file meanwhile
//	close                  close its input: it must end with exit code 0
//	term, kill             end it by a signal; term must end it with 0
//	stderr REGEXP          after its end: what it said beside the protocol
func talk(ts *testscript.TestScript, bin string, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: talk FILE ARGS…")
	}
	cmd := exec.Command(bin, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, k := range []string{"HOME", "USERPROFILE", "REEVE_CONFIG", "REEVE_STATE", "PATH", "TZ", "TMPDIR", "SYSTEMROOT"} {
		if v := ts.Getenv(k); v != "" {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	p, err := startPeer(cmd)
	ts.Check(err)
	ended := false
	defer func() {
		if !ended {
			p.cmd.Process.Kill()
			p.gone()
		}
	}()
	for n, line := range strings.Split(ts.ReadFile(args[0]), "\n") {
		line = strings.ReplaceAll(strings.TrimSpace(line), "$WORK", filepath.ToSlash(ts.Getenv("WORK")))
		if line == "" || line[0] == '#' {
			continue
		}
		if err := p.step(ts, bin, line, &ended); err != nil {
			ts.Fatalf("%s:%d: %s: %v", args[0], n+1, line, err)
		}
	}
	if !ended {
		ended = true
		if err := p.end(); err != nil {
			ts.Fatalf("at the end of input: %v\n%s", err, p.errs.String())
		}
	}
	ts.Logf("[server said]\n%s", strings.Join(p.received(), "\n"))
}

func (p *peer) step(ts *testscript.TestScript, bin, line string, ended *bool) error {
	word, rest, _ := strings.Cut(line, " ")
	first, after, _ := strings.Cut(rest, " ")
	switch word {
	case "hello":
		l, err := p.hello(first)
		if err == nil && after != "" {
			err = matches(after, l)
		}
		return err
	case ">":
		return p.send(rest)
	case "long":
		n, err := strconv.Atoi(first)
		if err != nil {
			return err
		}
		return p.send(`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("x", n) + `"}}`)
	case "list":
		return p.request(first, "tools/list", map[string]any{})
	case "call":
		tool, args, _ := strings.Cut(after, " ")
		return p.request(first, "tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(args)})
	case "reply":
		l, err := p.reply(first)
		if err != nil {
			return err
		}
		return matches(after, l)
	case "noreply":
		for _, l := range p.received() {
			if matches(rest, l) == nil {
				return fmt.Errorf("but it said %s", l)
			}
		}
		return nil
	case "told":
		_, err := p.await(func(l string) bool { return strings.Contains(l, `"method"`) && matches(rest, l) == nil })
		return err
	case "run":
		code, err := strconv.Atoi(first)
		if err != nil {
			return err
		}
		runReeve(ts, bin, code, strings.Fields(after))
		return nil
	case "write":
		return os.WriteFile(ts.MkAbs(first), []byte(after+"\n"), 0o600)
	case "close":
		*ended = true
		return p.end()
	case "term":
		*ended = true
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return p.gone()
	case "kill":
		*ended = true
		if err := p.cmd.Process.Kill(); err != nil {
			return err
		}
		p.gone()
		return nil
	case "stderr":
		return matches(rest, p.errs.String())
	}
	return fmt.Errorf("there is no such step")
}

func matches(pattern, text string) error {
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return err
	}
	if !re.MatchString(text) {
		return fmt.Errorf("does not match:\n%s", text)
	}
	return nil
}

// tamper edit|cut|swap|torn: does to the record's newest segment what an enemy or
// a bad disk would.
func tamper(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tamper edit|cut|swap|torn")
	}
	var newest string
	var at time.Time
	edit := []byte("plan.txt")
	err := filepath.WalkDir(filepath.Join(ts.Getenv("REEVE_STATE"), "record"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		if b, err := os.ReadFile(path); err != nil || args[0] == "edit" && !bytes.Contains(b, edit) {
			return err
		}
		if st, err := d.Info(); err == nil && !st.ModTime().Before(at) {
			newest, at = path, st.ModTime()
		}
		return nil
	})
	ts.Check(err)
	if newest == "" {
		ts.Fatalf("there is no segment")
	}
	b, err := os.ReadFile(newest)
	ts.Check(err)
	lines := bytes.SplitAfter(b, []byte("\n"))
	switch args[0] {
	case "edit":
		b = bytes.Replace(b, edit, []byte("plan.tot"), 1)
	case "cut":
		b = bytes.Join(append(lines[:0:0], lines[1:]...), nil)
	case "swap":
		if len(lines) < 3 {
			ts.Fatalf("there are not two rows to swap")
		}
		lines[0], lines[1] = lines[1], lines[0]
		b = bytes.Join(lines, nil)
	case "torn":
		b = b[:len(b)-7]
	default:
		ts.Fatalf("tamper %s?", args[0])
	}
	ts.Check(os.WriteFile(newest, b, 0o600))
}

// oddly DIR: makes files that shells, screens and readers stumble over.
func oddly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: oddly DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for name, text := range map[string]string{
		"new\nline.txt": "text of the newline name\n",
		"caf\xe9.txt":   "text of the latin name\n",
		"with space":    "text of the spaced name\n",
		"program.bin":   "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00",
	} {
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
}
