package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/pathname"
	"reeve/node"
)

// undoFlags say how a change is taken back.
type undoFlags struct {
	dryRun, list, yes, asJSON bool
}

func undoCommand(env *Env) *cobra.Command {
	var f undoFlags
	cmd := &cobra.Command{
		Use:   "undo [ID] [--dry-run] [--list] [--yes] [--json]",
		Short: "Take back what an agent changed",
		Long: "Takes back the last change of an agent that still stands, or the one with the ID:\n" +
			"all that one call changed, or nothing. It shows first what will happen and asks at\n" +
			"the terminal. Where a file was changed since, nothing is taken back, and what\n" +
			"differs is shown. A folder that the change made goes only when it is empty.\n\n" +
			"An undo is itself recorded and kept; it is taken back by its own ID. --list shows\n" +
			"the last changes with their IDs, also what was found after a crash, or came from a\n" +
			"program that wrote into a file when it had been replaced: its ID brings it back.",
		Example: "  reeve undo --dry-run\n" +
			"  reeve undo --list\n" +
			"  reeve undo\n" +
			"  reeve undo K7M2PQ4X --yes",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%q is one argument too many. See `%s --help`.", bounded(args[1]), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return undoList(cmd.Context(), env, args, f)
			}
			return undo(cmd.Context(), env, strings.Join(args, ""), f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&f.dryRun, "dry-run", false, "show what would happen, and end")
	fl.BoolVar(&f.list, "list", false, "show the last changes with their IDs, and end")
	fl.BoolVar(&f.yes, "yes", false, "do it without asking at the terminal")
	fl.BoolVar(&f.asJSON, "json", false, "print what happens as JSON, for programs; with --dry-run, --list or --yes")
	return cmd
}

func undo(ctx context.Context, env *Env, id string, f undoFlags) error {
	if f.asJSON && !f.dryRun && !f.yes {
		return usagef("--json asks nothing, and goes with --dry-run, --list or --yes.")
	}
	c := node.Config{Version: programVersion()}
	o := node.UndoOptions{ID: id, DryRun: true, Door: "cli"}
	err := withNode(ctx, c, func(n *node.Node) (err error) {
		c.Folders, err = ungranted(ctx, n, id)
		return err
	})
	if err != nil {
		return undoRefused(err)
	}
	plan, err := undoOnce(ctx, c, o)
	if err != nil {
		return undoRefused(err)
	}
	if f.asJSON && (f.dryRun || !plan.Ready()) {
		if err := printJSON(env.Stdout, plan); err != nil {
			return err
		}
	}
	if !f.asJSON {
		printUndo(env, plan)
	}
	if !plan.Ready() {
		if !f.asJSON {
			fmt.Fprintln(env.Stderr, "reeve: this cannot be taken back as it is. Nothing was changed."+goFirst(plan.Later))
		}
		return silent(exitRefused)
	}
	if f.dryRun {
		return nil
	}
	if !f.yes {
		yes, err := askUndo(ctx)
		if err != nil || !yes {
			return err
		}
	}
	o.ID, o.DryRun = plan.Change, false // what was shown, whatever came since
	done, err := undoOnce(ctx, c, o)
	if err != nil {
		return undoRefused(err)
	}
	if f.asJSON {
		return printJSON(env.Stdout, done)
	}
	for _, n := range done.Notes {
		fmt.Fprintln(env.Stderr, "reeve: "+oneLine(n.String()))
	}
	for _, p := range done.Folders {
		fmt.Fprintf(env.Stdout, "%s stays: it is not empty.\n", p)
	}
	_, err = fmt.Fprintf(env.Stdout, "Taken back. `reeve undo %s` takes this undo back.\n", done.As)
	return err
}

func undoOnce(ctx context.Context, c node.Config, o node.UndoOptions) (u node.Undone, err error) {
	err = withNode(ctx, c, func(n *node.Node) (err error) {
		u, err = n.Undo(ctx, o)
		return err
	})
	return u, err
}

// ungranted gives the folders that the change was made in, if not all of them
// are granted for changing: they were granted for a run, or are no longer.
// That keeps agents out, and not the owner, who is asked here.
func ungranted(ctx context.Context, n *node.Node, id string) ([]node.Folder, error) {
	roots, err := n.UndoRoots(ctx, id)
	if err != nil {
		return nil, err
	}
	st, err := n.Status(ctx)
	if err != nil {
		return nil, err
	}
	var folders []node.Folder
	all := st.Enabled
	for _, r := range roots {
		raw, err := unescaped(r)
		if err != nil {
			return nil, err
		}
		folders = append(folders, node.Folder{Path: raw, Access: reeve.ReadWrite})
		all = all && slices.ContainsFunc(st.Roots, func(s node.RootStatus) bool {
			return s.Real == r && s.Access == reeve.ReadWrite && s.State == reeve.StateOpen
		})
	}
	if all {
		return nil, nil
	}
	return folders, nil
}

func undoRefused(err error) error {
	if e, ok := reeve.AsError(err); ok && e.Code != reeve.Cancelled {
		return errors.New(refusalText(err))
	}
	return err
}

// goFirst names the later changes that may be why, the latest first.
func goFirst(later []string) string {
	if len(later) == 0 {
		return ""
	}
	words := " Take back what was changed there since first, with `reeve undo " + later[0] + "`"
	if more := len(later) - 1; more > 0 {
		words += " and then " + plural(int64(more), "one more", "more")
	}
	return words + "."
}

// undoSteps is how many steps a terminal is shown.
const undoSteps = 20

func printUndo(env *Env, u node.Undone) {
	what := "the change " + u.Change
	if u.Undoes != "" {
		what = "the undo " + u.Change + " (of " + u.Undoes + ")"
	}
	who := agentName(u.Who)
	if u.Who.IsOwner() {
		who = "you"
	}
	if u.Verb == node.Found {
		fmt.Fprintf(env.Stdout, "Brings back what was found on %s and kept as %s:\n", u.At.Local().Format("2006-01-02 15:04"), u.Change)
	} else {
		fmt.Fprintf(env.Stdout, "Takes back %s, made by %s with %s on %s:\n", what, who, cell(string(u.Verb)), u.At.Local().Format("2006-01-02 15:04"))
	}
	shown := 0
	for _, s := range u.Steps {
		if s.State == reeve.StepReady && shown == undoSteps {
			continue
		}
		shown++
		fmt.Fprintf(env.Stdout, "  %s\n", undoStep(s))
		for _, l := range s.Diff {
			fmt.Fprintf(env.Stdout, "      %s\n", clip(visible(l.String()), columns(env.Stdout)-6))
		}
		if s.More > 0 {
			fmt.Fprintf(env.Stdout, "      … %s not shown\n", plural(int64(s.More), "line", "lines"))
		}
	}
	if u.Blocked > 0 {
		fmt.Fprintf(env.Stdout, "  … and %s that cannot\n", plural(int64(u.Blocked), "one", "others"))
	}
	if left := len(u.Steps) - shown + u.More; left > 0 {
		fmt.Fprintf(env.Stdout, "  … and %s\n", plural(int64(left), "more of this", "more of these"))
	}
	for _, m := range u.Missing {
		fmt.Fprintf(env.Stdout, "  does not bring back %s\n", pathname.Visible(m))
	}
	if u.MissingMore > 0 {
		fmt.Fprintf(env.Stdout, "  … and does not bring back %s\n", plural(int64(u.MissingMore), "more", "others"))
	}
	for _, p := range u.Folders {
		fmt.Fprintf(env.Stdout, "  removes the folder %s, if it is empty then\n", p)
	}
}

// undoStep is one step in words; what stands in its way comes first.
func undoStep(s reeve.RestoredStep) string {
	path := s.Path.String()
	if s.State != reeve.StepReady {
		return "cannot: " + path + " " + pathname.Visible(s.Why.String())
	}
	switch s.Kind {
	case reeve.RestoreFile:
		if s.Now > 0 || len(s.Diff) > 0 && strings.HasPrefix(s.Diff[0].String(), "- ") {
			return fmt.Sprintf("brings back %s as it was (%s; %s there now)", path, plural(s.Was, "byte", "bytes"), areThere(s.Now))
		}
		return fmt.Sprintf("brings back %s (%s)", path, plural(s.Was, "byte", "bytes"))
	case reeve.RestoreLink:
		return "brings back the link " + path
	case reeve.RestoreFolder:
		if why := s.Why.String(); why != "" {
			return "the folder " + path + " " + pathname.Visible(why)
		}
		return "brings back the folder " + path
	case reeve.RestoreMove:
		return "moves " + path + " back to " + s.To.String()
	}
	return "removes " + path + ", which the change made"
}

func areThere(n int64) string {
	if n == 1 {
		return "1 is"
	}
	return count(n) + " are"
}

// askUndo asks on the terminal that controls this process, never on the
// standard input.
func askUndo(ctx context.Context) (yes bool, err error) {
	t, err := controlling()
	if err != nil {
		return false, usagef("%v. Nothing was taken back; `reeve undo --yes` does it without asking.", err)
	}
	defer t.Close()
	type answer struct {
		yes bool
		err error
	}
	said := make(chan answer, 1)
	go func() {
		yes, err := askUndoOn(t)
		said <- answer{yes, err}
	}()
	select {
	case a := <-said:
		return a.yes, a.err
	case <-ctx.Done(): // the question is left unanswered
		return false, &stopped{"Nothing was taken back."}
	}
}

func askUndoOn(t tty) (yes bool, err error) {
	t.Forget()
	in := bufio.NewReaderSize(t, 256)
	for range 3 {
		fmt.Fprint(t, "Take it back? y or N: ")
		line, err := in.ReadString('\n')
		if err != nil {
			return false, errors.New("nobody answered. Nothing was taken back.")
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			fmt.Fprintln(t, "Nothing was taken back.")
			return false, silent(exitRefused)
		}
		fmt.Fprintln(t, "That is neither y nor n.")
	}
	return false, silent(exitRefused)
}
