package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"reeve/internal/asking"
	"reeve/internal/dialect"
	"reeve/internal/dialect/native"
	"reeve/internal/mcpserver"
	"reeve/internal/pathname"
	"reeve/node"
)

func mcpCommand(env *Env) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "mcp [--profile PROFILE] [--approve HOW] [--read DIR]… [--read-only] [DIR…]",
		Short: "Serve folders to an agent over MCP, on the standard input and output",
		Long: "Serves folders to one agent over the Model Context Protocol: a client starts this\n" +
			"command and speaks to it over the standard input and output. Folders named here\n" +
			"are served instead of those of `reeve roots`, for this run: DIR for reading and\n" +
			"changing, --read DIR for reading. It ends when its input does.",
		Example: "  reeve mcp --read ~/notes\n" +
			"  reeve mcp                  the folders of `reeve roots list`",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.root = args
			c, err := f.config()
			if err != nil {
				return err
			}
			for _, r := range c.Folders {
				switch what := notFolder(r.Path); what {
				case "":
				case "does not exist":
					fmt.Fprintf(env.Stderr, "reeve: %s does not exist yet; nothing can be read there until it does.\n", pathname.EscapePath(r.Path))
				default:
					return usagef("%s %s.", pathname.EscapePath(r.Path), what)
				}
			}
			return serve(cmd.Context(), env, c)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "serve every folder for reading only")
	return cmd
}

// serve runs the server until its input ends, the client goes away or a
// signal comes: all three are its ordinary end.
func serve(ctx context.Context, env *Env, c node.Config) error {
	// A client that stops reading ends this with an error and not by a signal,
	// so that the record is closed in order.
	signal.Ignore(syscall.SIGPIPE)
	return withNode(ctx, c, func(n *node.Node) error {
		st, err := n.Status(ctx)
		if err != nil {
			return err
		}
		printProblems(env, st)
		whyNothing(env, st)
		// Never at the terminal: that is the client's screen.
		asker, closePage := channels(n)
		defer closePage()
		s := mcpserver.New(mcpserver.Options{
			Doer: n, Dialect: native.New(), Source: facts{n}, Version: programVersion(),
			Waiter: asker, Answers: clientAnswers{n.Questions()}, GivenUp: clientAnswers{n.Questions()}.givenUp,
			Tickets: asking.NewTickets(asking.TicketOptions{Key: func() ([]byte, error) { return asking.Key(n.Places().State) }}),
			Gone:    func() bool { return hungUp(env.Stdin) },
			Log:     func(line string) { fmt.Fprintln(env.Stderr, "reeve: "+oneLine(line)) },
		})
		err = s.Run(ctx, env.Stdin, env.Stdout)
		switch {
		case ctx.Err() != nil, errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe), errors.Is(err, os.ErrClosed):
			return nil
		}
		return err
	})
}

// whyNothing says at the start why an agent will find nothing, and to whom
// types into it what it waits for.
func whyNothing(env *Env, st node.Status) {
	if off := whyOff(st); off != "" {
		fmt.Fprintln(env.Stderr, "reeve: there are no tools: "+off)
	}
	if f, ok := env.Stdin.(*os.File); ok && isTerminal(f) {
		fmt.Fprintln(env.Stderr, "reeve: waiting for an MCP client on the standard input. This command is for a client to start; `reeve call` is for you.")
	}
}

// facts tells the server what is in force, anew for every call.
type facts struct{ n *node.Node }

// Facts implements mcpserver.Source.
func (f facts) Facts(ctx context.Context) (dialect.Facts, error) {
	st, err := f.n.Status(ctx)
	if err != nil {
		return dialect.Facts{}, err
	}
	out := dialect.Facts{Enabled: st.Enabled, Generation: st.Generation, Settings: st.Settings, Relative: st.Relative, Asks: st.Asks}
	how, err := f.n.Asking(ctx)
	if err != nil {
		return dialect.Facts{}, err
	}
	out.Elicit, out.Wait = how.Elicitation, how.Wait
	if out.Wait == 0 {
		out.Wait = -1
	}
	for _, r := range st.Roots {
		out.Roots = append(out.Roots, dialect.Root{Path: r.Path, Access: r.Access})
	}
	return out, nil
}
