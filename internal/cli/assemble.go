package cli

import (
	"context"

	"reeve"
	"reeve/node"
)

// cliSubject is who asks when a person calls by hand: an agent like any
// other, named cli, without a session.
func cliSubject() reeve.Subject {
	return reeve.Subject{Kind: reeve.Agent, Agent: "cli", Door: "cli"}
}

// withNode assembles a node for one command.
func withNode(ctx context.Context, c node.Config, do func(*node.Node) error) error {
	n, err := node.New(ctx, c)
	if err != nil {
		return err
	}
	err = do(n)
	if e := n.Shutdown(context.WithoutCancel(ctx)); err == nil {
		err = e
	}
	return err
}

// statusOf assembles a node only to look at it.
func statusOf(ctx context.Context, c node.Config) (st node.Status, err error) {
	err = withNode(ctx, c, func(n *node.Node) (err error) {
		st, err = n.Status(ctx)
		return err
	})
	return st, err
}
