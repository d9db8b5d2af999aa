package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/node"
)

func explainCommand(env *Env) *cobra.Command {
	var f runFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain PATH [--json] [--read DIR] [--root DIR] [--profile PROFILE] [--approve HOW]",
		Short: "Show what an agent may do with a path, and which rule says so",
		Long: "Shows where a path really is, and for each thing an agent could do with it whether\n" +
			"that is allowed, asked or refused, which rule says so, and how to allow it.\n" +
			"The exit code is 1 if no agent can reach the path at all.",
		Example: "  reeve explain ~/notes/plan.md",
		Args:    exactly(1, "the path to explain"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.config()
			if err != nil {
				return err
			}
			if err := mustBeFolder(c.Folders); err != nil {
				return err
			}
			path, err := fromHere(args[0])
			if err != nil {
				return err
			}
			return withNode(cmd.Context(), c, func(n *node.Node) error {
				st, err := n.Status(cmd.Context())
				if err != nil {
					return err
				}
				ex, err := n.Explain(cmd.Context(), path, cliSubject())
				if err != nil {
					return err
				}
				if asJSON {
					err = printJSON(env.Stdout, ex)
				} else {
					printExplanation(env.Stdout, ex)
					printProblems(env, st)
				}
				if err == nil && ex.Err != nil {
					return silent(exitRefused)
				}
				return err
			})
		},
	}
	f.add(cmd)
	f.addRoot(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func printExplanation(w io.Writer, ex node.Explanation) {
	if ex.Err != nil {
		fmt.Fprintln(w, oneLine(refusalText(ex.Err)))
		return
	}
	fmt.Fprintln(w, ex.Real)
	if ex.Via != "" {
		fmt.Fprintf(w, "Reached through the link %s.\n", cell(ex.Via))
	}
	if !ex.Exists {
		fmt.Fprintln(w, "Nothing is there yet.")
	}
	for _, e := range ex.Effects {
		d := e.Decision
		if d.Verdict == "" {
			d.Verdict = reeve.Refuse
		}
		line := fmt.Sprintf("  %-8s %-7s", e.Effect, d.Verdict)
		if d.Reason != "" && d.Verdict != reeve.Allow {
			line += " " + oneLine(d.Reason)
		}
		fmt.Fprintf(w, "%s [%s]\n", line, oneLine(d.Rule))
		if d.Fix != "" && d.Verdict == reeve.Refuse {
			fmt.Fprintf(w, "  %-8s %-7s to allow it: %s\n", "", "", oneLine(d.Fix))
		}
	}
}
