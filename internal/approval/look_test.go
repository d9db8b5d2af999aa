package approval

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reeve"
)

func TestWhatHasBecomeOfAQuestion(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	look := func(id string, want State) *Answer {
		t.Helper()
		c, s, a, err := d.Look(ctx, id)
		if err != nil || s != want || (s == NotThere) != (c.ID == "") {
			t.Fatalf("%s: %v %v %v, want %s", id, c.ID, s, err, want)
		}
		open, err := d.Open(ctx, id)
		if err != nil || s == Waits && !open || s == Said && open {
			t.Fatalf("%s is %s, and open is %v (%v)", id, s, open, err)
		}
		return a
	}
	look("AAAAAAA", NotThere)
	look("../../etc", NotThere)
	if _, err := os.Stat(d.dir); err == nil {
		t.Fatal("looking made a folder")
	}
	p, late := d.ask(t, 1), d.ask(t, 2)
	look(p.ID, Waits)
	mark := d.Mark(ctx)
	if err := os.Chtimes(filepath.Join(d.dir, tableDir), time.Time{}, noon); err != nil {
		t.Fatal(err)
	}
	if d.Mark(ctx) == mark {
		t.Error("a changed folder has the same mark")
	}
	if err := d.Answer(ctx, p.ID, Answer{Channel: "console"}); err != nil {
		t.Fatal(err)
	}
	if a := look(p.ID, Said); a == nil || a.Yes || a.Channel != "console" {
		t.Errorf("%+v", a)
	}
	d.take(t, 1)
	look(p.ID, Said)
	d.now = noon.Add(QuestionLife)
	look(late.ID, Expired)
	d.now = noon.Add(QuestionLife + AnswerLife + time.Hour)
	if _, err := d.Waiting(ctx); err != nil { // sweeps
		t.Fatal(err)
	}
	look(late.ID, NotThere)
}

func TestMinutesOnlyWhereTheGateSaidSo(t *testing.T) {
	write, remove := reeve.Effect{Kind: reeve.EffectReplace}, reeve.Effect{Kind: reeve.EffectRemove}
	for name, c := range map[string]struct {
		q    reeve.Question
		want bool
	}{
		"a write":                  {reeve.Question{Remember: true, Effects: []reeve.Effect{write}}, true},
		"a control file":           {reeve.Question{Effects: []reeve.Effect{write}}, false},
		"a removal":                {reeve.Question{Remember: true, Effects: []reeve.Effect{remove}}, false},
		"a write with a removal":   {reeve.Question{Remember: true, Effects: []reeve.Effect{write, remove}}, false},
		"nothing that is told":     {reeve.Question{Remember: true}, false},
		"a folder on the way":      {reeve.Question{Remember: true, Effects: []reeve.Effect{{Kind: reeve.EffectMkdir}, {Kind: reeve.EffectCreate}}}, true},
		"a kind nobody knows":      {reeve.Question{Remember: true, Effects: []reeve.Effect{{Kind: "paint"}}}, false},
		"a move":                   {reeve.Question{Remember: true, Effects: []reeve.Effect{{Kind: reeve.EffectMove}}}, false},
		"sending it to a computer": {reeve.Question{Remember: true, Effects: []reeve.Effect{{Kind: reeve.EffectSend}}}, false},
	} {
		if Lasting(c.q) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
	// A file that claims minutes for what has none is no answer.
	d := newDesk(t)
	ctx := context.Background()
	p, err := d.Ask(ctx, digest(1), reeve.Question{Title: "Delete?", Effects: []reeve.Effect{remove}}, agent("1"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := d.open(false)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := create(root, answerName(p.ID), filed{ID: p.ID, Digest: p.Digest, Answer: Answer{Yes: true, Channel: "console", At: noon, Minutes: 10}}); err != nil {
		t.Fatal(err)
	}
	if a, ok := d.take(t, 1); ok {
		t.Fatalf("taken: %+v", a)
	}
}
