package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"reeve/internal/dialect"
	"reeve/internal/policy"
)

// toolHelp prints what a tool does and takes, in the words that a model gets.
// The limits are those of the default profile.
func toolHelp(cmd *cobra.Command, tool *dialect.Tool) error {
	p, err := policy.LoadProfile("default")
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	wide := columns(out)
	var b strings.Builder
	b.WriteString(paragraphs(tool.Prose.Description, wide, 0))
	params := tool.Params(p.Settings)
	usage, width := "", 0
	for _, p := range params {
		if p.Required {
			usage += " " + p.Name + "=…"
		}
		width = max(width, len(p.Name))
	}
	if len(params) > 0 {
		usage += " [key=value …]"
	}
	fmt.Fprintf(&b, "\nUsage:\n  %s %s%s [FLAG…]\n", cmd.CommandPath(), tool.Name, usage)
	if len(params) > 0 {
		b.WriteString("\nKeys:\n")
	}
	for _, p := range params {
		takes := p.Wants()
		if p.Required {
			takes += "; needed"
		}
		indent := width + 4
		fmt.Fprintf(&b, "  %-*s  %s\n", width, p.Name, wrapped(takes, wide, indent))
		b.WriteString(strings.Repeat(" ", indent) + paragraphs(tool.Prose.Params[p.Name], wide, indent))
		for _, f := range p.Fields {
			if tool.Prose.Params[f.Name] != "" && !named(params, f.Name) {
				b.WriteString(strings.Repeat(" ", indent) + paragraphs(f.Name+": "+tool.Prose.Params[f.Name], wide, indent+2))
			}
		}
	}
	fmt.Fprintf(&b, "\n`%s --help` tells how keys and flags are written.\n", cmd.CommandPath())
	_, err = fmt.Fprint(out, b.String())
	return err
}

// paragraphs wraps each line of a text.
func paragraphs(text string, wide, indent int) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", indent))
		}
		b.WriteString(wrapped(line, wide, indent) + "\n")
	}
	return b.String()
}

func named(params []dialect.Param, name string) bool {
	for _, p := range params {
		if p.Name == name {
			return true
		}
	}
	return false
}
