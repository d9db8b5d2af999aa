package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help prints what a command does: what it is, how it is written, an example,
// and what can be set. It is written out by hand, so that every page has the
// same voice and order.
func help(cmd *cobra.Command) error {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", text, usageLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExample:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	var subs []*cobra.Command
	width := 0
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			subs = append(subs, c)
			width = max(width, len(c.Name()))
		}
	}
	if len(subs) > 0 {
		b.WriteString("\nCommands:\n")
		for _, c := range subs {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name(), c.Short)
		}
		fmt.Fprintf(&b, "\n`%s COMMAND --help` tells more about one.\n", cmd.CommandPath())
	}
	if flags := flagLines(cmd.LocalFlags()); flags != "" {
		b.WriteString("\nFlags:\n" + flags)
	}
	if !cmd.HasParent() {
		b.WriteString("\nEnvironment:\n" +
			"  REEVE_CONFIG  the configuration file, instead of the usual place\n" +
			"  REEVE_STATE   the folder of the record, the kept copies and the open\n" +
			"                questions, instead of the usual place\n")
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() && cmd.Use == cmd.Name() {
		return cmd.CommandPath() + " COMMAND"
	}
	if cmd.HasParent() {
		return cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return cmd.Use
}

// flagLines lists the flags with their text lined up.
func flagLines(flags *pflag.FlagSet) string {
	type line struct{ left, right string }
	var lines []line
	width := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		left := "--" + f.Name
		if name != "" && f.Value.Type() != "bool" {
			left += " " + name
		}
		lines = append(lines, line{left, usage})
		width = max(width, len(left))
	})
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "  %-*s  %s\n", width, l.left, l.right)
	}
	return b.String()
}
