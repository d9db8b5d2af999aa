package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"reeve"
	"reeve/internal/approval"
	"reeve/internal/asking"
	"reeve/internal/policy"
	"reeve/internal/record"
)

// Card is one question that waits for the owner.
type Card = approval.Card

// Answer is what the owner says to a card.
type Answer = approval.Answer

// Asking is how the owner is asked, by the configuration.
type Asking = policy.Asking

// answerEvent is the record's word for an answer.
const answerEvent = "answer"

// Questions are what waits for the owner in one state folder, of all
// processes. Answering belongs to the owner's tools, never behind an agent's
// call. It is safe for concurrent use.
type Questions struct {
	table  *approval.Table
	record *record.Segment
	state  string
	now    func() time.Time
}

// OpenQuestions opens the questions of a state folder for tools that only
// answer: no folder of the owner's is opened. Close ends it.
func OpenQuestions(state, version string) (*Questions, error) {
	s, err := record.Open(record.Options{Dir: state,
		Process: record.Process{Name: "reeve", Version: version, PID: os.Getpid()}})
	if err != nil {
		return nil, err
	}
	return &Questions{table: approval.NewTable(approval.TableOptions{Dir: state}), record: s, state: state, now: time.Now}, nil
}

// Questions are those of this node's state folder. They end with the node.
func (n *Node) Questions() *Questions {
	return &Questions{table: n.table, record: n.record, state: n.places.State, now: n.source.now}
}

// Close ends the record's segment. It may be called twice.
func (q *Questions) Close() error {
	if err := q.record.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return nil
}

// Waiting lists the questions that nobody has answered, the oldest first.
func (q *Questions) Waiting(ctx context.Context) ([]Card, error) { return q.table.Waiting(ctx) }

// Look tells what has become of one question; see approval.Table.Look.
func (q *Questions) Look(ctx context.Context, id string) (Card, approval.State, *Answer, error) {
	return q.table.Look(ctx, id)
}

// Change gives the whole change of a question; see approval.Table.Change.
func (q *Questions) Change(ctx context.Context, id string) (string, error) {
	return q.table.Change(ctx, id)
}

// GivenUp notes that the call which asked a question was cancelled, in the
// table (see approval.Table.GivenUp) and on record.
func (q *Questions) GivenUp(ctx context.Context, id string) error {
	if c, state, _, err := q.table.Look(ctx, id); err == nil && state == approval.Waits {
		row := q.row(c.Subject, c.Digest, c.Question.Effects)
		row.Code, row.Kind = reeve.Cancelled, reeve.IO
		row.Note = "the call was stopped before an answer came; the question waits on"
		// A row that cannot be written shows at the next call, which is refused.
		_ = q.record.Append(ctx, row)
	}
	return q.table.GivenUp(ctx, id)
}

// Open reports whether a question has no answer yet.
func (q *Questions) Open(ctx context.Context, id string) (bool, error) { return q.table.Open(ctx, id) }

// Mark differs whenever the questions do.
func (q *Questions) Mark(ctx context.Context) string { return q.table.Mark(ctx) }

// Answer answers a question once, from whichever channel is first; a later
// answer gets an error that tells what was decided. The answer stands on
// record before it counts: with no record there is no answer.
func (q *Questions) Answer(ctx context.Context, id string, a Answer) error {
	return q.AnswerInPart(ctx, id, a, "")
}

// AnswerInPart is Answer by somebody who was shown a part of the question's
// change only: left says what was left out, in words, and goes on record.
func (q *Questions) AnswerInPart(ctx context.Context, id string, a Answer, left string) error {
	c, state, _, err := q.table.Look(ctx, id)
	if err != nil {
		return err
	}
	if state != approval.Waits {
		return q.table.Answer(ctx, id, a) // which says why not
	}
	if a.At.IsZero() {
		a.At = q.now().UTC()
	}
	if a.Took == 0 {
		a.Took = max(0, a.At.Sub(c.Made))
	}
	row := q.row(c.Subject, c.Digest, c.Question.Effects)
	row.Rule, row.Took, row.Verdict = a.Channel, a.Took, reeve.Refuse
	if a.Yes {
		row.Verdict = reeve.Allow
	}
	row.Note = shown(c.Question)
	switch {
	case left != "":
		row.Note += "; shown in part: " + left + " left out"
	case c.Question.Left != nil: // the channel may have shown the rest as well
		row.Note += "; the question shows a part: " + c.Question.Left.String() + " left out"
	}
	if a.Minutes > 0 {
		row.Note += fmt.Sprintf("; for %d minutes", a.Minutes)
	}
	if a.Channel != Elicited { // that one comes from the agent's side
		row.Subject = reeve.Subject{Kind: reeve.Owner, Door: a.Channel}
	}
	if _, err := q.record.AppendSync(ctx, row); err != nil {
		return &reeve.Error{Op: "approve", Path: c.ID, Kind: reeve.IO, Code: reeve.RecordFailed, Cause: err,
			What: "can't be answered: the record could not be written", Not: "Nothing was answered.", Instead: "`reeve doctor` shows the state folder."}
	}
	if err := q.table.Answer(ctx, c.ID, a); err != nil {
		row.Time, row.Verdict, row.Note = q.now(), "", "this answer did not count: "+err.Error()
		if e, ok := reeve.AsError(err); ok {
			row.Kind, row.Code = e.Kind, e.Code
		}
		_, rerr := q.record.AppendSync(context.WithoutCancel(ctx), row)
		return errors.Join(err, rerr)
	}
	return nil
}

// Elicited is the channel of answers that an agent's own client brings.
const Elicited = "elicitation"

// Unanswered puts on record that an agent's client was asked to show a
// question and brought no answer, in the given words.
func (q *Questions) Unanswered(ctx context.Context, p reeve.Pending, s reeve.Subject, how string) {
	row := q.row(s, p.Digest, p.Question.Effects)
	row.Rule, row.Code, row.Kind, row.Note = Elicited, reeve.NoChannel, reeve.Approval, how
	// A row that cannot be written shows at the next call, which is refused.
	_ = q.record.Append(context.WithoutCancel(ctx), row)
}

func (q *Questions) row(s reeve.Subject, d reeve.Digest, effects []reeve.Effect) reeve.Row {
	const most = 50 // so that a row stays a row
	row := reeve.Row{Time: q.now(), Event: answerEvent, Target: reeve.Local, Subject: s, Digest: d.String()}
	for _, e := range effects[:min(len(effects), most)] {
		r := reeve.RowEffect{Kind: e.Kind, Path: e.Place.Display()}
		if e.To != nil {
			r.To = e.To.Display()
		}
		row.Effects = append(row.Effects, r)
	}
	return row
}

// shown is what the owner saw, for the record: the title, and a sum over all
// of it, with which a kept card can be compared.
func shown(q reeve.Question) string {
	sum := sha256.Sum256([]byte(q.Title + "\n" + q.Body + "\n" + q.Detail))
	title := q.Title
	if len(title) > 200 {
		title = title[:200] + "…"
	}
	return title + " shown " + hex.EncodeToString(sum[:8])
}

// WaitFor waits until a question has its answer or has expired: then the same
// request should be made again. It is for programs that embed a node; it
// shows the question to nobody, `reeve approve` and an open console do. The
// error is ctx's own.
func (n *Node) WaitFor(ctx context.Context, p reeve.Pending) error {
	return asking.New(asking.Options{Cards: n.table, Channels: []asking.Channel{&anyShell{}}}).Wait(ctx, p)
}

// anyShell is `reeve approve`: always there, and nothing to show. It is a
// pointer to something, since channels are compared.
type anyShell struct{ _ byte }

// There implements asking.Channel.
func (*anyShell) There(context.Context) bool { return true }

// Ask implements asking.Channel.
func (*anyShell) Ask(ctx context.Context, _ reeve.Pending) { <-ctx.Done() }

// Asking says how the owner is asked, by the configuration in force.
func (n *Node) Asking(context.Context) (Asking, error) {
	f, err := n.source.get()
	if err != nil {
		return Asking{}, err
	}
	return f.policy.Asking(), nil
}

// Waiting lists the questions that wait for the owner, of all processes.
func (n *Node) Waiting(ctx context.Context) ([]Card, error) { return n.table.Waiting(ctx) }

// Change gives the whole change of a question, of which the question itself
// may show a part.
func (n *Node) Change(ctx context.Context, id string) (string, error) {
	return n.table.Change(ctx, id)
}

// Answer answers a question for the owner; see Questions.Answer.
func (n *Node) Answer(ctx context.Context, id string, a Answer) error {
	return n.Questions().Answer(ctx, id, a)
}
