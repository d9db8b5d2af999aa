package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/dialect"
	"reeve/internal/dialect/native"
	"reeve/node"
)

func callCommand(env *Env) *cobra.Command {
	var f runFlags
	var asJSON, noWait bool
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value …] [--json] [--no-wait] [--read DIR] [--root DIR] [FLAG…]",
		Short: "Call one tool by hand, as an agent would",
		Long: "Calls one tool as an agent named cli, through the same gate and onto the same\n" +
			"record, and prints what a model would read.\n\n" +
			"  key=value    text, a number or true/false, as the tool takes it\n" +
			"  key=@FILE    the text of a file; key=@- reads the standard input\n" +
			"  key:=JSON    JSON, as it is\n\n" +
			"A key written several times makes a list (paths=a paths=b). Paths are relative to\n" +
			"the working folder. What needs your yes is asked at the terminal and in the console.\n" +
			"The exit code is 0 for a result, 1 for a refusal, 2 for a call that could not be\n" +
			"understood, 130 for one that was stopped. `reeve call TOOL --help` tells what a tool takes.",
		Example: "  reeve call list_directory path=. --read .\n" +
			"  reeve call read_file path=README.md offset=10 limit=5 --read .\n" +
			"  reeve call write_file path=notes.txt content=@draft.txt --root .\n" +
			"  reeve call search_files pattern='*.go' contains=reeve path=. --read .",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("the tool is missing. There are %s. See `%s --help`.", toolNames(native.New()), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return call(cmd.Context(), env, &f, args, asJSON, noWait)
		},
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		for _, a := range args {
			if tool, ok := native.New().Tool(a); ok {
				_ = toolHelp(cmd, tool)
				return
			}
		}
		_ = help(cmd)
	})
	f.add(cmd)
	f.addRoot(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the outcome as JSON, for programs")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "ask nowhere: name the question that waits, and end")
	return cmd
}

func call(ctx context.Context, env *Env, f *runFlags, args []string, asJSON, noWait bool) error {
	speech := native.New()
	tool, ok := speech.Tool(args[0])
	if !ok {
		return usagef("there is no tool %q. There are %s.", bounded(args[0]), toolNames(speech))
	}
	typed, err := parseArguments(args[1:], env.Stdin)
	if err != nil {
		return err
	}
	c, err := f.config()
	if err != nil {
		return err
	}
	if err := mustBeFolder(c.Folders); err != nil {
		return err
	}
	return notChanged(ctx, withNode(ctx, c, func(n *node.Node) error {
		st, err := n.Status(ctx)
		if err != nil {
			return err
		}
		printProblems(env, st)
		request, named, err := decode(tool, typed, st.Settings)
		if refused, ok := reeve.AsError(err); ok {
			err := n.Refused(ctx, reeve.Request{Subject: cliSubject(), Call: &reeve.Unread{Tool: tool.Verb, Paths: named}}, refused)
			if e, ok := reeve.AsError(err); ok {
				refused = e
			}
			return refuse(env, speech, refused, exitUsage, asJSON)
		} else if err != nil {
			return err
		}
		ctx, done := withProgress(ctx, env.Stderr)
		do := doAsking
		if noWait {
			do = func(ctx context.Context, n *node.Node, r reeve.Request) (reeve.Outcome, error) { return n.Do(ctx, r) }
		}
		out, err := do(ctx, n, reeve.Request{Subject: cliSubject(), Call: request})
		done()
		if refused, ok := reeve.AsError(err); ok {
			if s, ok := asStopped(ctx, err); ok && !asJSON {
				return s
			} else if ok {
				return refuse(env, speech, refused, exitStopped, asJSON)
			}
			return refuse(env, speech, nextCommands(refused, f), exitRefused, asJSON)
		} else if err != nil {
			return err
		}
		if asJSON {
			if err := printJSON(env.Stdout, out); err != nil {
				return err
			}
		}
		if out.Result == nil {
			return waiting(env, out.Pending, asJSON)
		}
		if asJSON {
			return nil
		}
		text := tool.Render(*out.Result, dialect.Context{Call: request, Settings: st.Settings})
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		_, err = fmt.Fprint(env.Stdout, forOutput(env.Stdout, text))
		return err
	}))
}

// notChanged says of a call that was stopped without a word from the gate that
// it did nothing: the gate carries to its end, and tells, what it began to
// change.
func notChanged(ctx context.Context, err error) error {
	if s, ok := asStopped(ctx, err); ok && s.known == "" {
		return &stopped{"Nothing was changed."}
	}
	return err
}

// decode makes a verb's call of typed words, by the tool's own strict reading.
// Of words that are refused it gives the paths.
func decode(tool *dialect.Tool, typed []argument, s reeve.Settings) (reeve.Call, []string, error) {
	raw, err := tool.Schema(s)
	if err != nil {
		return nil, nil, err
	}
	var known schema
	if err := json.Unmarshal(raw, &known); err != nil {
		return nil, nil, err
	}
	object, err := object(typed, known)
	if err != nil {
		return nil, nil, err
	}
	call, err := tool.Decode(object, s)
	if err != nil {
		return nil, tool.Paths(object, s), err
	}
	return call, nil, nil
}

// refuse prints a refusal as a model would read it, or as JSON.
func refuse(env *Env, speech *dialect.Dialect, e *reeve.Error, code int, asJSON bool) error {
	if asJSON {
		if err := printJSON(env.Stdout, map[string]*reeve.Error{"error": e}); err != nil {
			return err
		}
		return silent(code)
	}
	fmt.Fprintln(env.Stderr, strings.TrimRight(speech.Refusal(e), "\n"))
	return silent(code)
}

// waiting says that a person has to answer first, and how.
func waiting(env *Env, p *reeve.Pending, asJSON bool) error {
	if p != nil && !asJSON {
		(&terminal{}).show(env.Stderr, p.Question)
		if p.Question.Left != nil {
			fmt.Fprintf(env.Stderr, "\n%s\n", leftOut(p.Question, "`reeve approve "+p.ID+" --diff`"))
		}
		fmt.Fprintf(env.Stderr, "\nNo answer was waited for here. Nothing was written. Answer with `reeve approve %s`; then call again with the same arguments.\n", p.ID)
	}
	return silent(exitRefused)
}

func toolNames(d *dialect.Dialect) string {
	names := make([]string, len(d.Tools))
	for i, t := range d.Tools {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
