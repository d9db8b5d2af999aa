package ops

import (
	"context"

	"reeve"
	"reeve/internal/guard"
)

// walkVerb runs a walker of the test's own behind the gate.
type walkVerb struct{ w *walker }

func (walkVerb) Plan(reeve.Call, reeve.Settings) ([]reeve.Intent, error) {
	return []reeve.Intent{{Kind: reeve.IntentWalk, Path: "."}}, nil
}

func (v walkVerb) Work(ctx context.Context, _ reeve.Call, view *guard.View, _ *guard.Reply) (guard.Work, error) {
	f, err := view.Folder(ctx, 0)
	if err != nil {
		return guard.Work{}, err
	}
	defer f.Close()
	return guard.Work{Answer: &reeve.Found{}}, v.w.walk(ctx, f, nil, false)
}

func walkIn(w *world, wk *walker) error {
	gate, err := w.with(map[reeve.Verb]guard.Verb{reeve.VerbSearchFiles: walkVerb{wk}})
	if err != nil {
		return err
	}
	_, err = gate.Do(context.Background(), reeve.Request{Call: &reeve.SearchFiles{}})
	return err
}

// replyVerb speaks to a Reply of a real gate.
type replyVerb func(*guard.Reply)

func (replyVerb) Plan(reeve.Call, reeve.Settings) ([]reeve.Intent, error) { return nil, nil }

func (f replyVerb) Work(_ context.Context, _ reeve.Call, _ *guard.View, r *guard.Reply) (guard.Work, error) {
	f(r)
	return guard.Work{Answer: &reeve.Roots{}}, nil
}
