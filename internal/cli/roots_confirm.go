package cli

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"reeve"
	"reeve/internal/pathname"
	"reeve/node"
)

// ownerWait is how long the owner's own tools wait for folders that do not
// answer: there it matters more to know than to be quick.
const ownerWait = 2 * time.Second

func rootsConfirm(env *Env) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "confirm [--yes] DIR",
		Short: "Say that what stands at a granted path now is meant",
		Long: "Shows what stands at the path of a granted folder now, and asks whether that is\n" +
			"meant. A folder is suspended when something else than a new plain folder of the\n" +
			"same owner took its place, such as a link: nothing in it is served until then.\n" +
			"Running servers notice at their next call.",
		Example: "  reeve roots confirm ~/notes",
		Args:    exactly(1, "the folder to confirm"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return confirmRoot(cmd.Context(), env, args[0], yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "confirm it, without asking at the terminal")
	return cmd
}

func confirmRoot(ctx context.Context, env *Env, dir string, yes bool) error {
	abs, err := absolute(dir)
	if err != nil {
		return usagef("%v.", err)
	}
	shown := pathname.EscapePath(abs)
	places, err := node.DefaultPlaces()
	if err != nil {
		return err
	}
	st, err := statusOf(ctx, node.Config{Version: programVersion(), StartWait: ownerWait})
	if err != nil {
		return err
	}
	root, ok := grantedRoot(st, shown)
	if !ok {
		return fmt.Errorf("%s is not among the granted folders. Nothing was confirmed; `reeve roots list` shows them.", shown)
	}
	stands, err := node.LookAtRoot(ctx, abs)
	if err != nil {
		if errors.Is(err, reeve.NotFound) || errors.Is(err, reeve.NotDirectory) {
			return fmt.Errorf("%s %s. Nothing was confirmed; `reeve roots remove %s` takes it back.", shown, notFolderNow(err), shown)
		}
		return withNot(err, "Nothing was confirmed.")
	}
	if node.SettledRoot(places, stands) && root.State == reeve.StateOpen {
		fmt.Fprintf(env.Stdout, "%s is what it was when it was granted. There is nothing to confirm.\n", shown)
		return nil
	}
	if err := worthGranting(ctx, abs, shown, root.Access, "Nothing was confirmed."); err != nil {
		return err
	}
	what := standing(stands)
	if yes {
		fmt.Fprintln(env.Stdout, what)
	} else {
		t := newTerminal(nil)
		tty, err := t.open()
		if err != nil {
			fmt.Fprintln(env.Stdout, what)
			return usagef("%v. If that is meant, `reeve roots confirm %s --yes`. Nothing was confirmed.", err, shown)
		}
		defer tty.Close()
		said, err := t.ask(ctx, tty, "", reeve.Question{Title: "Serve what stands at " + shown + " now?", Body: what})
		if err != nil {
			return fmt.Errorf("nothing was confirmed: %w", err)
		}
		if !said.Yes {
			fmt.Fprintln(env.Stdout, "Nothing was confirmed.")
			return silent(exitRefused)
		}
	}
	row := "confirm"
	if stands.Real != shown {
		row += ": " + stands.Real
	}
	if err := onRecord(ctx, places.State, row, shown, func() error { return node.ConfirmRoot(places, stands) }); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s is served again.\n", shown)
	return nil
}

// grantedRoot finds a root by its granted path.
func grantedRoot(st node.Status, shown string) (node.RootStatus, bool) {
	for _, r := range st.Roots {
		if r.Path == shown {
			return r, true
		}
	}
	return node.RootStatus{}, false
}

// confirmCommand is what the owner types to settle a suspended root.
func confirmCommand(r node.RootStatus) string { return "`reeve roots confirm " + r.Path + "`" }

func notFolderNow(err error) string {
	if errors.Is(err, reeve.NotDirectory) {
		return "is no folder now"
	}
	return "is not there now"
}

// standing says what stands at a path: where it really is, whose it is, and
// which links lead there.
func standing(s node.RootStanding) string {
	text := "There is the folder " + s.Real
	if s.Real == s.Path {
		text = "There is a plain folder"
	}
	if filepath.Separator == '/' {
		text += ", owned by " + userName(s.UID)
	}
	text += "."
	for _, l := range s.Links {
		text += "\n" + l.Path + " is a link to " + l.Text + "."
	}
	return text
}

func userName(uid uint32) string {
	n := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(n); err == nil {
		return pathname.Visible(u.Username) + " (" + n + ")"
	}
	return "user " + n
}
