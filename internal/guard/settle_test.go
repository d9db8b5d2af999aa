package guard

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

const proj = "/home/ann/proj/"

func TestAllowedChange(t *testing.T) {
	r := newRig(t)
	out, err := r.do(&arg{verb: "put", path: "a.txt", text: "beta\n"})
	if err != nil {
		t.Fatal(err)
	}
	if out.Result.Answer.(*said).Text.String() != "written" || r.bytes(proj+"a.txt") != "beta\n" {
		t.Fatalf("%+v, file %q", out.Result, r.bytes(proj+"a.txt"))
	}
	if len(r.record.list) != 2 || r.record.list[0].Event != "intent" || r.record.list[1].Event != "outcome" {
		t.Fatalf("rows %+v", r.record.list)
	}
	if r.record.list[1].Effects[0].After == "" || r.record.list[0].Effects[0].Before == "" {
		t.Fatalf("versions are missing in %+v", r.record.list)
	}
	if r.read.wrote.Load() != 1 {
		t.Fatal("the read state was not told")
	}
}

func TestQuestionIsBoundToItsBytes(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	one := &arg{verb: "put", path: "a.txt", text: "beta\n"}
	first, err := r.do(one)
	if err != nil || first.Pending == nil {
		t.Fatalf("%+v %v", first, err)
	}
	again, _ := r.doAs(reeve.Subject{Agent: "t", Turn: "9", Session: "other process"}, one)
	if again.Pending.Digest != first.Pending.Digest {
		t.Fatal("the same call in another turn and process asks another question")
	}
	other, _ := r.do(&arg{verb: "put", path: "a.txt", text: "gamma\n"})
	if other.Pending.Digest == first.Pending.Digest {
		t.Fatal("other bytes, same question")
	}
	if r.bytes(proj+"a.txt") != "alpha\n" || r.commit.swaps.Load() != 0 {
		t.Fatal("written before the answer")
	}
	r.approvals.answer(first.Pending.Digest, Approval{Yes: true, Channel: "test"})
	// The answer is for beta; gamma is still asked.
	if out, _ := r.do(&arg{verb: "put", path: "a.txt", text: "gamma\n"}); out.Pending == nil {
		t.Fatal("an answer was used for other bytes")
	}
	out, err := r.do(one)
	if err != nil || out.Result == nil || r.bytes(proj+"a.txt") != "beta\n" {
		t.Fatalf("%+v %v", out, err)
	}
}

func TestAnswersAreUsedOnce(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectRemove, reeve.Ask)
	call := &arg{verb: "delete", path: "a.txt"}
	out, _ := r.do(call)
	r.approvals.answer(out.Pending.Digest, Approval{Yes: true})
	if _, err := r.do(call); err != nil {
		t.Fatal(err)
	}
	r.make("file", proj+"a.txt", "alpha\n")
	if out, err := r.do(call); err != nil || out.Pending == nil {
		t.Fatalf("a used answer served again: %+v %v", out, err)
	}
}

func TestDeclined(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	call := &arg{verb: "put", path: "a.txt", text: "beta\n"}
	out, _ := r.do(call)
	r.approvals.answer(out.Pending.Digest, Approval{Yes: false})
	_, err := r.do(call)
	r.wantCode(err, reeve.Declined)
	if r.bytes(proj+"a.txt") != "alpha\n" {
		t.Fatal("written all the same")
	}
	if _, err := r.do(&arg{verb: "peek", path: "a.txt"}); err != nil {
		t.Fatalf("the turn does not go on: %v", err)
	}
}

// The ledger covers a real path for a turn: under any spelling, for later
// writes, and never for a removal.
func TestLedgerIsKeyedByRealPath(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	r.rules.set(reeve.EffectRemove, reeve.Ask)
	first := &arg{verb: "put", path: "a.txt", text: "beta\n"}
	out, _ := r.do(first)
	r.approvals.answer(out.Pending.Digest, Approval{Yes: true})
	if _, err := r.do(first); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a.txt", "/home/ann/proj/a.txt", "~/proj/./a.txt", "alias"} {
		out, err := r.do(&arg{verb: "put", path: path, text: "by " + path})
		if err != nil || out.Result == nil {
			t.Fatalf("%s is asked again: %+v %v", path, out, err)
		}
		if got := r.bytes(proj + "a.txt"); got != "by "+path {
			t.Fatalf("%s wrote elsewhere: %q", path, got)
		}
	}
	if out, _ := r.doAs(reeve.Subject{Agent: "t", Turn: "2"}, &arg{verb: "put", path: "a.txt", text: "x"}); out.Pending == nil {
		t.Error("the next turn is not asked")
	}
	if out, _ := r.doAs(reeve.Subject{Agent: "t"}, &arg{verb: "put", path: "a.txt", text: "x"}); out.Pending == nil {
		t.Error("an unknown turn is not asked")
	}
	if out, _ := r.do(&arg{verb: "delete", path: "a.txt"}); out.Pending == nil {
		t.Error("a removal rides on the approval of a write")
	}
}

func TestOwnerSkipsBeingAskedAndNothingElse(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	owner := reeve.Subject{Kind: reeve.Owner}
	if out, err := r.doAs(owner, &arg{verb: "put", path: "a.txt", text: "mine"}); err != nil || out.Result == nil {
		t.Fatalf("%+v %v", out, err)
	}
	_, err := r.doAs(owner, &arg{verb: "put", path: "secret", text: "x"})
	r.wantCode(err, reeve.Protected)
	r.rules.set(reeve.EffectReplace, reeve.Refuse)
	_, err = r.doAs(owner, &arg{verb: "put", path: "a.txt", text: "x"})
	r.wantCode(err, reeve.ReadOnlyRoot)
}

func TestPremisesAreLookedAtAgain(t *testing.T) {
	r := newRig(t)
	for what, meddle := range map[string]func(){
		"the file became a link elsewhere": func() {
			r.make("remove", proj+"a.txt", "")
			r.make("link", proj+"a.txt", "b.txt")
		},
		"policy changed":          func() { r.rules.set(reeve.EffectReplace, reeve.Refuse) },
		"access was switched off": func() { r.rules.mu.Lock(); r.rules.enabled = false; r.rules.mu.Unlock() },
	} {
		t.Run(what, func(t *testing.T) {
			r = newRig(t)
			r.make("file", proj+"b.txt", "b\n")
			r.commit.staged = meddle
			if out, err := r.do(&arg{verb: "put", path: "a.txt", text: "mine\n"}); err == nil {
				t.Fatalf("went through: %+v", out.Result)
			}
			if r.commit.swaps.Load() != 0 {
				t.Error("swapped on old premises")
			}
			for _, f := range []string{"a.txt", "b.txt"} {
				if got := r.bytes(proj + f); got == "mine\n" {
					t.Errorf("%s was written", f)
				}
			}
		})
	}
}

// A change that nobody was asked about is worked out anew when another writer
// was quicker, from what stands there then.
func TestLoserLooksAgain(t *testing.T) {
	r := newRig(t)
	once := true
	r.commit.staged = func() {
		if once {
			once = false
			r.make("remove", proj+"a.txt", "")
			r.make("file", proj+"a.txt", "theirs\n")
		}
	}
	if _, err := r.do(&arg{verb: "add", path: "a.txt", text: "mine\n"}); err != nil {
		t.Fatal(err)
	}
	if got := r.bytes(proj + "a.txt"); got != "theirs\nmine\n" {
		t.Fatalf("one of the two is lost: %q", got)
	}
	events := ""
	for _, row := range r.record.list {
		events += row.Event + ":" + string(row.Verdict) + " "
	}
	if events != "intent:allow outcome:refuse intent:allow outcome:allow " {
		t.Fatalf("rows %s", events)
	}
}

// An approval is for what was shown: after another writer's save the owner is
// asked anew, never taken at his word for other bytes.
func TestApprovalDoesNotSurviveAnotherSave(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	call := &arg{verb: "add", path: "a.txt", text: "mine\n"}
	out, _ := r.do(call)
	r.approvals.answer(out.Pending.Digest, Approval{Yes: true})
	once := true
	r.commit.staged = func() {
		if once {
			once = false
			r.make("file", proj+"a.txt", "theirs\n")
		}
	}
	again, err := r.do(call)
	if err != nil || again.Pending == nil || again.Pending.Digest == out.Pending.Digest {
		t.Fatalf("%+v %v", again, err)
	}
	if got := r.bytes(proj + "a.txt"); got != "theirs\n" {
		t.Fatalf("written: %q", got)
	}
}

// Sixteen at once on one file: all their lines are there at the end.
func TestQueueOfOneFile(t *testing.T) {
	r := newRig(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for range 20 {
				if _, err := r.do(&arg{verb: "add", path: []string{"a.txt", "./a.txt", "alias"}[i%3], text: "x\n"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := strings.Count(r.bytes(proj+"a.txt"), "x\n"); got != 320 {
		t.Fatalf("%d of 320 lines", got)
	}
	if len(r.gate.queues.by) != 0 {
		t.Fatal("queues are left over")
	}
}

func TestFoldersAreJudgedWithAllThatIsInThem(t *testing.T) {
	for _, tt := range []struct {
		what string
		call *arg
		code reeve.Code // empty: goes through
	}{
		{"delete a folder with something protected deep in it", &arg{verb: "delete", path: "box"}, reeve.Protected},
		{"move it away", &arg{verb: "shift", path: "box", to: "box2"}, reeve.Protected},
		{"move it by a link to it", &arg{verb: "shift", path: "way/box", to: "box2"}, reeve.Protected},
		{"a folder whose content would become protected", &arg{verb: "shift", path: "plain", to: "secret2/x"}, ""},
		{"a folder that holds a granted one", &arg{verb: "shift", path: "outer", to: "outer2"}, reeve.HoldsRoot},
		{"the granted folder itself", &arg{verb: "delete", path: "."}, reeve.HoldsRoot},
		{"the inner granted folder itself", &arg{verb: "shift", path: "outer/inner", to: "x"}, reeve.HoldsRoot},
		{"an ordinary folder", &arg{verb: "shift", path: "plain", to: "plain2"}, ""},
	} {
		t.Run(tt.what, func(t *testing.T) {
			r := newRig(t)
			r.make("file", proj+"box/a/b/secret", "CANARY")
			r.make("file", proj+"plain/f", "x")
			r.make("dir", proj+"secret2", "")
			r.make("dir", proj+"outer/inner", "")
			r.make("link", proj+"way", ".")
			r.files.SetGrants([]capfs.Grant{{Path: "/home/ann/proj", Access: reeve.ReadWrite}, {Path: "/home/ann/proj/outer/inner", Access: reeve.ReadWrite}}, nil)
			_, err := r.do(tt.call)
			if tt.code == "" && err != nil || tt.code != "" && !errors.Is(err, tt.code) {
				t.Fatalf("got %v, want %q", err, tt.code)
			}
			if tt.code != "" && r.commit.swaps.Load() > 0 {
				t.Fatal("swapped")
			}
		})
	}
}

// A control file deep in a folder turns a move that nobody is asked about
// into one that a person is.
func TestMoveOfAControlFileInAFolderIsAsked(t *testing.T) {
	for _, c := range []struct{ from, to string }{{"repo", "repo2"}, {"g", "hooked"}} {
		r := newRig(t)
		r.make("file", proj+"repo/sub/control", "x")
		r.make("file", proj+"g/control", "x")
		out, err := r.do(&arg{verb: "shift", path: c.from, to: c.to})
		if err != nil || out.Pending == nil || !out.Pending.Question.HumanOnly {
			t.Fatalf("%s: %+v %v", c.from, out, err)
		}
	}
}

func TestCompareAndSwap(t *testing.T) {
	r := newRig(t)
	r.commit.beforeSwap = func() { r.make("file", proj+"a.txt", "theirs, later\n") }
	_, err := r.do(&arg{verb: "put", path: "a.txt", text: "mine\n"}) // and however often it is tried again
	r.wantCode(err, reeve.Changed)
	if got := r.bytes(proj + "a.txt"); got != "theirs, later\n" {
		t.Fatalf("their save is %q", got)
	}
}

func TestAllOrNone(t *testing.T) {
	r := newRig(t)
	r.make("file", proj+"b.txt", "b\n")
	r.commit.beforeSwap = func() { r.make("file", proj+"b.txt", "theirs\n") }
	_, err := r.do(&arg{verb: "put", path: "a.txt", also: "b.txt", text: "mine\n"})
	r.wantCode(err, reeve.Changed)
	if a, b := r.bytes(proj+"a.txt"), r.bytes(proj+"b.txt"); a != "alpha\n" || b != "theirs\n" {
		t.Fatalf("a %q, b %q", a, b)
	}
}

func TestParentsAreJudgedAndMade(t *testing.T) {
	r := newRig(t)
	_, err := r.do(&arg{verb: "put", path: "new/deep/f.txt", text: "x"})
	r.wantCode(err, reeve.NotFound)
	if _, err := r.do(&arg{verb: "put", path: "new/deep/f.txt", text: "x", parents: true}); err != nil {
		t.Fatal(err)
	}
	if r.bytes(proj+"new/deep/f.txt") != "x" {
		t.Fatal("not there")
	}
	r.rules.set(reeve.EffectMkdir, reeve.Ask)
	out, _ := r.do(&arg{verb: "put", path: "other/f.txt", text: "x", parents: true})
	if out.Pending == nil || out.Pending.Question.Body != "/home/ann/proj/other/f.txt\nCreates the folder /home/ann/proj/other as well.\nNew content is 1 byte, 1 line." {
		t.Fatalf("%+v", out.Pending)
	}
	_, err = r.do(&arg{verb: "put", path: "secret2/../secret/f.txt", text: "x", parents: true})
	if err == nil {
		t.Fatal("a protected parent was made")
	}
}

func TestMoveNeverReplaces(t *testing.T) {
	r := newRig(t)
	r.make("file", proj+"b.txt", "b\n")
	_, err := r.do(&arg{verb: "shift", path: "a.txt", to: "b.txt"})
	r.wantCode(err, reeve.Exists)
	_, err = r.do(&arg{verb: "shift", path: "a.txt", to: "secret"})
	r.wantCode(err, reeve.Protected)
	_, err = r.do(&arg{verb: "shift", path: "a.txt", to: "/home/ann/other/a.txt"})
	r.wantCode(err, reeve.OutsideRoots)
	if _, err = r.do(&arg{verb: "shift", path: "a.txt", to: "c.txt"}); err != nil {
		t.Fatal(err)
	}
	if r.bytes(proj+"c.txt") != "alpha\n" {
		t.Fatal("not moved")
	}
}

func TestUnreadFilesAreNotReplaced(t *testing.T) {
	r := newRig(t)
	r.rules.state = "all_lines"
	r.read.err = &reeve.Error{Kind: reeve.Policy, Code: reeve.NotRead, What: "has not been read"}
	_, err := r.do(&arg{verb: "put", path: "a.txt", text: "x"})
	r.wantCode(err, reeve.NotRead)
	if _, err = r.do(&arg{verb: "put", path: "fresh.txt", text: "x"}); err != nil {
		t.Fatalf("a new file needs no read: %v", err)
	}
}

func TestOneAnswerOneCommit(t *testing.T) {
	r := newRig(t)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	call := &arg{verb: "put", path: "a.txt", text: "beta\n"}
	out, _ := r.doAs(reeve.Subject{}, call)
	r.approvals.answer(out.Pending.Digest, Approval{Yes: true})
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range 16 {
		wg.Go(func() {
			o, err := r.gate.Do(context.Background(), reeve.Request{Call: call})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && o.Result != nil {
				done++
			}
		})
	}
	wg.Wait()
	if done != 1 {
		t.Fatalf("one answer served %d commits", done)
	}
}

func TestQuestions(t *testing.T) {
	r := newRig(t)
	for _, k := range reeve.EffectKinds()[2:] {
		r.rules.set(k, reeve.Ask)
	}
	r.rules.human = true
	r.now = time.Now().Add(72 * time.Hour)
	for _, tt := range []struct {
		call        *arg
		title, body string
		destructive bool
	}{
		{&arg{verb: "put", path: "a.txt", text: "beta\ngamma"}, "Overwrite a.txt?", "/home/ann/proj/a.txt\nReplaces 6 bytes, last changed 3 days ago.\nNo copy of the old content is kept.\nNew content is 10 bytes, 2 lines.", false},
		{&arg{verb: "put", path: "n.txt", text: ""}, "Create n.txt?", "/home/ann/proj/n.txt\nNew content is 0 bytes, 0 lines.", false},
		{&arg{verb: "put", path: "evil\u202ename", text: "x"}, "Create $'evil\\u202Ename'?", "/home/ann/proj/$'evil\\u202Ename'\nNew content is 1 byte, 1 line.", false},
		{&arg{verb: "delete", path: "a.txt"}, "Delete a.txt?", "/home/ann/proj/a.txt\nThis cannot be undone.", true},
		{&arg{verb: "shift", path: "a.txt", to: "b.txt"}, "Move a.txt?", "/home/ann/proj/a.txt\n→ /home/ann/proj/b.txt\nNothing is there yet.", false},
	} {
		out, err := r.do(tt.call)
		if err != nil || out.Pending == nil {
			t.Errorf("%s: %+v %v", tt.title, out, err)
			continue
		}
		q := out.Pending.Question
		if q.Title != tt.title || q.Body != tt.body || q.Destructive != tt.destructive || !q.HumanOnly {
			t.Errorf("got %q\n%s\n%v", q.Title, q.Body, q)
		}
	}
}
