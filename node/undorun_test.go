package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"reeve"
	"reeve/internal/history"
)

// limited is a gate that takes so many real steps of undos, and then fails.
type limited struct {
	reeve.Doer
	calls int
	most  int // steps in one call
}

func (l *limited) Do(ctx context.Context, r reeve.Request) (reeve.Outcome, error) {
	c := r.Call.(*reeve.Restore)
	l.most = max(l.most, len(c.Steps))
	if !c.DryRun {
		if l.calls--; l.calls == 0 {
			return reeve.Outcome{}, &reeve.Error{Op: "restore", Path: c.Steps[0].Path, Kind: reeve.IO, Code: reeve.Failed, What: "could not be written", Not: "Nothing was written."}
		}
	}
	return l.Doer.Do(ctx, r)
}

// A folder with very many files comes back in parts, and stays away whole when
// a part fails.
func TestALargeFolderComesBackWholeOrNotAtAll(t *testing.T) {
	y := newCutYard(t)
	for i := range partMost + 20 {
		y.write(fmt.Sprintf("d/f%04d", i), fmt.Sprint(i%7))
	}
	before := y.tree()
	n := y.next()
	do := func(ctx context.Context, c reeve.Call) {
		t.Helper()
		if _, err := n.Do(ctx, reeve.Request{Subject: reeve.Subject{Agent: "a"}, Call: c}); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	do(ctx, &reeve.DeletePath{Path: y.path("d"), Recursive: true})
	g := &limited{Doer: n.gate, calls: 2}
	_, err := undo(ctx, g, n.changes.history, UndoOptions{})
	if !errors.Is(err, reeve.Failed) || !strings.Contains(err.Error(), "taken away again") || len(y.tree()) > 0 {
		t.Fatal(err, len(y.tree()))
	}
	// The change stands as before, and can be taken back.
	dry, err := n.Undo(ctx, UndoOptions{DryRun: true})
	if err != nil || !dry.Ready() || len(dry.Steps)+dry.More != partMost+21 {
		t.Fatalf("%v: %d steps and %d more", err, len(dry.Steps), dry.More)
	}
	g = &limited{Doer: n.gate}
	u, err := undo(ctx, g, n.changes.history, UndoOptions{})
	if got := y.tree(); err != nil || !slices.Equal(got, before) || g.most > partMost {
		t.Fatalf("%v: %d of %d are there, with %d steps at once", err, len(got), len(before), g.most)
	}
	// Something in the way of the last part: nothing of the first is done.
	if _, err := n.Undo(ctx, UndoOptions{ID: u.As}); err != nil {
		t.Fatal(err)
	}
	last := u.Steps[len(u.Steps)-1].Path.String()
	rel := strings.TrimPrefix(last, y.dir+"/")
	y.write(rel, "mine")
	if _, err := n.Undo(ctx, UndoOptions{}); !errors.Is(err, reeve.Exists) || len(y.tree()) != 2 {
		t.Errorf("%v: %q", err, y.tree())
	}
}

// fickle is a gate that finds something in the way when it only looks, and
// nothing when it acts.
type fickle struct{ made int }

func (f *fickle) Do(_ context.Context, r reeve.Request) (reeve.Outcome, error) {
	c := r.Call.(*reeve.Restore)
	told := &reeve.Restored{DryRun: c.DryRun, Steps: []reeve.RestoredStep{{State: reeve.StepReady}}}
	if c.DryRun {
		told.Blocked = 1
	} else {
		f.made++
	}
	return reeve.Outcome{Result: &reeve.Result{Answer: told}}, nil
}

// What was in the way of one part went in the very moment: that part is no
// undo of the whole, and it is not told as nothing.
func TestAPartThatSlippedThroughIsTakenAway(t *testing.T) {
	gate := &fickle{}
	r := restorer{gate: gate, store: history.New(history.Options{Dir: t.TempDir()}), change: "AAAAAAAA", as: "BBBBBBBB"}
	_, _, err := r.parts(context.Background(), &undoPlan{steps: make([]reeve.RestoreStep, 2*partMost)}, false)
	e, ok := reeve.AsError(err)
	if !ok || gate.made != 1 || !errors.Is(err, reeve.Changed) || !strings.Contains(e.Instead, "BBBBBBBB") {
		t.Errorf("%v after %d calls", err, gate.made)
	}
}

// However deep a folder is, the steps of a part go through few folders of the
// same part: each would be held once for every step below it.
func TestThePartsOfADeepFolderAreSmall(t *testing.T) {
	p := &undoPlan{}
	dir := "/d"
	for range 2000 {
		p.steps = append(p.steps, reeve.RestoreStep{Kind: reeve.RestoreFolder, Path: dir}, reeve.RestoreStep{Kind: reeve.RestoreFile, Path: dir + "/f"})
		dir += "/a"
	}
	var all []reeve.RestoreStep
	for _, part := range p.parts(partDeep) {
		all = append(all, part...)
		through := 0
		for _, s := range part {
			through += strings.Count(s.Path, "/") - strings.Count(part[0].Path, "/")
		}
		if len(part) > partMost || through > partDeep+len(part) {
			t.Errorf("%d steps through %d folders", len(part), through)
		}
	}
	if len(all) != len(p.steps) || all[len(all)-1].Path != p.steps[len(all)-1].Path {
		t.Errorf("%d of %d steps, in another order", len(all), len(p.steps))
	}
}
