package cli

import (
	"context"
	"fmt"

	"reeve/node"
)

// undoListed is how many changes a list shows.
const undoListed = 20

// undoList shows the last changes, the latest first.
func undoList(ctx context.Context, env *Env, args []string, f undoFlags) error {
	if len(args) > 0 || f.dryRun || f.yes {
		return usagef("--list shows all changes, and goes with --json alone.")
	}
	var list []node.Past
	err := withNode(ctx, node.Config{Version: programVersion()}, func(n *node.Node) (err error) {
		most := undoListed
		if f.asJSON {
			most = 0
		}
		list, err = n.Past(ctx, most)
		return err
	})
	if err != nil {
		return undoRefused(err)
	}
	if f.asJSON {
		if list == nil {
			list = []node.Past{}
		}
		return printJSON(env.Stdout, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(env.Stderr, "reeve: nothing was changed, or nothing of it is kept any more. `reeve log` shows what was asked.")
		return nil
	}
	for _, p := range list {
		if _, err := fmt.Fprintln(env.Stdout, pastLine(p, columns(env.Stdout))); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(env.Stdout, "`reeve undo ID` takes one back; `reeve undo ID --dry-run` shows what that does.")
	return err
}

// pastLine is one change: ID, time, who, how it stands, and where.
func pastLine(p node.Past, wide int) string {
	who := agentName(p.Who)
	if p.Who.IsOwner() {
		who = "you"
	}
	what := cell(string(p.Verb))
	switch {
	case p.Verb == node.Found:
		who, what = "-", "kept aside"
	case p.Undoes != "":
		what = "undo " + p.Undoes
	}
	state := ""
	switch p.State {
	case node.PastUndone:
		state = "taken back"
	case node.PastNotKept:
		state = "no copy"
	}
	path := ""
	if len(p.Paths) > 0 {
		path = p.Paths[0]
		if path == "" {
			path = "(its place is not known)"
		}
		if more := len(p.Paths) - 1; more > 0 {
			path += fmt.Sprintf(" +%d", more)
		}
	}
	head := p.Change + "  " + p.At.Local().Format("2006-01-02 15:04") + "  " + pad(cell(who), 12) + "  " + pad(what, 16) + "  " + pad(state, 10) + "  "
	return head + clipPath(cell(path), wide-len(head))
}
