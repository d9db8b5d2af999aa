package cli

import (
	"fmt"
	"strings"
	"testing"

	"reeve"
)

func TestAnUndoIsDoneOnlyOnAClearYes(t *testing.T) {
	for typed, want := range map[string]bool{"y\n": true, "YES\n": true, " yes \n": true, "what\ny\n": true,
		"\n": false, "n\n": false, "yy\nyy\nyy\ny\n": false, "y": false, "": false} {
		d := newDesk()
		go func() {
			fmt.Fprint(d.typed, typed)
			d.typed.Close()
		}()
		yes, err := askUndoOn(d)
		if yes != want || (err == nil) != want {
			t.Errorf("%q: %v %v", typed, yes, err)
		}
		if d.forgot != 1 || !strings.Contains(d.text(), "Take it back?") {
			t.Errorf("%q: what was typed before was not dropped, or nothing was asked: %q", typed, d.text())
		}
	}
}

func TestUndoStepsInWords(t *testing.T) {
	at := func(k reeve.RestoreKind, s reeve.RestoreState, was, now int64) reeve.RestoredStep {
		return reeve.RestoredStep{Kind: k, State: s, Path: reeve.Cleared("/r/a"), To: reeve.Cleared("/r/b"), Was: was, Now: now, Why: reeve.Cleared("was \u202echanged since")}
	}
	for want, s := range map[string]reeve.RestoredStep{
		"brings back /r/a as it was (1,240 bytes; 1 is there now)": at(reeve.RestoreFile, reeve.StepReady, 1240, 1),
		"brings back /r/a (1 byte)":                                at(reeve.RestoreFile, reeve.StepReady, 1, 0),
		"brings back the link /r/a":                                at(reeve.RestoreLink, reeve.StepReady, 0, 0),
		`the folder /r/a was \u202Echanged since`:                  at(reeve.RestoreFolder, reeve.StepReady, 0, 0),
		"brings back the folder /r/b":                              {Kind: reeve.RestoreFolder, State: reeve.StepReady, Path: reeve.Cleared("/r/b")},
		"moves /r/a back to /r/b":                                  at(reeve.RestoreMove, reeve.StepReady, 0, 3),
		"removes /r/a, which the change made":                      at(reeve.RestoreRemove, reeve.StepReady, 0, 3),
		`cannot: /r/a was \u202Echanged since`:                     at(reeve.RestoreFile, reeve.StepChanged, 1, 1),
	} {
		if got := undoStep(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
