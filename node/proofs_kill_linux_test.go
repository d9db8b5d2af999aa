package node_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"reeve"
	"reeve/internal/attack"
	"reeve/internal/history"
	"reeve/internal/record"
)

const (
	pranksters = 2 // at work in one process, each in a folder of its own
	bigFile    = 100 << 20
	bigEvery   = 25 // runs
)

func prankDir(base string, k int) string { return filepath.Join(base, "yard", fmt.Sprint("k", k)) }

func pranks(base string, k, run int) (*attack.Mischief, error) {
	big := 0
	if run%bigEvery == bigEvery-1 && k == 0 {
		big = bigFile
	}
	return attack.NewMischief(prankDir(base, k), uint64(run*pranksters+k), big)
}

// mischief changes files until it is killed, and tells what it begins and
// what it has done.
func mischief(base string, run int) error {
	syscall.Umask(0o022)
	n, err := standing(base)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for k := range pranksters {
		m, err := pranks(base, k, run)
		if err != nil {
			return err
		}
		go func() {
			for i := 0; ; i++ {
				p := m.Next()
				fmt.Printf("%d begins %d\n", k, i)
				out, err := n.Do(context.Background(), reeve.Request{ID: fmt.Sprintf("%d-%d-%d", run, k, i), Subject: agent, Call: p.Call})
				if err == nil && out.Result == nil {
					err = errors.New("it was asked")
				}
				if err != nil {
					failed <- fmt.Errorf("run %d, %d of %d, %s: %w", run, i, k, short(p.Call), err)
					return
				}
				fmt.Printf("%d did %d\n", k, i)
			}
		}()
	}
	return <-failed
}

// A process that changes files in every way is killed at a random moment, and
// the next start finds each change made or not made, whole, with modes and
// attributes; what was displaced is in history, nothing is left lying about,
// and the record verifies. REEVE_KILLS gives the number of runs.
func TestKilledAtAnyMoment(t *testing.T) {
	runs := 200
	if n := number("REEVE_KILLS"); n > 0 {
		runs = n
	} else if testing.Short() {
		runs = 20
	}
	workers := 2
	var did int
	var cut [2]int
	var mu sync.Mutex
	t.Run("runs", func(t *testing.T) {
		for w := range workers {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				h := newKillHouse(t)
				for run := w; run < runs; run += workers {
					if run/workers%40 == 39 {
						h.move() // so that a long run stays quick
					}
					h.once(run)
				}
				h.report()
				mu.Lock()
				defer mu.Unlock()
				did += h.did
				for i := range cut {
					cut[i] += h.cut[i]
				}
			})
		}
	})
	t.Logf("%d runs: %d changes done; of those cut short %d had not happened, %d had", runs, did, cut[0], cut[1])
}

type killHouse struct {
	t      *testing.T
	base   string
	did    int
	cut    [2]int
	run    int
	faults map[string][]string // by kind
	left   map[string]bool     // what was found lying about, told once
}

// fault notes what is wrong; the runs go on, so that a long one tells how
// often it happens.
func (h *killHouse) fault(kind, format string, args ...any) {
	if h.faults == nil {
		h.faults = map[string][]string{}
	}
	h.faults[kind] = append(h.faults[kind], fmt.Sprintf("run %d: ", h.run)+fmt.Sprintf(format, args...))
}

func (h *killHouse) report() {
	for kind, list := range h.faults {
		h.t.Errorf("%s: %d times, among them\n%s", kind, len(list), strings.Join(list[:min(len(list), 3)], "\n"))
	}
}

func newKillHouse(t *testing.T) *killHouse {
	h := &killHouse{t: t, left: map[string]bool{}}
	h.move()
	return h
}

// move goes on in a new folder.
func (h *killHouse) move() {
	if h.base != "" {
		if err := os.RemoveAll(h.base); err != nil {
			h.t.Fatal(err)
		}
	}
	h.base, _ = newBase(h.t)
	for k := range pranksters {
		if err := os.Mkdir(prankDir(h.base, k), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := attack.PlantMischief(prankDir(h.base, k)); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *killHouse) once(run int) {
	h.run = run
	rng := rand.New(rand.NewPCG(uint64(run), 1))
	wait := time.Duration(rng.IntN(6000)) * time.Microsecond
	if run%bigEvery == bigEvery-1 {
		wait = time.Duration(rng.IntN(700)) * time.Millisecond
	}
	var ms []*attack.Mischief
	for k := range pranksters {
		m, err := pranks(h.base, k, run)
		if err != nil {
			h.t.Fatal(err)
		}
		ms = append(ms, m)
	}
	lines, err := attack.KillAt(role(h.t, "mischief", h.base, run), 1+rng.IntN(40), wait)
	if err != nil {
		h.t.Fatal(err)
	}
	begun, done := [pranksters]int{}, [pranksters]int{}
	for _, l := range lines {
		f := strings.Fields(l)
		k, _ := strconv.Atoi(f[0])
		if f[1] == "begins" {
			begun[k]++
		} else {
			done[k]++
		}
	}
	before := time.Now()
	n, err := standing(h.base) // the next start
	if err != nil {
		h.t.Fatal(err)
	}
	if err := n.Shutdown(context.Background()); err != nil {
		h.t.Error(err)
	}
	kept := history.New(history.Options{Dir: n.Places().State, Report: func(file, what string) {
		if strings.Contains(what, "half an entry") {
			return // cut off by the kill; offered looks for what it would have told
		}
		h.t.Error(file, what)
	}})
	defer kept.Close()
	for k := range pranksters {
		made := h.judge(kept, before, prankDir(h.base, k), ms[k], done[k], begun[k] > done[k])
		h.offered(kept, k, made)
	}
	h.tidy(kept)
}

// judge compares a folder with what must stand there, and gives how many of
// the changes that were begun were made.
func (h *killHouse) judge(kept *history.Store, start time.Time, dir string, m *attack.Mischief, done int, cut bool) (made int) {
	h.did += done
	want, err := attack.ScanTree(dir)
	if err != nil {
		h.t.Fatal(err)
	}
	now := want
	var lost []string
	made = done
	for range done {
		p := m.Next()
		want = p.After
		lost = append(lost, p.Displaced()...)
	}
	switch {
	case !cut:
		if done == 0 {
			return 0
		}
		if diff := want.Differs(now); len(diff) > 0 {
			h.fault("a finished change does not stand", "%s after %d changes, none cut short:\n%s", dir, done, strings.Join(diff, "\n"))
		}
	default:
		p := m.Next()
		old, new := p.Before.Differs(now), p.After.Differs(now)
		switch {
		case len(old) == 0:
			h.cut[0]++
		case len(new) == 0:
			h.cut[1]++
			made++
			lost = append(lost, p.Displaced()...)
		default:
			h.fault("neither old nor new", "%s\nagainst old:\n%s\nagainst new:\n%s\nthe start:\n%s", short(p.Call),
				strings.Join(old, "\n"), strings.Join(new, "\n"), h.recovered(start))
		}
	}
	for _, b := range lost {
		if len(b) > 64<<20 {
			continue // said at the time: no copy is kept of it
		}
		sum := blake3.Sum256([]byte(b))
		if err := kept.Check(context.Background(), hex.EncodeToString(sum[:]), int64(len(b))); err != nil {
			h.fault("displaced and not in history", "%s: %.60q (in its tmp folder: %v): %v", dir, b, h.stray(b), err)
		}
	}
	return made
}

// offered demands that the owner can take back what was made, each call as
// one: history has one change of its agent for it, with every effect that the
// record has of it.
func (h *killHouse) offered(kept *history.Store, k, made int) {
	type effects map[string]bool
	have := map[string]map[string]effects{}
	for e, err := range kept.Entries(context.Background(), history.Filter{}) {
		if err != nil {
			h.fault("history", "%v", err)
			continue
		}
		d, err := e.Detail()
		if err != nil || e.Owner {
			continue
		}
		if have[d.ID] == nil {
			have[d.ID] = map[string]effects{}
		}
		if have[d.ID][e.Change] == nil {
			have[d.ID][e.Change] = effects{}
		}
		have[d.ID][e.Change][string(e.Effect)+" "+e.Path] = true
	}
	want := map[string]effects{}
	for e, err := range record.Rows(filepath.Join(h.base, "state"), record.Filter{Event: "intent"}) {
		if err != nil {
			continue
		}
		want[e.Row.Call] = effects{} // of the last try
		for _, x := range e.Row.Effects {
			if x.Temp != "" {
				want[e.Row.Call][string(x.Kind)+" "+x.Path] = true
			}
		}
	}
	for i := range made {
		id := fmt.Sprintf("%d-%d-%d", h.run, k, i)
		if len(have[id]) != 1 {
			h.fault("not offered as one change", "%s: %v, want %v\nthe start:\n%s", id, have[id], want[id], h.recovered(time.Time{}))
			continue
		}
		for _, got := range have[id] {
			if !maps.Equal(got, want[id]) {
				h.fault("not offered whole", "%s: %v, want %v", id, got, want[id])
			}
		}
	}
}

// recovered is what the record says that the last start has seen to.
func (h *killHouse) recovered(since time.Time) string {
	var b strings.Builder
	for e, err := range record.Rows(filepath.Join(h.base, "state"), record.Filter{}) {
		if err == nil && e.Row.Event == "recovered" && e.Row.Time.After(since) {
			fmt.Fprintln(&b, e.Row.Time.Format(time.StampMicro), e.Row.Asked, e.Row.Note)
		}
	}
	return b.String()
}

// stray reports that a content lies in history's folder for what is on its
// way, where no entry names it.
func (h *killHouse) stray(content string) bool {
	found := false
	_ = filepath.WalkDir(filepath.Join(h.base, "state", "history", "tmp"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			b, _ := os.ReadFile(p)
			found = found || string(b) == content
		}
		return nil
	})
	return found
}

// tidy looks for what must not be left, and verifies the record and every
// blob that history names.
func (h *killHouse) tidy(kept *history.Store) {
	for _, p := range leftovers(h.base) {
		if h.left[p] {
			continue // told before
		}
		h.left[p] = true
		h.fault("left over in "+filepath.Base(filepath.Dir(p)), "%s", p)
	}
	state := filepath.Join(h.base, "state")
	rep, err := record.Verify(state)
	if err != nil || !rep.OK() {
		h.fault("the record", "%v %+v", err, rep)
	}
	seen := map[string]bool{}
	for e, err := range kept.Entries(context.Background(), history.Filter{}) {
		if err != nil {
			h.fault("history", "%v", err)
			continue
		}
		if e.Blob == "" || seen[e.Blob] || e.Kind != reeve.File {
			continue
		}
		seen[e.Blob] = true
		if err := kept.Check(context.Background(), e.Blob, e.Size); err != nil {
			h.fault("history", "%s: %v", e.Path, err)
		}
	}
}
