package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"reeve"
)

// Whatever comes in, it is answered as JSON-RPC says, and the next message
// is served.
func TestALineThatIsNoMessageIsAnsweredAndTheServerLivesOn(t *testing.T) {
	w := dial(t, options(answers))
	w.hello("2025-11-25")
	big := strings.Repeat("x", maxLine)
	for name, c := range map[string]struct {
		line string
		id   string
		code int
	}{
		"garbage":                  {`hello`, `null`, -32700},
		"half an object":           {`{"jsonrpc":"2.0","id":1,"method":"ping"`, `null`, -32700},
		"two on one line":          {`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, `null`, -32700},
		"NUL bytes":                {"\x00\x00\x00", `null`, -32700},
		"NUL in a string":          {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\x00ng\"}", `null`, -32700},
		"bytes that are no text":   {"\xff\xfe{\x00", `null`, -32700},
		"a number":                 {`17`, `null`, -32600},
		"null":                     {`null`, `null`, -32600},
		"an empty object":          {`{}`, `null`, -32600},
		"another version":          {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, `7`, -32600},
		"no version":               {`{"id":7,"method":"ping"}`, `7`, -32600},
		"an id of null":            {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, -32600},
		"an id that is a fraction": {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `null`, -32600},
		"an id too large to keep":  {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `null`, -32600},
		"an id that is an object":  {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `null`, -32600},
		"an id that is no text":    {`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, `null`, -32600},
		"a huge id":                {`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 10_000) + `","method":"ping"}`, `null`, -32600},
		"two ids":                  {`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `null`, -32600},
		"two methods":              {`{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call"}`, `7`, -32600},
		"a method that is none":    {`{"jsonrpc":"2.0","id":7,"method":5}`, `7`, -32600},
		"params that are a list":   {`{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}`, `7`, -32602},
		"an unknown method":        {`{"jsonrpc":"2.0","id":7,"method":"files/steal"}`, `7`, -32601},
		"a method in another case": {`{"jsonrpc":"2.0","id":7,"method":"Tools/Call","params":{}}`, `7`, -32601},
		"nested 1,000 deep":        {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`, `7`, -32600},
		"nested 1,000,000 deep":    {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":` + strings.Repeat("[", 1<<20), `null`, -32700},
		"hello again":              {`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `7`, -32600},
		"params of another type":   {`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":5}}`, `7`, -32602},
		"a bad cursor":             {`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"zzz"}}`, `7`, -32602},
		"no tool named":            {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`, `7`, -32602},
		"a tool that is none":      {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}`, `7`, -32602},
		"an unknown tool":          {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"bash"}}`, `7`, -32602},
		"arguments twice":          {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"},"arguments":{"path":"b"}}}`, `7`, -32602},
		"a _meta that is none":     {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stat","_meta":[]}}`, `7`, -32602},
		"a tool of no such name":   {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + strings.Repeat("\u202e", 40) + `"}}`, `7`, -32602},
		"a turn told twice":        {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stat","_meta":{"reeve/turn":"a","reeve\u002fturn":"b"}}}`, `7`, -32602},
		"ten megabytes of a name":  {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + big[:10<<20] + `"}}`, `7`, -32602},
		"too long, id first":       {`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"` + big + `"}}`, `7`, -32600},
		"too long, id last":        {`{"method":"tools/call","params":{"name":"stat","arguments":{"path":"` + big + `"}},"jsonrpc":"2.0","id":7}`, `7`, -32600},
		"too long, id of text":     {`{"method":"ping","params":{"a":"` + big + `"},"jsonrpc":"2.0" , "id" : "seven" } `, `"seven"`, -32600},
		"too long, an inner id":    {`{"jsonrpc":"2.0","method":"ping","params":{"a":"` + big + `","id":7}}`, `null`, -32600},
		"too long, no message":     {big + big, `null`, -32600},
		"an empty batch":           {`[]`, `null`, -32600},
		"a batch":                  {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, `null`, -32600},
		"half a batch":             {`[{"jsonrpc":"2.0","id":7,"method":"ping"}`, `null`, -32700},
	} {
		if racing && len(c.line) > 2<<20 && name != "too long, id last" {
			continue
		}
		w.send(c.line)
		r := w.message()
		if string(r.ID) != c.id || r.Error == nil || r.Error.Code != c.code {
			t.Errorf("%s: id %s, error %+v; want id %s and code %d", name, r.ID, r.Error, c.id, c.code)
			continue
		}
		if len(r.Error.Message) > 600 || strings.ContainsAny(r.Error.Message, "\x00\n") {
			t.Errorf("%s: %d bytes of words", name, len(r.Error.Message))
		}
		w.write(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
		if r := w.message(); string(r.ID) != `"alive"` || string(r.Result) != "{}" {
			t.Fatalf("%s: and then no answer to a ping: %+v", name, r)
		}
	}
}

func TestWhatNeedsNoAnswerGetsNone(t *testing.T) {
	w := dial(t, options(answers))
	w.hello("2025-11-25")
	for _, line := range []string{"", "   ", "\r", `{"jsonrpc":"2.0","method":"notifications/never_heard_of"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`,
		`{"jsonrpc":"2.0","id":4711,"result":{}}`,
		`{"jsonrpc":"2.0","id":4711,"error":{"code":1,"message":"x"}}`,
		`{"jsonrpc":"2.0","id":4711,"error":5}`,
	} {
		w.write(line)
	}
	w.write(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
	if r := w.message(); string(r.ID) != `"alive"` {
		t.Errorf("something was answered: %+v", r)
	}
}

func TestACallBeforeTheHandshakeIsRefused(t *testing.T) {
	called := false
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		called = true
		return answers(ctx, r)
	}))
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stat","arguments":{"path":"a"}}}`,
	} {
		w.write(line)
		if r := w.message(); string(r.ID) != "7" || r.Error == nil || r.Error.Code != -32600 {
			t.Errorf("%s: %+v", line, r)
		}
	}
	if called { // nothing ran, so nothing races with this
		t.Error("a call was done before the handshake")
	}
	w.hello("2025-11-25")
	if r := w.call("stat", `{"path":"a"}`, ""); r.IsError {
		t.Errorf("and after it: %s", r.text())
	}
}

func TestAnOldClientMaySendABatch(t *testing.T) {
	w := dial(t, options(answers))
	w.hello("2025-03-26")
	w.send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},5,` +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"/r/a"}}},` +
		`{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}]`)
	var all []reply
	if err := json.Unmarshal([]byte(w.line()), &all); err != nil {
		t.Fatal(err)
	}
	seen := map[string]reply{}
	faults := 0
	for _, r := range all {
		if string(r.ID) == "null" {
			faults++
			continue
		}
		seen[string(r.ID)] = r
	}
	if len(all) != 5 || faults != 2 || string(seen["1"].Result) != "{}" || seen["3"].Error == nil ||
		!strings.Contains(string(seen["2"].Result), "the marker /r/a") {
		t.Errorf("%d answers: %+v", len(all), all)
	}
	w.send(`[{"jsonrpc":"2.0","method":"notifications/x"}]`)
	w.send(`[` + strings.Repeat(`5,`, 200) + `5]`)
	if r := w.message(); r.Error == nil || r.Error.Code != -32600 {
		t.Errorf("a batch that is too long: %+v", r)
	}
}

func TestABatchOfLargeAnswersStaysOneMessage(t *testing.T) {
	if racing {
		t.Skip("megabytes")
	}
	text := strings.Repeat("x", 5<<20)
	w := dial(t, options(func(context.Context, reeve.Request) (reeve.Outcome, error) { return file("/r/a", text), nil }))
	w.hello("2025-03-26")
	const call = `"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a"}}}`
	w.send(`[{"jsonrpc":"2.0","id":1,` + call + `,{"jsonrpc":"2.0","id":2,` + call + `]`)
	line := w.line()
	var all []reply
	if err := json.Unmarshal([]byte(line), &all); err != nil || len(all) != 2 || len(line) > 8<<20 {
		t.Fatalf("%d bytes, %d answers, %v", len(line), len(all), err)
	}
	if (all[0].Error == nil) == (all[1].Error == nil) {
		t.Errorf("one fits and one does not: %+v, %+v", all[0].Error, all[1].Error)
	}
}

// Whoever pipes requests in and closes the input gets the answers.
func TestAnswersStillComeWhenTheInputHasEnded(t *testing.T) {
	release := make(chan struct{})
	w := dial(t, options(func(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
		<-release
		if ctx.Err() != nil {
			t.Error("the call was cancelled because the input ended")
		}
		return answers(ctx, r)
	}))
	w.hello("2025-11-25")
	go func() {
		io.WriteString(w.in, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"stat","arguments":{"path":"last"}}}`) // no newline
		w.in.Close()
		close(release)
	}()
	if r := w.result(w.answer("5")); r.IsError {
		t.Error(r.text())
	}
	if err := w.end(patience); err != nil {
		t.Errorf("the end of the input is no error: %v", err)
	}
}

// FuzzRead: a line is a message or a fault, and both can be said in JSON.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{}`, `x`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"stat","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, `{"jsonrpc":"2.0","id":-0,"method":"a"}`, `{"jsonrpc":"2.0","id":1e2,"method":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := newLineReader(strings.NewReader(string(data)), 1<<20).next()
		if len(m.data) == 0 {
			return
		}
		msg, bad := read(m.data)
		if (msg == nil) == (bad == nil) {
			t.Fatalf("%q: %v, %v", data, msg, bad)
		}
		if bad != nil && !json.Valid(bad.reply()) {
			t.Fatalf("%q: %s", data, bad.reply())
		}
		if msg != nil && !json.Valid(m.data) {
			t.Fatalf("%q was taken", data)
		}
	})
}

// FuzzLongID: the id found at the ends of a message is the message's own.
func FuzzLongID(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":7,"a":"x"}`, `{"a":"x","id":"seven"}`, `{"a":{"id":7}}`, `{"a":"\"id\":7}","id":8}`, `{"x\"id":7}`, `{"a":",\"id\":7"}`, `{"id":1.5}`, `{"a":1,"id":-5 } `} {
		f.Add([]byte(s), 5)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var whole map[string]json.RawMessage
		if json.Unmarshal(data, &whole) != nil || whole == nil {
			return
		}
		if strings.Count(string(data), "id") > 1 && strings.Contains(string(data), `\u`) {
			return // "\u0069d" is a second id, and such a message is refused anyway
		}
		l := &longLine{head: data[:min(max(cut, 0), len(data))], tail: data}
		if got := longID(l); got != nil && string(got) != string(whole["id"]) && strings.Count(string(data), `"id"`) == 1 {
			t.Fatalf("%q: %s", data, got)
		}
	})
}
