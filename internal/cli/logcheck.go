package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reeve/internal/record"
	"reeve/node"
)

func logVerify(env *Env) *cobra.Command {
	var kept string
	cmd := &cobra.Command{
		Use:   "verify [--kept FILE]",
		Short: "Look whether the record is whole",
		Long: "Checks every row of the record against the one before it, the details of long\n" +
			"rows, and what segments say about each other. With --kept it also compares with\n" +
			"heads that `reeve log head` printed earlier and that were kept elsewhere. The exit\n" +
			"code is 1 if something is wrong. Without --kept it cannot see that the last rows of\n" +
			"the newest segment were taken away. A program that runs as you can rewrite all of the record; only heads\n" +
			"kept elsewhere show that.",
		Example: "  reeve log verify\n  reeve log verify --kept heads-2026-11-30.txt",
		Args:    exactly(0, ""),
		RunE: func(*cobra.Command, []string) error {
			places, err := node.DefaultPlaces()
			if err != nil {
				return err
			}
			var refs []record.Ref
			if kept != "" {
				if refs, err = keptHeads(kept, env.Stdin); err != nil {
					return err
				}
			}
			report, err := record.Verify(places.State, refs...)
			if err != nil {
				return err
			}
			lines, bad := reportLines(report)
			for _, l := range lines {
				fmt.Fprintln(env.Stdout, oneLine(l))
			}
			if bad {
				return silent(exitRefused)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&kept, "kept", "", "compare with the heads in `FILE`; - is the standard input")
	return cmd
}

// reportLines tells what was found; the last line sums it up.
func reportLines(r record.Report) (lines []string, bad bool) {
	for _, p := range r.Problems {
		lines = append(lines, p.String())
	}
	for _, n := range r.Notes {
		lines = append(lines, "note: "+n.String())
	}
	sum := plural(r.Rows, "row", "rows") + " in " + plural(int64(r.Segments), "segment", "segments")
	if r.OK() {
		return append(lines, sum+", no fault found"), false
	}
	return append(lines, sum+", "+plural(int64(len(r.Problems)), "fault", "faults")+" found"), true
}

func logHead(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "head",
		Short: "Print the last row's sum of every segment, to be kept elsewhere",
		Long: "Prints a line for each segment of the record: its name, the number of its last row\n" +
			"and that row's sum. Kept where nobody on this computer can change it, it shows\n" +
			"with `reeve log verify --kept` whether the record was rewritten since.",
		Example: "  reeve log head > heads-2026-11-30.txt",
		Args:    exactly(0, ""),
		RunE: func(*cobra.Command, []string) error {
			places, err := node.DefaultPlaces()
			if err != nil {
				return err
			}
			heads, err := record.Head(places.State)
			if err != nil {
				return err
			}
			for _, h := range heads {
				if _, err := fmt.Fprintf(env.Stdout, "%s %d %s\n", h.Segment, h.N, h.Sum); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// keptHeads reads what `log head` printed. A line that is not of that form is
// told, since a check against nothing would look like a good one.
func keptHeads(name string, stdin io.Reader) ([]record.Ref, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usagef("--kept: %s: %v.", bounded(name), cause(err))
		}
		defer f.Close()
		in = f
	}
	var refs []record.Ref
	sc := bufio.NewScanner(in)
	for n := 1; sc.Scan(); n++ {
		words := strings.Fields(sc.Text())
		if len(words) == 0 {
			continue
		}
		if len(words) != 3 {
			return nil, usagef("--kept: line %d is not one of `reeve log head`.", n)
		}
		row, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil || row < 1 || len(words[2]) < 32 {
			return nil, usagef("--kept: line %d is not one of `reeve log head`.", n)
		}
		refs = append(refs, record.Ref{Segment: words[0], N: row, Sum: words[2]})
	}
	if err := sc.Err(); err != nil {
		return nil, usagef("--kept: %v.", err)
	}
	if len(refs) == 0 {
		return nil, usagef("--kept: there are no heads in %s.", bounded(name))
	}
	return refs, nil
}
