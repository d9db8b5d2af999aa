package node_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/attack"
	"reeve/internal/history"
	"reeve/internal/record"
)

const (
	crowds        = 4 // processes
	crowdSessions = 4 // in each
)

func crowdNames() (out []string) {
	for k := range crowds {
		out = append(out, fmt.Sprint("p", k))
	}
	return out
}

// crowd is one process of those that edit one file. N is its number and the
// edits of each session.
func crowd(base string, n int) error {
	node, err := standing(base)
	if err != nil {
		return err
	}
	c := attack.Crowd{Doer: node, Path: filepath.Join(base, "yard", "shared.txt"), Name: crowdNames()[n%crowds], Sessions: crowdSessions, Edits: n / crowds}
	lost, err := c.Run(context.Background())
	fmt.Println(lost)
	return errors.Join(err, node.Shutdown(context.Background()))
}

// Sixteen sessions in four processes edit one file: every edit that was said
// to be made is there, and each that lost a race was told. REEVE_EDITS gives
// the number of edits of each session.
func TestManyWritersOfOneFile(t *testing.T) {
	edits := 50
	if n := number("REEVE_EDITS"); n > 0 {
		edits = n
	}
	base, dir := newBase(t)
	path := filepath.Join(dir, "shared.txt")
	if err := os.WriteFile(path, []byte(attack.CrowdFile(crowdNames(), crowdSessions)), 0o640); err != nil {
		t.Fatal(err)
	}
	type ran struct {
		out, said bytes.Buffer
		wait      func() error
	}
	var all []*ran
	for k := range crowds {
		r := &ran{}
		cmd := role(t, "crowd", base, edits*crowds+k)
		cmd.Stdout, cmd.Stderr = &r.out, &r.said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r.wait = cmd.Wait
		all = append(all, r)
	}
	lost := 0
	for k, r := range all {
		if err := r.wait(); err != nil {
			t.Errorf("process %d: %v\n%s", k, err, r.said.Bytes())
		}
		n := 0
		fmt.Sscan(r.out.String(), &n)
		lost += n
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := attack.CheckCrowd(string(b), crowdNames(), crowdSessions, edits); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		for e, err := range record.Rows(filepath.Join(base, "state"), record.Filter{}) {
			if err == nil && (strings.Contains(e.Row.Note, "left as") || e.Row.Event == "recovered") {
				t.Logf("on record: %s %s %s", e.Row.Event, e.Row.Call, e.Row.Note)
			}
		}
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	n, err := standing(base) // what was in the way in a lost race is seen to
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	for _, p := range leftovers(base) {
		t.Errorf("left over: %s", p)
	}
	if rep, err := record.Verify(filepath.Join(base, "state")); err != nil || !rep.OK() {
		t.Errorf("the record: %v %+v", err, rep)
	}
	t.Logf("%d edits, %d lost a race and were told", crowds*crowdSessions*edits, lost)
}

// A person saves a file over and over while an agent edits and overwrites it.
// No save is lost: it stands, or its writer has replaced it, or history has
// it; and so it is with what the agent wrote.
func TestSavesDuringEdits(t *testing.T) {
	for name, inPlace := range map[string]bool{"saved by rename": false, "saved in place": true} {
		t.Run(name, func(t *testing.T) {
			base, dir := newBase(t)
			path := filepath.Join(dir, "notes.txt")
			const first = "here it begins"
			if err := os.WriteFile(path, []byte(first+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			n, err := standing(base)
			if err != nil {
				t.Fatal(err)
			}
			saves := 400
			if k := number("REEVE_SAVES"); k > 0 {
				saves = k
			}
			saver := attack.Saver{Path: path, InPlace: inPlace}
			var over atomic.Bool
			saved := make(chan error, 1)
			go func() {
				defer over.Store(true)
				pause := rand.New(rand.NewPCG(1, 2))
				for range saves {
					time.Sleep(time.Duration(pause.IntN(5000)) * time.Microsecond)
					if err := saver.Save(first); err != nil {
						saved <- err
						return
					}
				}
				saved <- nil
			}()
			var wrote []string
			var notes []string
			told := 0
			for i := 0; !over.Load(); i++ {
				text := fmt.Sprintf("agent %d\n", i)
				var call reeve.Call = &reeve.WriteFile{Path: path, Content: first + "\n" + text}
				if i%2 == 0 {
					call = &reeve.EditFile{Path: path, Edits: []reeve.Edit{{Old: first + "\n", New: first + "\n" + text}}}
				}
				out, err := n.Do(context.Background(), reeve.Request{Subject: agent, Call: call})
				switch {
				case err == nil && out.Result != nil:
					for _, n := range out.Result.Notes {
						notes = append(notes, n.String())
					}
					if i%2 == 1 {
						wrote = append(wrote, first+"\n"+text)
					}
				case errors.Is(err, reeve.Changed), inPlace && errors.Is(err, reeve.NoMatch):
					told++
				default:
					t.Fatalf("%T: %v", call, err)
				}
			}
			if err := <-saved; err != nil {
				t.Fatal(err)
			}
			if err := n.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			// What arrived late in a displaced file is seen to at the next start.
			n, err = standing(base)
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			final, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			kept := history.New(history.Options{Dir: n.Places().State, Report: func(file, what string) { t.Error(file, what) }})
			defer kept.Close()
			in := func(text string) bool {
				sum := blake3.Sum256([]byte(text))
				return kept.Check(context.Background(), hex.EncodeToString(sum[:]), int64(len(text))) == nil
			}
			inHistory := 0
			for _, text := range saver.Unknown(string(final)) {
				if !in(text) {
					t.Errorf("a save is lost: %.60q", text)
					continue
				}
				inHistory++
			}
			for _, text := range wrote {
				if text != string(final) && !saver.Seen[text] && !in(text) {
					t.Errorf("what the agent wrote is lost: %q", text)
				}
			}
			for _, p := range leftovers(base) {
				t.Errorf("left over: %s", strings.TrimPrefix(p, base))
			}
			t.Logf("%d saves, %d of them in history alone; %d writes of the agent, %d refused", len(saver.Saved), inHistory, len(wrote), told)
			if t.Failed() {
				t.Logf("what the agent was told besides: %q", notes)
			}
			if inHistory == 0 {
				t.Error("they never met")
			}
		})
	}
}
