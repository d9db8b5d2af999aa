package guard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/capfs"
)

func TestReadThroughTheGate(t *testing.T) {
	r := newRig(t)
	out, err := r.do(&arg{verb: "peek", path: "a.txt"})
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Result.Answer.(*said).Text.String(); got != "alpha\n" {
		t.Fatalf("saw %q", got)
	}
	if len(out.Result.FileAccess) != 1 || out.Result.FileAccess[0].String() != "/home/ann/proj/a.txt" {
		t.Fatalf("file access %v", out.Result.FileAccess)
	}
	row := r.record.last()
	if row.Verdict != reeve.Allow || row.Verb != "peek" || len(row.Effects) != 1 || row.Effects[0].Path != "/home/ann/proj/a.txt" || row.Bytes == 0 {
		t.Fatalf("row %+v", row)
	}
}

func TestRefusals(t *testing.T) {
	long := strings.Repeat("x", 10<<20)
	tests := []struct {
		what string
		call reeve.Call
		code reeve.Code
		kind reeve.Kind
		say  string // must stand in the text
	}{
		{"outside, existing", &arg{verb: "peek", path: "/home/ann/other/out.txt"}, reeve.OutsideRoots, reeve.Policy, "/home/ann/other/out.txt is outside the folders that were granted. Nothing was read. Granted: /home/ann/proj (readwrite). Do not try other spellings of it."},
		{"outside, missing", &arg{verb: "peek", path: "/home/ann/other/none.txt"}, reeve.OutsideRoots, reeve.Policy, "/home/ann/other/none.txt is outside the folders that were granted. Nothing was read. Granted: /home/ann/proj (readwrite). Do not try other spellings of it."},
		{"a link that leads outside", &arg{verb: "peek", path: "leak"}, reeve.LinkOutside, reeve.Policy, "Nothing was read."},
		{"protected", &arg{verb: "peek", path: "secret"}, reeve.Protected, reeve.Policy, "is protected. Nothing was read."},
		{"protected, missing", &arg{verb: "peek", path: "secret/deeper"}, reeve.NotDirectory, reeve.IO, ""},
		{"missing", &arg{verb: "peek", path: "none.txt"}, reeve.NotFound, reeve.IO, "does not exist"},
		{"missing, other letter case", &arg{verb: "peek", path: "A.TXT"}, reeve.NotFound, reeve.IO, "The name a.txt is there"},
		{"a folder", &arg{verb: "peek", path: "."}, reeve.IsDirectory, reeve.IO, "is a folder"},
		{"a pipe", &arg{verb: "peek", path: "pipe"}, reeve.SpecialFile, reeve.IO, "never opened"},
		{"an empty path", &arg{verb: "peek", path: ""}, reeve.Invalid, reeve.Input, ""},
		{"a NUL", &arg{verb: "peek", path: "a\x00b"}, reeve.Invalid, reeve.Input, ""},
		{"ten megabytes of path", &arg{verb: "peek", path: long}, reeve.Invalid, reeve.Input, ""},
		{"a verb nobody has", &arg{verb: "format_disk", path: "a.txt"}, reeve.Invalid, reeve.Input, "format_disk"},
		{"no call at all", nil, reeve.Failed, reeve.IO, ""},
		{"no answer", &arg{verb: "peek", path: "a.txt", misbehave: "silent"}, reeve.Failed, reeve.IO, "fault in Reeve"},
		{"too much said", &arg{verb: "burst"}, reeve.TooLarge, reeve.IO, ""},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			r := newRig(t)
			r.rules.budget = 50_000
			out, err := r.do(tt.call)
			if out.Result != nil || out.Pending != nil {
				t.Fatalf("an outcome beside the error: %+v", out)
			}
			e, ok := err.(*reeve.Error)
			if !ok {
				t.Fatalf("error is a %T: %v", err, err)
			}
			if !errors.Is(err, tt.code) || !errors.Is(err, tt.kind) {
				t.Fatalf("got %s/%s, want %s/%s: %v", e.Kind, e.Code, tt.kind, tt.code, err)
			}
			if !strings.Contains(err.Error(), tt.say) {
				t.Errorf("text %q lacks %q", err, tt.say)
			}
			if strings.Contains(err.Error(), "CANARY") || len(err.Error()) > 6000 {
				t.Errorf("text of %d bytes: %.300q", len(err.Error()), err)
			}
			if row := r.record.last(); row.Verdict != reeve.Refuse || row.Code != tt.code {
				t.Errorf("row %+v", row)
			}
		})
	}
}

func TestOutsideCostsNoLook(t *testing.T) {
	r := newRig(t)
	before := r.mem.Count("child") + r.mem.Count("stat") + r.mem.Count("info")
	for _, p := range []string{"/home/ann/other/out.txt", "/nowhere/at/all", "/home/ann", "/home/ann/project"} {
		_, err := r.do(&arg{verb: "peek", path: p})
		r.wantCode(err, reeve.OutsideRoots)
	}
	for _, e := range r.rules.decided {
		t.Errorf("policy was asked about %s", e.Place.Display())
	}
	_ = before
}

func TestOneOfSeveralPathsRefused(t *testing.T) {
	r := newRig(t)
	out, err := r.do(&arg{verb: "peek", path: "a.txt", optionalPath: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	got := out.Result.Answer.(*said).Text.String()
	if !strings.HasPrefix(got, "alpha\n[") || !strings.Contains(got, "is protected") {
		t.Fatalf("saw %q", got)
	}
}

func TestNothingWithoutTheRecord(t *testing.T) {
	r := newRig(t)
	r.record.fail = errors.New("disk full")
	out, err := r.do(&arg{verb: "peek", path: "a.txt"})
	if out.Result != nil {
		t.Fatal("an answer without a row")
	}
	r.wantCode(err, reeve.RecordFailed)
	_, err = r.do(&arg{verb: "put", path: "a.txt", text: "beta\n"})
	r.wantCode(err, reeve.RecordFailed)
	if got := r.bytes("/home/ann/proj/a.txt"); got != "alpha\n" {
		t.Fatalf("changed to %q without a row", got)
	}
}

func TestNothingWhileOffOrUnreadable(t *testing.T) {
	r := newRig(t)
	r.rules.enabled = false
	_, err := r.do(&arg{verb: "peek", path: "a.txt"})
	r.wantCode(err, reeve.Disabled)
	r.rules.enabled, r.rules.err = true, errors.New("mistyped")
	_, err = r.do(&arg{verb: "peek", path: "a.txt"})
	r.wantCode(err, reeve.Disabled)
}

func TestAnotherComputer(t *testing.T) {
	r := newRig(t)
	_, err := r.gate.Do(context.Background(), reeve.Request{Target: "laptop", Call: &arg{verb: "peek", path: "a.txt"}})
	r.wantCode(err, reeve.LocalExecutionLost)
}

func TestAReadIsNeverAsked(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectRead, reeve.Ask)
	_, err := r.do(&arg{verb: "peek", path: "a.txt"})
	if !errors.Is(err, reeve.Policy) {
		t.Fatalf("got %v", err)
	}
}

func TestPanicsSayNothingOfTheirOwn(t *testing.T) {
	for _, where := range []string{"work", "stage"} {
		r := newRig(t)
		a := &arg{verb: "put", path: "a.txt", text: "beta\n", misbehave: where}
		r.commit.panics = where == "stage"
		_, err := r.do(a)
		r.wantCode(err, reeve.Failed)
		if strings.Contains(fmt.Sprint(err, r.record.list), "CANARY") {
			t.Errorf("%s: the panic's text came out: %v", where, err)
		}
		if got := r.bytes("/home/ann/proj/a.txt"); got != "alpha\n" {
			t.Errorf("%s: changed to %q", where, got)
		}
	}
}

func TestAVerbCannotWiden(t *testing.T) {
	for _, how := range []string{"", "sibling", "kind"} {
		r := newRig(t)
		out, err := r.do(&arg{verb: "stray", path: "a.txt", misbehave: how})
		if err == nil {
			t.Fatalf("%q: %v", how, out.Result.Answer)
		}
		r.wantCode(err, reeve.Failed)
		if r.commit.swaps.Load() != 0 {
			t.Errorf("%q: something was swapped", how)
		}
	}
}

func TestRedactionReachesAnswersAndErrors(t *testing.T) {
	r := newRig(t)
	r.open(Options{Redact: func(s string) string {
		return strings.NewReplacer("alpha", "•••", "none", "•••").Replace(s)
	}})
	out, err := r.do(&arg{verb: "peek", path: "a.txt"})
	if err != nil || out.Result.Answer.(*said).Text.String() != "•••\n" {
		t.Fatalf("%v %v", out.Result, err)
	}
	_, err = r.do(&arg{verb: "peek", path: "none.txt"})
	if strings.Contains(err.Error(), "none") {
		t.Fatalf("unredacted: %v", err)
	}
}

func TestAbandonedCallsBlockNobody(t *testing.T) {
	r := newRig(t)
	r.make("mount", "/home/ann/proj/net", "nfs")
	r.make("file", "/home/ann/proj/net/f", "x")
	release, err := r.mem.Hang("/home/ann/proj/net")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	slow := capfs.New(capfs.Options{Layer: r.mem, Timeout: 50e6})
	defer slow.Close()
	slow.SetGrants([]capfs.Grant{{Path: "/home/ann/proj", Access: reeve.ReadWrite}}, nil)
	r.files = slow
	r.open(Options{})
	for range 2 {
		_, err = r.do(&arg{verb: "peek", path: "net/f"})
		r.wantCode(err, reeve.Timeout)
		if _, err := r.do(&arg{verb: "peek", path: "a.txt"}); err != nil {
			t.Fatalf("the neighbour: %v", err)
		}
	}
	_, err = r.do(&arg{verb: "peek", path: "net/f"})
	r.wantCode(err, reeve.MountDead)
}
