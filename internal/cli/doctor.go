package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/pathname"
	"reeve/internal/record"
	"reeve/node"
)

// finding is one thing that doctor looked at.
type finding struct {
	What string `json:"what"`
	// State is "ok", "note" (worth knowing) or "wrong".
	State string `json:"state"`
	Said  string `json:"said"`
	Fix   string `json:"fix,omitempty"`
}

// feature is something that this system may be able to do.
type feature struct {
	name    string
	with    string // what it is good for
	without string // what happens without it
	there   bool
}

func doctorCommand(env *Env) *cobra.Command {
	var f runFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [--json] [--read DIR] [--root DIR] [--profile PROFILE] [--approve HOW]",
		Short: "Look whether everything is in order, and say what to mend",
		Long: "Looks at the configuration, the folders, the record and what this system can do,\n" +
			"and says what is wrong and how to mend it. The exit code is 1 if something is wrong.",
		Example: "  reeve doctor",
		Args:    exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := f.config()
			if err != nil {
				return err
			}
			all := examine(cmd.Context(), c)
			bad := false
			for _, x := range all {
				bad = bad || x.State == "wrong"
			}
			if asJSON {
				if err := printJSON(env.Stdout, map[string]any{"ok": !bad, "findings": all}); err != nil {
					return err
				}
			} else {
				printFindings(env.Stdout, all)
			}
			if bad {
				return silent(exitRefused)
			}
			return nil
		},
	}
	f.add(cmd)
	f.addRoot(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func printFindings(w io.Writer, all []finding) {
	const left = 5 + 2 + 17 + 2
	wide := textColumns(w)
	for _, x := range all {
		fmt.Fprintf(w, "%-5s  %-17s  %s\n", x.State, x.What, wrapped(oneLine(x.Said), wide, left))
		if x.Fix != "" {
			fmt.Fprintf(w, "%-5s  %-17s  → %s\n", "", "", wrapped(oneLine(x.Fix), wide, left+2))
		}
	}
}

// examine looks at everything, and goes on after what is wrong.
func examine(ctx context.Context, c node.Config) []finding {
	var all []finding
	say := func(what, state, said, fix string) { all = append(all, finding{what, state, said, fix}) }
	places, err := node.DefaultPlaces()
	if err != nil {
		say("places", "wrong", err.Error(), "")
		return all
	}
	config := pathname.EscapePath(places.Config)
	if _, err := os.Stat(places.Config); errors.Is(err, os.ErrNotExist) {
		say("configuration", "note", config+" does not exist, so nothing is granted by it", "`reeve roots add --read DIR` writes it")
	} else if err != nil {
		say("configuration", "wrong", fmt.Sprintf("%s cannot be looked at: %v", config, cause(err)), "")
	}
	c.StartWait = ownerWait
	n, err := node.New(ctx, c)
	if err != nil {
		say("start", "wrong", err.Error(), "")
		return all
	}
	defer n.Shutdown(context.WithoutCancel(ctx))
	st, err := n.Status(ctx)
	if err != nil {
		say("rules", "wrong", err.Error(), "")
		return all
	}
	for _, p := range st.Problems {
		say("configuration", "wrong", p, "")
	}
	if len(st.Problems) == 0 {
		say("configuration", "ok", "profile "+st.Profile, "")
	}
	if off := whyOff(st); off != "" {
		say("file access", "note", "agents get no tools: "+off, "")
	} else {
		say("file access", "ok", "on", "")
	}
	for _, w := range tooWide(st) {
		say("folder", "note", w, "")
	}
	for _, r := range st.Roots {
		said := fmt.Sprintf("%s (%s): %s", r.Path, r.Access, r.State)
		if r.Note != "" {
			said += ": " + r.Note
		}
		switch r.State {
		case reeve.StateOpen:
			say("folder", "ok", said, "")
		case reeve.StatePending:
			say("folder", "note", said, "")
		case "":
			say("folder", "note", said+"not served", "")
		case reeve.StateSuspended:
			say("folder", "wrong", said, confirmCommand(r)+" shows what stands there and asks")
		default:
			say("folder", "wrong", said, "it is served again as soon as it is back; `reeve roots remove "+r.Path+"` takes it back")
		}
	}
	all = append(all, stateFindings(places.State)...)
	all = append(all, recordFindings(places.State)...)
	all = append(all, clientFindings(places.State, time.Now())...)
	for _, x := range features(places.State) {
		if x.there {
			say(x.name, "ok", x.with, "")
		} else {
			say(x.name, "note", "not here: "+x.without, "")
		}
	}
	return all
}

// stateFindings looks whether the folder of the record is there, writable and
// closed to others.
func stateFindings(dir string) []finding {
	shown := pathname.EscapePath(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return []finding{{"state", "wrong", fmt.Sprintf("%s cannot be made: %v", shown, cause(err)), "set REEVE_STATE to a folder that you may write"}}
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return []finding{{"state", "wrong", fmt.Sprintf("%s cannot be written: %v", shown, cause(err)), "mend its permissions, or set REEVE_STATE to another folder"}}
	}
	f.Close()
	os.Remove(f.Name())
	if st, err := os.Stat(dir); err == nil && filepath.Separator == '/' && st.Mode().Perm()&0o077 != 0 {
		return []finding{{"state", "wrong", fmt.Sprintf("%s is open to other users of this computer (%s)", shown, st.Mode().Perm()), "chmod 700 " + shown}}
	}
	return []finding{{"state", "ok", shown + " can be written", ""}}
}

// recordFindings looks whether the record is whole.
func recordFindings(dir string) []finding {
	report, err := record.Verify(dir)
	if err != nil {
		return []finding{{"record", "wrong", err.Error(), ""}}
	}
	lines, bad := reportLines(report)
	if !bad {
		return []finding{{"record", "ok", lines[len(lines)-1], ""}}
	}
	var out []finding
	for _, l := range lines[:len(lines)-1] {
		out = append(out, finding{"record", "wrong", l, "`reeve log verify` tells all of it; nothing is mended by itself"})
	}
	return out
}
