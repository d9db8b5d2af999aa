package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/guard"
)

// kept is a history with one copy in it.
type kept map[string]string

func (k kept) Open(_ context.Context, hash string) (io.ReadCloser, int64, error) {
	b, ok := k[hash]
	if !ok {
		return nil, 0, &reeve.Error{Code: reeve.NotFound, What: "is gone"}
	}
	return io.NopCloser(strings.NewReader(b)), int64(len(b)), nil
}

// Would keeps small files only.
func (kept) Would(bytes int64) (time.Duration, string) {
	if bytes > 1000 {
		return 0, "it is larger than a test keeps"
	}
	return time.Hour, ""
}

// What a start found lying about comes back over a file of which nobody knows
// whose it is: not where that file would then be nowhere.
func TestWhatWasFoundReplacesNothingThatIsNotKept(t *testing.T) {
	w := restoreWorld(t, kept{"x": "old\n"})
	w.write("small", "mine")
	w.write("large", strings.Repeat("m", 1001))
	for name, want := range map[string]reeve.RestoreState{"small": reeve.StepReady, "large": reeve.StepExists, "none": reeve.StepReady} {
		told, err := w.restore(reeve.Owner, reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path(name), Any: true, LeftKind: reeve.File, Blob: "x", Size: 4})
		if err != nil || told.Steps[0].State != want {
			t.Errorf("%s: %+v %v", name, told, err)
		} else if why := told.Steps[0].Why.String(); (want == reeve.StepExists) != strings.Contains(why, "larger than a test keeps") {
			t.Errorf("%s: %q", name, why)
		}
	}
}

func restoreWorld(t *testing.T, k kept) *world {
	w := newWorld(t, "lam", nil)
	gate, err := w.with(map[reeve.Verb]guard.Verb{reeve.VerbRestore: restore{k}})
	if err != nil {
		t.Fatal(err)
	}
	w.gate = gate
	return w
}

func (w *world) restore(who reeve.SubjectKind, steps ...reeve.RestoreStep) (*reeve.Restored, error) {
	out, err := w.gate.Do(context.Background(), reeve.Request{Subject: reeve.Subject{Kind: who}, Call: &reeve.Restore{Change: "K7M2PQ4X", Steps: steps, DryRun: true}})
	if err != nil {
		return nil, err
	}
	return out.Result.Answer.(*reeve.Restored), nil
}

func TestEachStepIsToldAsItStands(t *testing.T) {
	w := restoreWorld(t, kept{"x": "old\n", "bin": "\x00\x01"})
	w.write("there.txt", "now\n")
	w.write("full/f", "x")
	w.write("empty/", "")
	left := reeve.NewVersion(reeve.Stamp{Size: 9}, false, nil)
	for _, c := range []struct {
		step  reeve.RestoreStep
		state reeve.RestoreState
		diff  string
	}{
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("new/gone.txt"), Blob: "x", Size: 4}, reeve.StepReady, "+ old"},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("gone.txt"), Blob: "bin", Size: 2}, reeve.StepReady, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("gone.txt"), Blob: "x", Size: 5}, reeve.StepLost, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("gone.txt"), Blob: "y", Size: 4}, reeve.StepLost, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("gone.txt"), Blob: "x", Size: 4, Left: left}, reeve.StepGone, "+ old"},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("there.txt"), Blob: "x", Size: 4}, reeve.StepExists, "- now|+ old"},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("there.txt"), Blob: "x", Size: 4, Left: left}, reeve.StepChanged, "- now|+ old"},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("full"), Blob: "x", Size: 4}, reeve.StepExists, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: "/etc/passwd", Blob: "x", Size: 4}, reeve.StepRefused, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.dir + "/a/../there2.txt", Blob: "x", Size: 4}, reeve.StepChanged, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreLink, Path: w.path("l"), Link: "a"}, reeve.StepReady, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreLink, Path: w.path("l")}, reeve.StepLost, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreLink, Path: w.path("there.txt"), Link: "a"}, reeve.StepExists, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreFolder, Path: w.path("made")}, reeve.StepReady, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreFolder, Path: w.path("full")}, reeve.StepExists, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreMove, Path: w.path("there.txt"), To: w.path("back.txt"), LeftKind: reeve.File}, reeve.StepReady, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreMove, Path: w.path("there.txt"), To: w.path("full/f"), LeftKind: reeve.File}, reeve.StepExists, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreMove, Path: w.path("there.txt"), To: w.path("back"), LeftKind: reeve.Directory}, reeve.StepChanged, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreMove, Path: w.path("none"), To: w.path("back"), LeftKind: reeve.File}, reeve.StepGone, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreMove, Path: w.path("there.txt"), To: w.path("back"), LeftKind: reeve.File,
			LeftStamp: reeve.Stamp{Identity: reeve.Identity{Device: 1, Inode: 1}}}, reeve.StepChanged, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: w.path("there.txt"), LeftKind: reeve.File, Left: left}, reeve.StepChanged, "- now"},
		{reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: w.path("there.txt"), LeftKind: reeve.Directory}, reeve.StepChanged, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: w.path("none"), LeftKind: reeve.File, Left: left}, reeve.StepGone, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: w.path("empty"), LeftKind: reeve.Directory}, reeve.StepReady, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: w.path("full"), LeftKind: reeve.Directory}, reeve.StepNotEmpty, ""},
		{reeve.RestoreStep{Kind: reeve.RestoreRemove, Path: w.dir, LeftKind: reeve.Directory}, reeve.StepRefused, ""},
	} {
		got, err := w.restore(reeve.Owner, c.step)
		if err != nil {
			t.Errorf("%+v: %v", c.step, err)
			continue
		}
		s := got.Steps[0]
		var diff []string
		for _, l := range s.Diff {
			diff = append(diff, l.String())
		}
		if s.State != c.state || strings.Join(diff, "|") != c.diff || (s.Why.IsZero() != (s.State == reeve.StepReady)) {
			t.Errorf("%s %s:\n got %s %q (%s)\nwant %s %q", c.step.Kind, c.step.Path, s.State, diff, s.Why, c.state, c.diff)
		}
	}
	if _, err := w.restore(reeve.Agent, reeve.RestoreStep{Kind: reeve.RestoreFile, Path: w.path("gone.txt"), Blob: "x", Size: 4}); !errors.Is(err, reeve.ReeveOwn) {
		t.Errorf("an agent: %v", err)
	}
	if _, err := w.restore(reeve.Owner); !errors.Is(err, reeve.Input) {
		t.Errorf("no steps: %v", err)
	}
	if _, err := w.restore(reeve.Owner, make([]reeve.RestoreStep, maxRestored+1)...); !errors.Is(err, reeve.TooLarge) {
		t.Errorf("too many steps: %v", err)
	}
	if _, err := w.restore(reeve.Owner, reeve.RestoreStep{Kind: "chmod", Path: w.path("a")}); !errors.Is(err, reeve.Invalid) {
		t.Errorf("an unknown step: %v", err)
	}
}

// around is a word in the middle of a long line as it is shown.
func around(word string) string {
	return strings.Repeat("a", 100) + "…‹388 characters›…" + strings.Repeat("a", 12) + word + strings.Repeat("b", 34) + "…‹430 characters›…" + strings.Repeat("b", 36)
}

func TestTheDifferenceIsShort(t *testing.T) {
	long := func(n int) []byte {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		now, old []byte
		want     string
		more     int
	}{
		{[]byte("a\nb\nc\n"), []byte("a\nB\nc\n"), "- b|+ B", 0},
		{[]byte("a\n"), []byte("a"), "- a|+ a (no line end)", 0},
		{[]byte("a\r\n"), []byte("a\n"), `- a\r|+ a`, 0},
		{nil, []byte("x\n"), "+ x", 0},
		{[]byte("same\n"), []byte("same\n"), "", 0},
		{[]byte("\x00"), []byte("x\n"), "", 0},
		{[]byte("\xff"), []byte("x\n"), "", 0},
		{[]byte("\u202ex\n"), nil, `- \u202Ex`, 0},
		{[]byte("a\na\na\n"), []byte("a\na\n"), "- a", 0},
		{long(restoreLines + 5), nil, "", 5},
		{[]byte(strings.Repeat("a", 500) + "good" + strings.Repeat("b", 500)), []byte(strings.Repeat("a", 500) + "evil" + strings.Repeat("b", 500)),
			"- " + around("good") + " (no line end)|+ " + around("evil") + " (no line end)", 0},
	} {
		got, more := difference(c.now, c.old)
		if c.want == "" && c.more > 0 && len(got) == restoreLines+1 && got[restoreLines-restoreTail] == "… 5 lines more here" && got[restoreLines] == "- line 16" {
			c.want = strings.Join(got, "|")
		}
		if strings.Join(got, "|") != c.want || more != c.more {
			t.Errorf("%q → %q: %q and %d more, want %q and %d", c.now, c.old, got, more, c.want, c.more)
		}
	}
}
