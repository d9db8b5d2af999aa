package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/pathname"
	"reeve/internal/record"
	"reeve/node"
)

// logFlags say which rows are wanted.
type logFlags struct {
	since, until, agent, verb, path, effect string
	refused, follow, asJSON                 bool
}

func logCommand(env *Env) *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "log [FLAG…]",
		Short: "Show what agents asked, and what they got",
		Long: "Shows the record: who asked for what, what was decided, how much was shown and what\n" +
			"was changed. What was read is never on it; of a change --json has the difference.\n" +
			"A change says \"begun\" where nothing says yet how it ended. WHEN is a date, a date\n" +
			"with a time, or an age such as 30m, 2h or 7d.",
		Example: "  reeve log --since 2h\n" +
			"  reeve log --refused --path ~/notes\n" +
			"  reeve log --effect replace --json\n" +
			"  reeve log --follow --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			want, err := f.filter(time.Now())
			if err != nil {
				return err
			}
			places, err := node.DefaultPlaces()
			if err != nil {
				return err
			}
			return showLog(cmd.Context(), env, places.State, want, f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.since, "since", "", "rows from `WHEN` on")
	fl.StringVar(&f.until, "until", "", "rows before `WHEN`")
	fl.StringVar(&f.agent, "agent", "", "rows of the agent `NAME`")
	fl.StringVar(&f.verb, "verb", "", "rows of one `TOOL`: read_file, …")
	fl.StringVar(&f.path, "path", "", "rows that name `PATH` or something below it")
	fl.StringVar(&f.effect, "effect", "", "rows with one `EFFECT`: read, list, create, …")
	fl.BoolVar(&f.refused, "refused", false, "only what was refused or failed")
	fl.BoolVar(&f.follow, "follow", false, "go on with new rows as they come")
	fl.BoolVar(&f.asJSON, "json", false, "one JSON object a line; of a change both rows")
	cmd.AddCommand(logVerify(env), logHead(env))
	return cmd
}

func (f *logFlags) filter(now time.Time) (record.Filter, error) {
	out := record.Filter{Agent: f.agent, Verb: reeve.Verb(f.verb), Effect: reeve.EffectKind(f.effect)}
	for _, w := range []struct {
		flag, text string
		into       *time.Time
	}{{"--since", f.since, &out.Since}, {"--until", f.until, &out.Until}} {
		if w.text == "" {
			continue
		}
		t, ok := moment(w.text, now)
		if !ok {
			return out, usagef("%s: %q is no time. Write a date (2026-11-30), a date with a time (2026-11-30 20:15) or an age (2h, 7d).", w.flag, bounded(w.text))
		}
		*w.into = t
	}
	if f.verb != "" && reeve.NewCall(out.Verb) == nil {
		return out, usagef("--verb: there is no tool %q.", bounded(f.verb))
	}
	if f.effect != "" && !slices.Contains(reeve.EffectKinds(), out.Effect) {
		return out, usagef("--effect: there is no effect %q.", bounded(f.effect))
	}
	if f.path != "" {
		abs, err := absolute(f.path)
		if err != nil {
			return out, usagef("--path: %v.", err)
		}
		out.Path = pathname.EscapePath(abs)
	}
	return out, nil
}

// showLog prints what is there, and with --follow what comes.
func showLog(ctx context.Context, env *Env, dir string, want record.Filter, f logFlags) error {
	show := &logPrinter{out: env.Stdout, errs: env.Stderr, json: f.asJSON, refused: f.refused, wide: columns(env.Stdout)}
	if f.follow {
		// Rows that come while the old ones are read are printed after them.
		return follow(ctx, dir, want, show)
	}
	put, flush := show.once()
	for e, err := range record.Rows(dir, want) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			if err := put(e); err != nil {
				return err
			}
			continue
		}
		show.failed = true
		fmt.Fprintln(env.Stderr, "reeve: "+oneLine(err.Error()))
	}
	if err := flush(); err != nil {
		return err
	}
	if show.rows == 0 && !show.failed {
		fmt.Fprintln(env.Stderr, "reeve: "+emptyLog(want, f))
	}
	if show.failed {
		return silent(exitRefused)
	}
	return nil
}

func emptyLog(want record.Filter, f logFlags) string {
	if want == (record.Filter{}) && !f.refused {
		return "the record is empty: nothing was asked yet, or its files were removed."
	}
	return "no row is like that. `reeve log` shows all of them."
}

// follow prints the rows of the last hour, or those since --since, and then
// what comes, where a change is shown when it begins and when it is done. The
// place to go on from is taken before the old rows are read,
// so that none is missed in between; what both give is printed once.
func follow(ctx context.Context, dir string, want record.Filter, show *logPrinter) error {
	if want.Since.IsZero() {
		want.Since = time.Now().Add(-time.Hour)
	}
	from, err := record.FromNow(dir, want)
	if err != nil {
		return err
	}
	seen := map[string]int64{}
	put, flush := show.once()
	for e, err := range record.Rows(dir, want) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			fmt.Fprintln(show.errs, "reeve: "+oneLine(err.Error()))
			continue
		}
		seen[e.Segment] = max(seen[e.Segment], e.N)
		if err := put(e); err != nil {
			return err
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return from.Run(ctx, func(e record.Entry) error {
		if e.N <= seen[e.Segment] {
			return nil
		}
		return show.entry(e)
	})
}

// logPrinter prints rows, as a table or as JSON.
type logPrinter struct {
	out, errs     io.Writer
	json, refused bool
	wide          int
	day           string
	rows          int
	failed        bool
	asked         map[string]bool // digests of questions that were shown
}

// mostAsked bounds what is remembered of them.
const mostAsked = 10_000

// result is how a call ended; the same question once more is told from a new
// one.
func (p *logPrinter) result(r *reeve.Row) string {
	s := resultOf(r)
	if r.Verdict != reeve.Ask || r.Code != "" || r.Digest == "" {
		return s
	}
	if p.asked[r.Digest] {
		return s + " again"
	}
	if p.asked == nil || len(p.asked) >= mostAsked {
		p.asked = map[string]bool{}
	}
	p.asked[r.Digest] = true
	return s
}

// once is entry for rows that are all there: a change is shown once. Programs
// get both of its rows.
func (p *logPrinter) once() (put func(record.Entry) error, flush func() error) {
	if p.json {
		return p.entry, func() error { return nil }
	}
	both := &pairs{show: p.entry}
	return both.entry, both.flush
}

func (p *logPrinter) entry(e record.Entry) error {
	r := &e.Row
	if p.refused && e.Damage == "" && r.Code == "" && r.Verdict != reeve.Refuse {
		return nil
	}
	p.rows++
	if p.json {
		b, err := json.Marshal(struct {
			reeve.Row
			Segment string `json:"segment"`
			N       int64  `json:"n"`
			Damage  string `json:"damage,omitempty"`
			Torn    bool   `json:"torn,omitempty"`
		}{e.Row, e.Segment, e.N, e.Damage, e.Torn})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.out, "%s\n", b)
		return err
	}
	if e.Torn {
		_, err := fmt.Fprintf(p.errs, "reeve: the last row of %s is not finished; its process was stopped while writing, or is writing now.\n", e.Segment)
		return err
	}
	if e.Damage != "" {
		if _, err := fmt.Fprintf(p.errs, "reeve: %s row %d %s.\n", e.Segment, e.N, oneLine(e.Damage)); err != nil {
			return err
		}
		if r.Time.IsZero() {
			return nil
		}
	}
	return p.line(r)
}

// line is one row of the table: the day stands above the rows of a day.
func (p *logPrinter) line(r *reeve.Row) error {
	t := r.Time.Local()
	if day := t.Format("2006-01-02"); day != p.day {
		p.day = day
		if _, err := fmt.Fprintln(p.out, day); err != nil {
			return err
		}
	}
	agent := 10
	if p.wide >= 100 {
		agent = 14
	}
	const clock, tool, result, gaps = 8, 14, 22, 4 * 2
	line := t.Format("15:04:05") + "  " + pad(cell(subjectName(r.Subject)), agent) + "  " + pad(toolName(r), tool) + "  " +
		pad(cell(p.result(r)), result) + "  " + clipPath(cell(pathsOf(r)), p.wide-clock-agent-tool-result-gaps)
	_, err := fmt.Fprintln(p.out, strings.TrimRight(line, " "))
	return err
}

func subjectName(s reeve.Subject) string {
	switch {
	case s.Agent != "":
		return s.Agent
	case s.IsOwner():
		return "owner"
	case s == (reeve.Subject{}):
		return "reeve"
	}
	return "unnamed"
}

func toolName(r *reeve.Row) string {
	if r.Verb == "" {
		return cell(r.Event)
	}
	return cell(string(r.Verb))
}

// resultOf is how a call ended, in a few words.
func resultOf(r *reeve.Row) string {
	switch {
	case r.Event == "answer" && r.Rule == node.Elicited && r.Code == reeve.NoChannel:
		return "no answer from its window"
	case r.Event == "answer" && r.Code == reeve.Cancelled:
		return "stopped, no answer yet"
	case r.Event == "answer" && r.Code != "":
		return "too late: " + r.Rule
	case r.Event == "answer" && r.Verdict == reeve.Allow:
		return "yes: " + r.Rule
	case r.Event == "answer":
		return "no: " + r.Rule
	case r.Code != "":
		if r.Kind == reeve.IO {
			return "failed: " + string(r.Code)
		}
		return "refused: " + string(r.Code)
	case r.Verdict == reeve.Refuse:
		return "refused"
	case r.Verdict == reeve.Ask:
		return "asked"
	case r.Event == eventIntent:
		return "begun"
	case r.Event == eventOutcome:
		return "done"
	case r.Lines > 0:
		return size(r.Bytes) + ", " + plural(r.Lines, "line", "lines")
	case r.Bytes > 0:
		return size(r.Bytes)
	case r.Event == "call":
		return "ok"
	}
	return r.Note
}

// pathsOf names what a row is about: the first place, and how many more.
func pathsOf(r *reeve.Row) string {
	var paths []string
	add := func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, e := range r.Effects {
		path := e.Path
		if e.To != "" {
			path += " → " + e.To
		}
		add(path)
	}
	for _, path := range r.Asked { // a tool that looks before it writes asks for a path twice
		add(path)
	}
	switch len(paths) {
	case 0:
		return ""
	case 1:
		return paths[0]
	}
	return fmt.Sprintf("%s +%d", paths[0], len(paths)-1)
}
