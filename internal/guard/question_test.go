package guard

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"reeve"
)

// long proposes text for each of its places, with a diff that counts how
// often it is made.
type long struct {
	put
	made  *atomic.Int64
	lines int
}

func (l long) Work(ctx context.Context, c reeve.Call, v *View, r *Reply) (Work, error) {
	w, err := l.put.Work(ctx, c, v, r)
	for range w.Changes {
		w.Shown = append(w.Shown, Shown{Diff: func(b DiffBounds) Diff {
			l.made.Add(1)
			d := Diff{Lines: int64(l.lines), Bytes: int64(l.lines) * 8}
			n := l.lines
			if b.Lines >= 0 {
				n = min(n, b.Lines)
			}
			n = min(n, b.Bytes/8)
			d.Text, d.Left.New = strings.Repeat("+    1 \u202ex\n", n), int64(l.lines-n)
			return d
		}})
	}
	return w, err
}

func longRig(t *testing.T, lines int) (*rig, *atomic.Int64) {
	r := newRig(t)
	made := &atomic.Int64{}
	r.open(Options{Verbs: map[reeve.Verb]Verb{"put": long{made: made, lines: lines}, "delete": del{}}})
	return r, made
}

func TestNoDiffWhereNobodyIsAsked(t *testing.T) {
	r, made := longRig(t, 10)
	if _, err := r.do(&arg{verb: "put", path: "a.txt", text: "x"}); err != nil {
		t.Fatal(err)
	}
	if made.Load() != 1 || strings.Count(r.record.last().Patch, "\n") != 10 {
		t.Errorf("made %d times: %q", made.Load(), r.record.last().Patch)
	}
}

func TestACardSaysWhatItLeavesOut(t *testing.T) {
	r, made := longRig(t, 1404)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	ask := func() (q reeve.Question, whole string) {
		t.Helper()
		out, err := r.do(&arg{verb: "put", path: "a.txt", text: "x"})
		if err != nil || out.Pending == nil {
			t.Fatalf("%+v %v", out, err)
		}
		return out.Pending.Question, r.approvals.whole[out.Pending.Digest]
	}
	q, whole := ask()
	if q.Left == nil || q.Left.New != 1204 || q.Left.Beyond || q.Left.String() != "1,204 lines (0 gone, 1,204 new)" || strings.Count(q.Detail, "\n") != 200 {
		t.Errorf("%+v, %d lines", q.Left, strings.Count(q.Detail, "\n"))
	}
	if strings.Count(whole, "\n") != 1404 || strings.Contains(whole, "\u202e") {
		t.Errorf("%d lines are kept", strings.Count(whole, "\n"))
	}
	// Asked again, the whole of it is not made anew.
	before := made.Load()
	ask()
	if n := made.Load() - before; n != 1 {
		t.Errorf("made %d times more", n)
	}

	// A change beyond what is kept says so in the question and in what is kept.
	r, _ = longRig(t, 1_000_000)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	if q, whole = ask(); q.Left == nil || !q.Left.Beyond {
		t.Errorf("%+v", q.Left)
	}
	if !strings.HasPrefix(whole, "… This change is too large to be shown whole: ") || !strings.Contains(whole[:200], " new) are left out.\n") {
		t.Errorf("%q", whole[:200])
	}

	// What is shown whole says nothing, and nothing is kept beside it.
	r, _ = longRig(t, 200)
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	if q, whole = ask(); q.Left != nil || whole != "" || strings.Count(q.Detail, "\n") != 200 {
		t.Errorf("%+v %q", q.Left, whole)
	}
}

// Each of several files is shown under its path, and none takes the room of
// the others.
func TestEachOfSeveralFilesIsShown(t *testing.T) {
	r, _ := longRig(t, 500)
	r.make("file", "/home/ann/proj/b.txt", "beta\n")
	r.rules.set(reeve.EffectReplace, reeve.Ask)
	out, err := r.do(&arg{verb: "put", path: "a.txt", also: "b.txt", text: "x"})
	if err != nil || out.Pending == nil {
		t.Fatalf("%+v %v", out, err)
	}
	q := out.Pending.Question
	first, second := strings.Index(q.Detail, "@@ /home/ann/proj/a.txt @@\n"), strings.Index(q.Detail, "@@ /home/ann/proj/b.txt @@\n")
	if first != 0 || second < 0 || strings.Count(q.Detail[:second], "\n") != 101 || strings.Count(q.Detail[second:], "\n") != 101 || q.Left == nil || q.Left.New != 800 {
		t.Errorf("%d %d %+v", first, second, q.Left)
	}
}

// A question about a folder names what is special in it, however late it
// comes, and nothing that is no news.
func TestAFoldersQuestionNamesWhatIsSpecialInIt(t *testing.T) {
	r := newRig(t)
	r.rules.prefix = kindAsked
	r.make("dir", "/home/ann/proj/d", "")
	for i := range 5 {
		r.make("file", fmt.Sprintf("/home/ann/proj/d/%d.txt", i), "x")
	}
	r.rules.set(reeve.EffectRemove, reeve.Ask)
	ask := func() reeve.Question {
		t.Helper()
		out, err := r.do(&arg{verb: "delete", path: "d"})
		if err != nil || out.Pending == nil {
			t.Fatalf("%+v %v", out, err)
		}
		return out.Pending.Question
	}
	if q := ask(); strings.Contains(q.Body, "which needs") || strings.Contains(q.Body, "It holds") || q.HumanOnly {
		t.Errorf("%+v", q)
	}
	r.make("file", "/home/ann/proj/d/control", "x")
	if q := ask(); !strings.Contains(q.Body, "It holds /home/ann/proj/d/control, which is a control file.") || !q.HumanOnly {
		t.Errorf("%+v", q)
	}
}

// What moved away under a call is named.
func TestAMessageAboutAChangedPathNamesIt(t *testing.T) {
	r := newRig(t)
	r.commit.staged = func() { r.rules.set(reeve.EffectReplace, reeve.Ask) }
	_, err := r.do(&arg{verb: "put", path: "a.txt", text: "x"})
	r.wantCode(err, reeve.Changed)
	if !strings.HasPrefix(err.Error(), "a.txt leads elsewhere than when it was looked at, or other rules hold for it now. Nothing was written.") {
		t.Error(err)
	}
}

// Files of very different sizes that fit together are all kept whole.
func TestALargeFileTakesTheRoomOfSmallOnes(t *testing.T) {
	made := &atomic.Int64{}
	sizes := map[string]int{"a.txt": 300_000, "b.txt": 150_000, "c.txt": 3}
	p := &passed{}
	for name, lines := range sizes {
		p.proposal.Changes = append(p.proposal.Changes, reeve.Change{Place: reeve.Place{Components: []reeve.Name{reeve.Name(name)}}})
		p.work.Shown = append(p.work.Shown, Shown{Diff: func(b DiffBounds) Diff {
			made.Add(1)
			n := min(lines, b.Bytes/8)
			return Diff{Text: strings.Repeat("+    1 \n", n), Lines: int64(lines), Bytes: int64(lines) * 8, Left: reeve.Left{New: int64(lines - n)}}
		}})
	}
	all := p.diff(DiffBounds{Lines: -1, Width: -1, Bytes: wholeMost})
	if !all.Left.IsZero() || all.Lines != 450_003 || made.Load() > 6 {
		t.Errorf("%+v, %d lines, made %d times", all.Left, all.Lines, made.Load())
	}
}

// Of so many files that even a little of each is too much, the rest is counted
// and not let through; and what is cut is cut after a line.
func TestADiffOfManyFilesKeepsItsBound(t *testing.T) {
	text := strings.Repeat("@@ /r/f @@\n-old\n+new\n+more\n", 1000)
	var left reeve.Left
	got := shorten(text, 10_000, &left)
	if len(got) > 10_000 || len(got) < 9_900 || !strings.HasSuffix(got, "\n") {
		t.Errorf("%d bytes", len(got))
	}
	if gone, now := int64(strings.Count(got, "\n-")), int64(strings.Count(got, "\n+")); left.Gone+gone != 1000 || left.New+now != 2000 {
		t.Errorf("%+v beside %d and %d", left, gone, now)
	}
	left = reeve.Left{}
	if got := shorten(text, len(text), &left); got != text || !left.IsZero() {
		t.Errorf("cut without need: %+v", left)
	}
}
