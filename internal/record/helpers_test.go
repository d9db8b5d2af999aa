package record

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reeve"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// clock steps one second at each look.
func clock(from time.Time) func() time.Time {
	t := from
	return func() time.Time { t = t.Add(time.Second); return t }
}

func still(t time.Time) func() time.Time { return func() time.Time { return t } }

func open(t testing.TB, o Options) *Segment {
	t.Helper()
	if o.Process.Name == "" {
		o.Process = Process{Name: "reeve test", Version: "v0", PID: 42}
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func row(i int) reeve.Row {
	return reeve.Row{Event: "call", Call: fmt.Sprint(i), Verb: reeve.VerbReadFile, Verdict: reeve.Allow,
		Subject: reeve.Subject{Kind: reeve.Agent, Agent: "cli", Door: "stdio"},
		Effects: []reeve.RowEffect{{Kind: reeve.EffectRead, Path: fmt.Sprintf("/home/ann/notes/%d.txt", i)}}}
}

func add(t testing.TB, s *Segment, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := s.Append(context.Background(), row(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// calls are the Call fields of all rows, with what is wrong.
func calls(t testing.TB, dir string, f Filter) (list []string) {
	t.Helper()
	for e, err := range Rows(dir, f) {
		switch {
		case err != nil:
			list = append(list, "error")
		case e.Torn:
			list = append(list, "torn")
		case e.Damage != "":
			list = append(list, "damage")
		default:
			list = append(list, e.Row.Call)
		}
	}
	return list
}

// files are the paths of all segments.
func files(t testing.TB, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "record", "20*", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// rewrite changes the lines of a file.
func rewrite(t testing.TB, name string, change func(lines [][]byte) [][]byte) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := change(bytes.SplitAfter(b, []byte("\n")))
	if err := os.WriteFile(name, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

func verify(t testing.TB, dir string, kept ...Ref) Report {
	t.Helper()
	r, err := Verify(dir, kept...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
