package approval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reeve"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("APPROVAL_TEST_TAKE"); dir != "" {
		os.Exit(childTake(dir))
	}
	os.Exit(m.Run())
}

type desk struct {
	*Table
	dir     string
	now     time.Time
	mu      sync.Mutex
	reports []string
}

func newDesk(t testing.TB) *desk {
	d := &desk{dir: filepath.Join(t.TempDir(), "state"), now: noon}
	d.Table = NewTable(TableOptions{Dir: d.dir, Now: func() time.Time { return d.now }, Report: func(file, what string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.reports = append(d.reports, what)
	}})
	return d
}

func digest(i int) (d reeve.Digest) {
	copy(d[:], fmt.Sprint("proposal ", i))
	return d
}

func (d *desk) ask(t testing.TB, i int) reeve.Pending {
	t.Helper()
	p, err := d.Ask(context.Background(), digest(i), reeve.Question{Title: fmt.Sprintf("Overwrite %d.md?", i), Body: "…",
		Remember: true, Effects: []reeve.Effect{{Kind: reeve.EffectReplace}}}, agent("1"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (d *desk) yes(t testing.TB, id string) {
	t.Helper()
	if err := d.Answer(context.Background(), id, Answer{Yes: true, Channel: "approve"}); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) take(t testing.TB, i int) (Answer, bool) {
	t.Helper()
	a, ok, err := d.Take(context.Background(), digest(i))
	if err != nil {
		t.Fatal(err)
	}
	return a, ok
}

func (d *desk) names(end string) []string {
	list, _ := filepath.Glob(filepath.Join(d.dir, tableDir, "*"+end))
	return list
}

func TestAQuestionIsAnsweredAndUsedOnce(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	if _, ok := d.take(t, 1); ok {
		t.Fatal("an answer without a table")
	}
	if list, err := d.Waiting(ctx); err != nil || list != nil {
		t.Fatal(list, err)
	}
	if _, err := os.Stat(d.dir); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("looking made a folder")
	}
	p := d.ask(t, 1)
	if again := d.ask(t, 1); again.ID != p.ID || len(d.names(".card")) != 1 {
		t.Errorf("the same proposal has two cards: %s %s", p.ID, again.ID)
	}
	other := d.ask(t, 2)
	if other.ID == p.ID || len(p.ID) != 7 || strings.ContainsAny(p.ID, "01ILOU") || !p.Expires.Equal(noon.Add(15*time.Minute)) {
		t.Errorf("%+v %+v", p, other)
	}
	if _, ok := d.take(t, 1); ok {
		t.Fatal("an answer that nobody gave")
	}
	d.now = d.now.Add(90 * time.Second)
	typed := strings.ToLower(p.ID[:3]) + "-" + p.ID[3:]
	if err := d.Answer(ctx, typed, Answer{Yes: true, Channel: "terminal", Minutes: 10}); err != nil {
		t.Fatal(err)
	}
	if err := d.Answer(ctx, p.ID, Answer{Channel: "console"}); !errors.Is(err, reeve.Exists) || !strings.Contains(err.Error(), "yes, by terminal") {
		t.Errorf("a second answer: %v", err)
	}
	if list, err := d.Waiting(ctx); err != nil || len(list) != 1 || list[0].ID != other.ID || list[0].Question.Title != "Overwrite 2.md?" || list[0].Subject.Agent != "claude" {
		t.Errorf("%v %v", list, err)
	}
	if _, ok := d.take(t, 2); ok {
		t.Fatal("an answer to another question")
	}
	a, ok := d.take(t, 1)
	if !ok || !a.Yes || a.Channel != "terminal" || a.Minutes != 10 || a.Took != 90*time.Second || !a.At.Equal(d.now) {
		t.Fatalf("%+v %v", a, ok)
	}
	if _, ok := d.take(t, 1); ok {
		t.Fatal("used twice")
	}
	if err := d.Answer(ctx, p.ID, Answer{Yes: true, Channel: "console"}); err == nil {
		t.Error("a card was answered again after its answer was used")
	}
	if _, ok := d.take(t, 1); ok {
		t.Fatal("used twice, with a late answer")
	}
	if p2 := d.ask(t, 1); p2.ID == p.ID {
		t.Error("asked again, an old card is shown")
	} else if d.yes(t, p2.ID); true {
		if _, ok := d.take(t, 1); !ok {
			t.Error("asked again, the answer is not found")
		}
	}
	if len(d.reports) > 0 {
		t.Error(d.reports)
	}
	for _, n := range append(d.names(""), filepath.Join(d.dir, tableDir)) {
		if st, err := os.Stat(n); err != nil || runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v %v", n, st.Mode(), err)
		}
	}
}

func TestANoIsAnAnswerToo(t *testing.T) {
	d := newDesk(t)
	p := d.ask(t, 1)
	if err := d.Answer(context.Background(), p.ID, Answer{Channel: "console"}); err != nil {
		t.Fatal(err)
	}
	if a, ok := d.take(t, 1); !ok || a.Yes {
		t.Errorf("%+v %v", a, ok)
	}
}

func TestAnswersThatAreNotTaken(t *testing.T) {
	d := newDesk(t)
	ctx := context.Background()
	p := d.ask(t, 1)
	human, err := d.Ask(ctx, digest(2), reeve.Question{HumanOnly: true}, agent(""))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		id   string
		a    Answer
		code reeve.Code
	}{
		"no such card":          {"AAAAAAA", Answer{Yes: true}, reeve.NotFound},
		"no ID":                 {"", Answer{Yes: true}, reeve.NotFound},
		"a path":                {"../../x", Answer{Yes: true}, reeve.NotFound},
		"the digest":            {p.Digest.String(), Answer{Yes: true}, reeve.NotFound},
		"endless":               {strings.Repeat("A", 1<<20), Answer{Yes: true}, reeve.NotFound},
		"years":                 {p.ID, Answer{Yes: true, Minutes: 1e6}, reeve.Invalid},
		"negative":              {p.ID, Answer{Yes: true, Minutes: -1}, reeve.Invalid},
		"no for ten minutes":    {p.ID, Answer{Minutes: 10}, reeve.Invalid},
		"minutes for a removal": {human.ID, Answer{Yes: true, Minutes: 10}, reeve.Invalid},
		"own client":            {human.ID, Answer{Yes: true, Channel: "elicitation"}, reeve.NoChannel},
	} {
		err := d.Answer(ctx, c.id, c.a)
		if !errors.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		} else if len(err.Error()) > 300 {
			t.Errorf("%s: %d bytes of error", name, len(err.Error()))
		}
	}
	if len(d.names(".answer")) != 0 {
		t.Error("an answer was kept")
	}
	d.yes(t, p.ID)
	d.yes(t, human.ID)
}

func TestQuestionsAndAnswersExpire(t *testing.T) {
	ctx := context.Background()
	d := newDesk(t)
	p := d.ask(t, 1)
	d.now = noon.Add(15 * time.Minute)
	if err := d.Answer(ctx, p.ID, Answer{Yes: true}); !errors.Is(err, reeve.NotFound) || !strings.Contains(err.Error(), "expired") {
		t.Errorf("%v", err)
	}
	p2 := d.ask(t, 1)
	if p2.ID == p.ID {
		t.Fatal("an expired card was found again")
	}
	d.now = d.now.Add(14 * time.Minute)
	d.yes(t, p2.ID)
	d.now = d.now.Add(15*time.Minute - time.Second) // the card is over, the answer is not
	if _, ok := d.take(t, 1); !ok {
		t.Error("an answer is lost with its card")
	}
	p3 := d.ask(t, 1)
	d.yes(t, p3.ID)
	d.now = d.now.Add(15 * time.Minute)
	if _, ok := d.take(t, 1); ok {
		t.Error("an answer was used after its time")
	}
	d.now = d.now.Add(20 * time.Minute)
	d.ask(t, 9)
	if n := len(d.names("")); n != 1 {
		t.Errorf("%d files are left: %v", n, d.names(""))
	}
}

func TestAClockThatIsSetBackLengthensNothing(t *testing.T) {
	d := newDesk(t)
	p := d.ask(t, 1)
	q := d.ask(t, 2)
	d.yes(t, q.ID)
	d.now = noon.Add(-time.Hour)
	if _, ok := d.take(t, 2); ok {
		t.Error("an answer from the future was used")
	}
	if err := d.Answer(context.Background(), p.ID, Answer{Yes: true}); err == nil {
		t.Error("a card from the future was answered")
	}
	if list, _ := d.Waiting(context.Background()); len(list) != 0 {
		t.Errorf("%v", list)
	}
	again := d.ask(t, 1)
	if again.ID == p.ID || again.Expires.After(d.now.Add(QuestionLife)) {
		t.Error("a card from the future was found again")
	}
	d.yes(t, again.ID)
	if _, ok := d.take(t, 1); !ok {
		t.Error("the new card can't be answered")
	}
}

func TestOfManyTakersOneGetsTheAnswer(t *testing.T) {
	for i := range 20 {
		d := newDesk(t)
		p := d.ask(t, i)
		d.yes(t, p.ID)
		var wins atomic.Int64
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if _, ok, err := d.Take(context.Background(), digest(i)); err != nil {
					t.Error(err)
				} else if ok {
					wins.Add(1)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			t.Fatalf("%d got it", wins.Load())
		}
	}
}

func TestOfManyAnswersTheFirstCounts(t *testing.T) {
	d := newDesk(t)
	for i := range 20 {
		p := d.ask(t, i)
		var first atomic.Pointer[Answer]
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				a := Answer{Yes: g%2 == 0, Channel: fmt.Sprint("channel ", g)}
				switch err := d.Answer(context.Background(), p.ID, a); {
				case err == nil:
					if !first.CompareAndSwap(nil, &a) {
						t.Error("two answers were taken")
					}
				case !errors.Is(err, reeve.Exists):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		a, ok := d.take(t, i)
		if f := first.Load(); !ok || f == nil || a.Yes != f.Yes || a.Channel != f.Channel {
			t.Fatalf("%+v, first was %+v", a, f)
		}
	}
}

func TestOfManyAskersAllGetTheSameCard(t *testing.T) {
	d := newDesk(t)
	var ids sync.Map
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			p, err := d.Ask(context.Background(), digest(1), reeve.Question{}, agent(""))
			if err != nil {
				t.Error(err)
			}
			ids.Store(p.ID, true)
		})
	}
	wg.Wait()
	n := 0
	ids.Range(func(any, any) bool { n++; return true })
	if n != 1 || len(d.names(".card")) != 1 || len(d.names("tmp-")) != 0 {
		t.Errorf("%d cards, files %v", n, d.names(""))
	}
}

const childQuestions = 40

func childTake(dir string) int {
	table := NewTable(TableOptions{Dir: dir, Now: func() time.Time { return noon }})
	for i := range childQuestions {
		if _, ok, err := table.Take(context.Background(), digest(i)); err != nil {
			return 1
		} else if ok {
			fmt.Println(i)
		}
	}
	return 0
}

func TestOfTwoProcessesOneGetsEachAnswer(t *testing.T) {
	d := newDesk(t)
	for i := range childQuestions {
		p, err := d.Ask(context.Background(), digest(i), reeve.Question{}, reeve.Subject{Agent: fmt.Sprint(i % 4)})
		if err != nil {
			t.Fatal(err)
		}
		d.yes(t, p.ID)
	}
	var cmds []*exec.Cmd
	var outs []*strings.Builder
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), "APPROVAL_TEST_TAKE="+d.dir)
		var out strings.Builder
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds, outs = append(cmds, cmd), append(outs, &out)
	}
	var got []string
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Fields(outs[i].String())...)
	}
	slices.Sort(got)
	if len(got) != childQuestions || len(slices.Compact(got)) != childQuestions {
		t.Errorf("%d answers were taken of %d", len(got), childQuestions)
	}
}

func TestFilesThatDoNotFitAreIgnoredAndReported(t *testing.T) {
	const good = `{"id":"%s","digest":"%s","yes":true,"channel":"approve","at":"2026-03-14T12:00:01Z","took":1}`
	for name, c := range map[string]struct {
		file, content string // %ID and %D stand for the card's
		report        string
	}{
		"truncated answer":    {"%ID.answer", `{"id":"%ID","dig`, "damaged"},
		"empty answer":        {"%ID.answer", ``, "damaged"},
		"not JSON":            {"%ID.answer", "yes", "damaged"},
		"another digest":      {"%ID.answer", fmt.Sprintf(good, "%ID", digest(7)), "another card"},
		"another card's":      {"%ID.answer", fmt.Sprintf(good, "2345678", "%D"), "another card"},
		"unknown field":       {"%ID.answer", `{"id":"%ID","digest":"%D","yes":true,"root":true}`, "damaged"},
		"two values":          {"%ID.answer", fmt.Sprintf(good, "%ID", "%D") + "{}", "more follows"},
		"from before":         {"%ID.answer", strings.Replace(fmt.Sprintf(good, "%ID", "%D"), "12:00:01", "11:00:00", 1), "while its card waited"},
		"from after":          {"%ID.answer", strings.Replace(fmt.Sprintf(good, "%ID", "%D"), "12:00:01", "13:00:00", 1), "while its card waited"},
		"no time":             {"%ID.answer", `{"id":"%ID","digest":"%D","yes":true,"channel":"x"}`, "while its card waited"},
		"a year of grace":     {"%ID.answer", strings.Replace(fmt.Sprintf(good, "%ID", "%D"), `"took"`, `"minutes":525600,"took"`, 1), "time that can't"},
		"endless":             {"%ID.answer", strings.Repeat(" ", 2<<20), "too long"},
		"card, truncated":     {digest(1).String() + ".5.card", `{"id":`, "damaged"},
		"card, other digest":  {digest(3).String() + ".0.card", `{"id":"2345678","digest":"%D"}`, "another proposal"},
		"card without ID":     {digest(1).String() + ".5.card", `{"id":"../../x","digest":"%D","made":"2026-03-14T12:00:00Z","expires":"2026-03-14T12:01:00Z"}`, "no proper ID"},
		"card that never end": {digest(1).String() + ".5.card", `{"id":"2345678","digest":"%D","made":"2026-03-14T12:00:00Z","expires":"2036-03-14T12:01:00Z"}`, "live as long"},
		"card with odd name":  {"x.card", `{}`, "no card has"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			p := d.ask(t, 1)
			d.now = noon.Add(2 * time.Second)
			fill := strings.NewReplacer("%ID", p.ID, "%D", p.Digest.String())
			if err := os.WriteFile(filepath.Join(d.dir, tableDir, fill.Replace(c.file)), []byte(fill.Replace(c.content)), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, ok := d.take(t, 1); ok {
				t.Error("it was used")
			}
			if !slices.ContainsFunc(d.reports, func(s string) bool { return strings.Contains(s, c.report) }) {
				t.Errorf("reported: %v", d.reports)
			}
			again := d.ask(t, 1) // and it does not keep the owner from answering
			d.yes(t, again.ID)
			if _, ok := d.take(t, 1); !ok {
				t.Error("the true answer is not found")
			}
		})
	}
}

func TestACancelledCallTakesNothing(t *testing.T) {
	d := newDesk(t)
	d.yes(t, d.ask(t, 1).ID)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok, err := d.Take(ctx, digest(1)); ok || !errors.Is(err, context.Canceled) {
		t.Error(ok, err)
	}
	if _, ok := d.take(t, 1); !ok {
		t.Error("the answer is lost")
	}
}
