package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/pathname"
	"reeve/node"
)

func rootsCommand(env *Env) *cobra.Command {
	cmd := parent(&cobra.Command{
		Use:   "roots",
		Short: "Show, add, remove or confirm the folders that agents may reach",
		Long: "The folders that agents may reach. They stand in the configuration file, and a\n" +
			"change holds from the next call of every running `reeve mcp` on.",
		Example: "  reeve roots add --read ~/notes\n  reeve roots list",
	})
	cmd.AddCommand(rootsList(env), rootsAdd(env), rootsRemove(env), rootsConfirm(env))
	return cmd
}

func rootsList(env *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list [--json]",
		Short:   "Show the folders and whether they can be reached now",
		Long:    "Shows the folders that agents may reach, for what, and whether they can be reached\nnow. A folder for changing can be read too.",
		Example: "  reeve roots list",
		Args:    exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := statusOf(cmd.Context(), node.Config{Version: programVersion(), StartWait: ownerWait})
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(env.Stdout, rootsOf(st))
			}
			printRoots(env, st)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return cmd
}

func printRoots(env *Env, st node.Status) {
	out := env.Stdout
	wide := 0
	for _, r := range st.Roots {
		wide = max(wide, textWidth(r.Path))
	}
	wide = min(wide, columns(out)-40)
	const left = 11 + 2
	for _, r := range st.Roots {
		access := "read"
		if r.Access == reeve.ReadWrite {
			access = "read, write" // a write root is readable too
		}
		state := string(r.State)
		if state == "" {
			state = "not served"
		}
		if r.Note != "" {
			state += ": " + oneLine(r.Note)
		}
		if r.Source != "configuration" {
			state += " (from the " + r.Source + ")"
		}
		line := pad(access, 11) + "  " + pad(clipPath(r.Path, wide), wide) + "  "
		if textWidth(line+state) <= textColumns(out) {
			fmt.Fprintln(out, line+state)
		} else { // the whole path, and below it what there is to say
			fmt.Fprintln(out, pad(access, left)+oneLine(r.Path))
			fmt.Fprintln(out, pad("", left)+wrapped(state, textColumns(out), left))
		}
		if r.State == reeve.StateSuspended {
			fmt.Fprintln(out, pad("", left)+wrapped("→ "+confirmCommand(r)+" shows what stands there and asks", textColumns(out), left+2))
		}
	}
	if off := whyOff(st); off != "" {
		fmt.Fprintln(out, wrapped("Nothing is served: "+off, textColumns(out), 0))
	}
	printProblems(env, st)
}

// whyOff says why nothing is served and what to do, empty while something is.
func whyOff(st node.Status) string {
	if st.Off == "" {
		return ""
	}
	text := oneLine(st.Off) + "."
	if !strings.Contains(text, "roots add") {
		text += " `reeve roots add --read DIR` grants a folder."
	}
	return text
}

func printProblems(env *Env, st node.Status) {
	for _, p := range st.Problems {
		fmt.Fprintln(env.Stderr, "reeve: "+oneLine(p))
	}
	for _, w := range tooWide(st) {
		fmt.Fprintln(env.Stderr, "reeve: "+w)
	}
}

// tooWide names granted folders that nobody can have meant.
func tooWide(st node.Status) []string {
	var out []string
	for _, r := range st.Roots {
		if filepath.Dir(r.Path) == r.Path {
			out = append(out, fmt.Sprintf("%s is granted by the %s, which is everything on this computer but what is protected. Grant the folders that agents need.", r.Path, r.Source))
		}
	}
	return out
}

func rootsAdd(env *Env) *cobra.Command {
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "add [--read] DIR",
		Short: "Grant a folder, for reading or for reading and changing",
		Long: "Grants a folder and all that is below it to agents: for reading and changing, or\n" +
			"with --read for reading only. The first folder switches file access on.",
		Example: "  reeve roots add --read ~/notes     agents may read it\n" +
			"  reeve roots add ~/projects/site    agents may read it and propose changes",
		Args: exactly(1, "the folder to grant"),
		RunE: func(cmd *cobra.Command, args []string) error {
			access := reeve.ReadWrite
			if readOnly {
				access = reeve.Read
			}
			return addRoot(cmd.Context(), env, args[0], access)
		},
	}
	cmd.Flags().BoolVar(&readOnly, "read", false, "for reading only")
	return cmd
}

func addRoot(ctx context.Context, env *Env, dir string, access reeve.Access) error {
	abs, err := absolute(dir)
	if err != nil {
		return usagef("%v.", err)
	}
	shown := pathname.EscapePath(abs)
	if what := notFolder(abs); what != "" {
		return fmt.Errorf("%s %s. Nothing was granted.", shown, what)
	}
	if !utf8.ValidString(abs) {
		return fmt.Errorf("%s has a name that is not UTF-8, which the configuration cannot hold. Nothing was granted; grant the folder above it.", shown)
	}
	if filepath.Dir(abs) == abs {
		return fmt.Errorf("%s is everything on this computer. Nothing was granted; name the folders that agents need.", shown)
	}
	if err := worthGranting(ctx, abs, shown, access, "Nothing was granted."); err != nil {
		return err
	}
	places, err := node.DefaultPlaces()
	if err != nil {
		return err
	}
	var done node.RootEdit
	err = onRecord(ctx, places.State, "grant "+string(access), shown, func() (err error) {
		done, err = node.AddRoot(ctx, places, abs, access)
		if err == nil && !done.Added && !done.Changed && !done.SwitchedOn {
			return errNoChange
		}
		return err
	})
	if err != nil {
		return withNot(err, "Nothing was granted.")
	}
	may := "be read and changed"
	if access == reeve.Read {
		may = "be read"
	}
	switch {
	case done.Changed:
		fmt.Fprintf(env.Stdout, "%s may now %s; it was granted otherwise before.\n", shown, may)
	case done.Added:
		fmt.Fprintf(env.Stdout, "%s may now %s by agents.\n", shown, may)
	default:
		fmt.Fprintf(env.Stdout, "%s was granted already.\n", shown)
	}
	if done.SwitchedOn {
		fmt.Fprintf(env.Stdout, "File access is now on. It is written in %s.\n", pathname.EscapePath(places.Config))
	}
	if done.StillOff {
		fmt.Fprintf(env.Stderr, "reeve: file access is still off, since %s says `enabled = false`. Write `enabled = true` there to switch it on.\n", pathname.EscapePath(places.Config))
	}
	if home, err := os.UserHomeDir(); err == nil && within(home, abs) {
		fmt.Fprintln(env.Stderr, "reeve: this holds your whole home folder: whatever is not on the list of protected places can be read and sent to a model provider. A smaller folder is safer.")
	}
	return nil
}

// worthGranting asks the gate itself what an agent would get of a folder: it
// alone knows which are protected, Reeve's own or no files at all.
func worthGranting(ctx context.Context, abs, shown string, access reeve.Access, not string) error {
	n, err := node.New(ctx, node.Config{Folders: []node.Folder{{Path: abs, Access: access}}, Version: programVersion(), StartWait: ownerWait})
	if err != nil {
		return err
	}
	defer n.Shutdown(context.WithoutCancel(ctx))
	ex, err := n.Explain(ctx, abs, cliSubject())
	if err != nil {
		return withNot(err, not)
	}
	if ex.Err != nil {
		return fmt.Errorf("%s %s", refusalText(ex.Err), not)
	}
	for _, e := range ex.Effects {
		if e.Effect == reeve.EffectList && e.Decision.Verdict == reeve.Refuse {
			return fmt.Errorf("%s %s (%s), so no agent could reach it. %s", shown, e.Decision.Reason, e.Decision.Rule, not)
		}
	}
	return nil
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func rootsRemove(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "remove DIR",
		Short:   "Take a folder back; running servers notice at their next call",
		Long:    "Takes a folder back. The folder and what is in it stay as they are; running servers\nnotice at their next call.",
		Example: "  reeve roots remove ~/notes",
		Args:    exactly(1, "the folder to take back"),
		RunE: func(cmd *cobra.Command, args []string) error {
			abs, err := absolute(args[0])
			if err != nil {
				return usagef("%v.", err)
			}
			places, err := node.DefaultPlaces()
			if err != nil {
				return err
			}
			removed := false
			err = onRecord(cmd.Context(), places.State, "take back", pathname.EscapePath(abs), func() (err error) {
				removed, err = node.RemoveRoot(places, abs)
				if err == nil && !removed {
					return errNoChange
				}
				return err
			})
			if err != nil {
				return withNot(err, "Nothing was taken back.")
			}
			if !removed {
				return fmt.Errorf("%s is not among the granted folders. Nothing was taken back; `reeve roots list` shows them.", pathname.EscapePath(abs))
			}
			fmt.Fprintf(env.Stdout, "%s is no longer granted.\n", pathname.EscapePath(abs))
			return nil
		},
	}
}

// rootsJSON is what `roots list --json` prints.
type rootsJSON struct {
	Enabled  bool              `json:"enabled"`
	Off      string            `json:"off,omitempty"`
	Roots    []node.RootStatus `json:"roots"`
	Problems []string          `json:"problems,omitempty"`
}

func rootsOf(st node.Status) rootsJSON {
	out := rootsJSON{Enabled: st.Enabled, Off: st.Off, Roots: st.Roots, Problems: st.Problems}
	if out.Roots == nil {
		out.Roots = []node.RootStatus{}
	}
	return out
}
