package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/approval"
	"reeve/node"
)

// approveFlags say how a question is answered.
type approveFlags struct {
	yes, no, asJSON, diff bool
	minutes               string
}

func approveCommand(env *Env) *cobra.Command {
	var f approveFlags
	cmd := &cobra.Command{
		Use:   "approve [ID] [--yes | --no | --diff] [--minutes N] [--json]",
		Short: "List the questions that wait for you, and answer them",
		Long: "Without an ID it lists the questions of all agents that wait for you. With one it\n" +
			"shows the question with the change and asks at the terminal; --yes or --no answers\n" +
			"without asking. Of a long change it shows a part, and what is left out; --diff\n" +
			"prints all of it and answers nothing. It works from any shell. An answer is for\n" +
			"that change alone and is used once; --minutes makes a yes hold for that long on the\n" +
			"same file, where that is offered: never for deleting, moving, and files that\n" +
			"control programs.",
		Example: "  reeve approve\n" +
			"  reeve approve K7QF2MX\n" +
			"  reeve approve K7QF2MX --diff | less\n" +
			"  reeve approve K7QF2MX --yes --minutes 10",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%q is one argument too many. See `%s --help`.", bounded(args[1]), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.yes && f.no:
				return usagef("--yes and --no exclude each other.")
			case f.diff && (f.yes || f.no):
				return usagef("--diff answers nothing: give --yes or --no afterwards.")
			case len(args) == 0 && (f.yes || f.no || f.diff || cmd.Flags().Changed("minutes")):
				return usagef("the ID is missing. `%s` lists what waits.", cmd.CommandPath())
			case cmd.Flags().Changed("minutes") && !f.yes:
				return usagef("--minutes goes with --yes.")
			}
			minutes, err := f.lasting(cmd.Flags().Changed("minutes"))
			if err != nil {
				return err
			}
			places, err := node.DefaultPlaces()
			if err != nil {
				return err
			}
			q, err := node.OpenQuestions(places.State, programVersion())
			if err != nil {
				return err
			}
			if len(args) == 0 {
				err = listQuestions(cmd.Context(), env, q, f.asJSON)
			} else {
				err = approve(cmd.Context(), env, q, args[0], f, minutes)
			}
			return errors.Join(err, q.Close())
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.yes, "yes", false, "allow it, without asking at the terminal")
	fl.BoolVar(&f.no, "no", false, "decline it, without asking at the terminal")
	fl.BoolVar(&f.diff, "diff", false, "print the whole change, and answer nothing")
	fl.StringVar(&f.minutes, "minutes", "", "with --yes: for `N` minutes on this file")
	fl.BoolVar(&f.asJSON, "json", false, "print the questions as JSON, for programs")
	return cmd
}

// lasting is for how many minutes a yes holds, 0 when nothing is said of it.
func (f *approveFlags) lasting(said bool) (int, error) {
	if !said {
		return 0, nil
	}
	n, err := strconv.Atoi(f.minutes)
	if err != nil || n < 1 || n > approval.MaxMinutes {
		return 0, usagef("--minutes: %q is no number from 1 to %d. Nothing was answered.", bounded(f.minutes), approval.MaxMinutes)
	}
	return n, nil
}

// cardJSON is a question for programs.
type cardJSON struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	Detail string `json:"detail,omitempty"`
	// Left is what Detail leaves out, Change all of it, with --diff.
	Left        *reeve.Left `json:"left,omitempty"`
	Change      string      `json:"change,omitempty"`
	Destructive bool        `json:"destructive,omitempty"`
	HumanOnly   bool        `json:"human_only,omitempty"`
	Lasting     bool        `json:"lasting,omitempty"`
	Agent       string      `json:"agent"`
	Door        string      `json:"door"`
	Made        time.Time   `json:"made"`
	Expires     time.Time   `json:"expires"`
}

func programCard(c node.Card) cardJSON {
	q := c.Question
	return cardJSON{ID: c.ID, Title: q.Title, Body: q.Body, Detail: q.Detail, Left: q.Left, Destructive: q.Destructive, HumanOnly: q.HumanOnly,
		Lasting: approval.Lasting(q), Agent: c.Subject.Agent, Door: c.Subject.Door, Made: c.Made, Expires: c.Expires}
}

func listQuestions(ctx context.Context, env *Env, q *node.Questions, asJSON bool) error {
	cards, err := q.Waiting(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		list := []cardJSON{}
		for _, c := range cards {
			list = append(list, programCard(c))
		}
		return printJSON(env.Stdout, list)
	}
	if len(cards) == 0 {
		_, err := fmt.Fprintln(env.Stdout, "Nothing waits for you.")
		return err
	}
	now := time.Now()
	for _, c := range cards {
		path, _, _ := strings.Cut(c.Question.Body, "\n")
		fmt.Fprintf(env.Stdout, "%s  %s\n         %s\n         %s, %s ago, for %s more\n", c.ID, cell(c.Question.Title), cell(path),
			agentName(c.Subject), span(now.Sub(c.Made)), span(c.Expires.Sub(now)))
	}
	_, err = fmt.Fprintln(env.Stdout, "\n`reeve approve ID` shows one with its change and asks.")
	return err
}

func agentName(s reeve.Subject) string {
	if s.Agent == "" {
		return "an agent without a name"
	}
	return cell(s.Agent)
}

// span is a length of time in a few words.
func span(d time.Duration) string {
	if d < time.Minute {
		return plural(max(0, int64(d/time.Second)), "second", "seconds")
	}
	return plural(int64(d/time.Minute), "minute", "minutes")
}

func approve(ctx context.Context, env *Env, q *node.Questions, id string, f approveFlags, minutes int) error {
	c, state, _, err := q.Look(ctx, id)
	if err != nil {
		return asTyped(err, id)
	}
	if state != approval.Waits {
		// The table's own words for why not; a no changes nothing here.
		return asTyped(q.Answer(ctx, id, node.Answer{Channel: "approve"}), id)
	}
	all := ""
	if f.diff {
		if all, err = q.Change(ctx, c.ID); err != nil {
			return err
		}
	}
	if f.asJSON {
		card := programCard(c)
		card.Change = all
		if err := printJSON(env.Stdout, card); err != nil {
			return err
		}
	} else if f.diff {
		return printChange(env.Stdout, c.Question, all)
	}
	answer := node.Answer{Yes: f.yes, Minutes: minutes}
	if !f.yes && !f.no {
		if f.asJSON {
			return nil
		}
		t := newTerminal(q)
		tty, err := t.open()
		if err != nil {
			t.color = false
			t.show(env.Stdout, c.Question)
			if c.Question.Left != nil {
				fmt.Fprintf(env.Stdout, "\n%s\n", leftOut(c.Question, "`reeve approve "+c.ID+" --diff`"))
			}
			return usagef("%v. Answer with `reeve approve %s --yes` or `--no`. Nothing was answered.", err, c.ID)
		}
		defer tty.Close()
		fmt.Fprintf(tty, "Asked by %s, %s ago.\n", agentName(c.Subject), span(time.Since(c.Made)))
		if answer, err = t.ask(ctx, tty, c.ID, c.Question); err != nil {
			return fmt.Errorf("nothing was answered: %w", err)
		}
	}
	answer.Channel = "approve"
	if err := q.Answer(ctx, c.ID, answer); err != nil {
		return err
	}
	if f.asJSON {
		return nil
	}
	_, err = fmt.Fprintln(env.Stdout, answered(answer))
	return err
}

// asTyped gives a refusal the ID as it was typed, where it names nothing: there
// is what is wrong with it.
func asTyped(err error, id string) error {
	e, ok := reeve.AsError(err)
	if !ok || e.Code != reeve.NotFound {
		return err
	}
	typed := *e
	typed.Path = strconv.Quote(bounded(id))
	return &typed
}

// printChange prints a whole change without colours, for a pager or a file.
func printChange(w io.Writer, q reeve.Question, all string) error {
	path, _, _ := strings.Cut(q.Body, "\n")
	if _, err := fmt.Fprintf(w, "%s %s\n", cell(q.Title), cell(path)); err != nil {
		return err
	}
	if all == "" {
		_, err := fmt.Fprintln(w, "There is no text to show of it.")
		return err
	}
	(&terminal{}).change(w, all)
	return nil
}

// answered is what an answer came to.
func answered(a node.Answer) string {
	switch {
	case !a.Yes:
		return "Declined. Nothing is changed."
	case a.Minutes > 0:
		return fmt.Sprintf("Allowed, and for %s on this file. It happens when the agent's call goes on, or is made again.", plural(int64(a.Minutes), "minute", "minutes"))
	}
	return "Allowed. It happens when the agent's call goes on, or is made again."
}
