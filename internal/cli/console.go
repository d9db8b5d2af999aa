package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"reeve/internal/asking"
	"reeve/internal/console"
	"reeve/node"
)

func consoleCommand(env *Env) *cobra.Command {
	var port int
	var closed bool
	cmd := &cobra.Command{
		Use:   "console [--port N] [--no-open]",
		Short: "Open the page on which you answer agents' questions",
		Long: "Serves a page to your browser, on this computer alone, that shows the questions of\n" +
			"all agents that wait for you and takes your answers. The link that it prints lets\n" +
			"one browser in, once and within a minute; Enter prints another one. It runs until\n" +
			"you end it.",
		Example: "  reeve console\n" +
			"  reeve console --port 7330 --no-open",
		Args: exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if port < 0 || port > 65535 {
				return usagef("--port: %d is no port. There are 1 to 65535, and 0 for any that is free.", port)
			}
			return serveConsole(cmd.Context(), env, port, !closed)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "listen on port `N` instead of any that is free")
	cmd.Flags().BoolVar(&closed, "no-open", false, "print the link only, and open no browser")
	return cmd
}

// serveConsole runs the console until ctx is done.
func serveConsole(ctx context.Context, env *Env, port int, open bool) (err error) {
	places, err := node.DefaultPlaces()
	if err != nil {
		return err
	}
	q, err := node.OpenQuestions(places.State, programVersion())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	c := console.New(console.Options{Questions: q, Changes: q, Mark: q.Mark, Port: port, Announce: asking.NewPresence(places.State).Announce})
	if err := c.Start(); err != nil {
		return fmt.Errorf("the console can't listen: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	link := c.Link()
	fmt.Fprintf(env.Stdout, "The console runs at http://%s/ until you end it with Ctrl-C.\n", c.Addr())
	fmt.Fprintf(env.Stdout, "Within a minute, and once, this link lets a browser in:\n%s\n", link)
	if open && console.Desktop() {
		if err := console.Browse(link); err != nil {
			fmt.Fprintln(env.Stderr, "reeve: "+oneLine(err.Error()))
		}
	}
	if f, ok := env.Stdin.(*os.File); ok && isTerminal(f) {
		fmt.Fprintln(env.Stdout, "Enter prints another link.")
		go func() { // ends with the process: a terminal's read can't be called off
			for in := bufio.NewScanner(f); in.Scan() && ctx.Err() == nil; {
				fmt.Fprintln(env.Stdout, c.Link())
			}
		}()
	}
	<-ctx.Done()
	return nil
}
