package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot builds the whole tree of commands. Building it opens nothing.
func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:     "reeve",
		Version: programVersion(), // for --version
		Short:   "Reeve looks after your files while an AI agent works on them",
		Long: "Reeve looks after your files while an AI agent works on them.\n\n" +
			"It serves the folders you name to an agent over MCP, asks you before files are\n" +
			"changed, and refuses everything else. It keeps a record of what was asked, shown\n" +
			"and changed, and a copy of what a change put out of the way.",
		Example: "  reeve call list_directory path=. --read .   see a folder as an agent would\n" +
			"  reeve mcp --read ~/notes                    serve a folder to an agent\n" +
			"  reeve log                                   what agents asked, got and changed\n" +
			"  reeve undo                                  take the last change back",
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return help(cmd) },
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { _ = help(cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { return help(cmd) })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var value *pflag.InvalidValueError // its own words are those of a parser
		if errors.As(err, &value) {
			return usagef("--%s: %q is nothing that it takes. See `%s --help`.", value.GetFlag().Name, bounded(value.GetValue()), cmd.CommandPath())
		}
		return usagef("%s. See `%s --help`.", strings.TrimSuffix(err.Error(), "."), cmd.CommandPath())
	})
	root.AddCommand(
		mcpCommand(env),
		callCommand(env),
		approveCommand(env),
		consoleCommand(env),
		rootsCommand(env),
		explainCommand(env),
		logCommand(env),
		undoCommand(env),
		doctorCommand(env),
		versionCommand(env),
	)
	root.SetHelpCommand(helpCommand(root))
	return root
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show what a command does",
		Example: "  reeve help call",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, strings.Join(args, " "))
			}
			return help(cmd)
		},
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	hint := ""
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		hint = fmt.Sprintf(" Did you mean `%s %s`?", cmd.CommandPath(), near[0])
	}
	return usagef("there is no command %q.%s See `%s --help`.", bounded(name), hint, cmd.CommandPath())
}

// parent is a command that only holds others.
func parent(cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(cmd, args[0])
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return help(cmd) }
	return cmd
}

// exactly asks for n arguments, and says which when they are missing.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usagef("%s is missing. See `%s --help`.", what, cmd.CommandPath())
		case len(args) > n:
			return usagef("%q is one argument too many. See `%s --help`.", bounded(args[n]), cmd.CommandPath())
		}
		return nil
	}
}

// bounded keeps a word that is repeated in an error short.
func bounded(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
