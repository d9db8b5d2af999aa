package node

import (
	"context"
	"time"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/guard"
)

// approvals is the table of questions and answers as the gate wants it.
type approvals struct{ t *approval.Table }

// Ask implements guard.Approvals.
func (a approvals) Ask(ctx context.Context, p reeve.Proposal, q reeve.Question, whole func() string) (reeve.Pending, error) {
	return a.t.AskWith(ctx, p.Digest(), q, p.Subject, whole)
}

// Take implements guard.Approvals.
func (a approvals) Take(ctx context.Context, d reeve.Digest) (guard.Approval, bool, error) {
	got, ok, err := a.t.Take(ctx, d)
	return guard.Approval{Yes: got.Yes, Channel: got.Channel, For: time.Duration(got.Minutes) * time.Minute}, ok, err
}
