package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"reeve"
)

// ledger is a Doer that keeps what the door refused.
type ledger struct {
	doer
	mu   sync.Mutex
	rows []reeve.Request
	errs []*reeve.Error
	fail error
}

func (l *ledger) Refused(_ context.Context, r reeve.Request, e *reeve.Error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows, l.errs = append(l.rows, r), append(l.errs, e)
	if l.fail != nil {
		return l.fail
	}
	return e
}

func (l *ledger) taken() ([]reeve.Request, []*reeve.Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows, errs := l.rows, l.errs
	l.rows, l.errs = nil, nil
	return rows, errs
}

const secret = "CONTENTS-OF-A-FILE"

func TestWhatTheDoorRefusesIsHandedOn(t *testing.T) {
	l := &ledger{doer: answers}
	o := options(nil)
	o.Doer = l
	w := dial(t, o)
	w.hello("2025-11-25")
	manyPaths := `{"paths":["` + strings.Repeat(`a","`, 60) + `b"]}`
	for what, c := range map[string]struct {
		tool, args, meta string
		verb             reeve.Verb
		paths            []string
	}{
		"an unknown key":           {"stat", `{"path":"/x","content":"` + secret + `"}`, ``, "stat", []string{"/x"}},
		"a key in another case":    {"stat", `{"Path":"` + secret + `"}`, ``, "stat", nil},
		"a path twice":             {"stat", `{"path":"/x","path":"/y"}`, ``, "stat", []string{"/x", "/y"}},
		"a list for a path":        {"stat", `{"path":["/x"]}`, ``, "stat", []string{"/x"}},
		"too many paths":           {"read_file", manyPaths, ``, "read_file", []string{"a"}},
		"no path":                  {"read_file", `{"limit":3}`, ``, "read_file", nil},
		"contents where none go":   {"search_files", `{"pattern":"` + secret + `","path":"/x","limit":0}`, ``, "search_files", []string{"/x"}},
		"no object":                {"stat", `["` + secret + `"]`, ``, "stat", nil},
		"a session that is none":   {"stat", `{"path":"/x"}`, `{"reeve/session":7}`, "stat", []string{"/x"}},
		"a turn that is none":      {"stat", `{"path":"/x"}`, `{"reeve/session":"s","reeve/turn":""}`, "stat", []string{"/x"}},
		"a tool that is none":      {"run_command", `{"path":"/x","command":"` + secret + `"}`, ``, "run_command", nil},
		"a tool that forges a row": {"x\n2026-11-30 ok", `{}`, ``, `x\n2026-11-30 ok`, nil},
		"a tool with a long name":  {strings.Repeat("n", 100), `{}`, ``, reeve.Verb(strings.Repeat("n", 64) + "…"), nil},
	} {
		name, _ := json.Marshal(c.tool)
		w.next++
		id := fmt.Sprint(w.next)
		params := `{"name":` + string(name) + `,"arguments":` + c.args
		if c.meta != "" {
			params += `,"_meta":` + c.meta
		}
		w.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":` + params + `}}`)
		w.answer(id)
		rows, errs := l.taken()
		if len(rows) != 1 {
			t.Errorf("%s: %d refusals were handed on", what, len(rows))
			continue
		}
		r, e := rows[0], errs[0]
		u, ok := r.Call.(*reeve.Unread)
		if !ok {
			t.Errorf("%s: handed on as %T", what, r.Call)
			continue
		}
		if !strings.Contains(string(u.Tool), string(c.verb)) || strings.ContainsAny(string(u.Tool), "\n\x00") || len(u.Tool) > 200 {
			t.Errorf("%s: the verb is %q", what, u.Tool)
		}
		if c.paths == nil && len(u.Paths) > 0 || c.paths != nil && !slices.Equal(u.Paths[:min(len(u.Paths), len(c.paths))], c.paths) || len(u.Paths) > 20 {
			t.Errorf("%s: the paths are %q", what, u.Paths)
		}
		if r.ID == "" || r.Target != reeve.Local || r.Subject.IsOwner() || r.Subject.Door != "stdio" || r.Subject.Connection == "" {
			t.Errorf("%s: %+v", what, r)
		}
		if e.Kind != reeve.Input || e.Code != reeve.Invalid {
			t.Errorf("%s: %s %s", what, e.Kind, e.Code)
		}
		row, _ := json.Marshal(u)
		if strings.Contains(string(row)+e.Error(), secret) {
			t.Errorf("%s: an argument's value is handed on: %s, %s", what, row, e)
		}
	}
	w.call("stat", `{"path":"a"}`, "")
	if rows, _ := l.taken(); len(rows) != 0 {
		t.Errorf("a call that was taken is handed on as refused: %+v", rows)
	}
}

// A refusal that could not be recorded is still one, and says so.
func TestARefusalWithoutARecordIsStillOne(t *testing.T) {
	l := &ledger{doer: func(context.Context, reeve.Request) (reeve.Outcome, error) {
		t.Error("the call was done")
		return reeve.Outcome{}, &reeve.Error{Kind: reeve.IO, Code: reeve.Failed}
	}, fail: &reeve.Error{Kind: reeve.IO, Code: reeve.RecordFailed, What: "the record could not be written"}}
	o := options(nil)
	o.Doer = l
	w := dial(t, o)
	w.hello("2025-11-25")
	if r := w.call("stat", `{}`, ""); !r.IsError || !strings.Contains(r.text(), string(reeve.RecordFailed)) {
		t.Errorf("%v %s", r.IsError, r.text())
	}
	const id = "900"
	w.write(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"none"}}`)
	if s := fmt.Sprint(w.answer(id).Error); !strings.Contains(s, string(reeve.RecordFailed)) || !strings.Contains(s, "There is no tool") {
		t.Error(s)
	}
}
