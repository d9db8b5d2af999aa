package node

import (
	"context"
	"slices"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
	"reeve/internal/policy"
)

// Status is what is in force now.
type Status struct {
	// Enabled is false while nothing is served; Off then says why.
	Enabled  bool
	Off      string
	Profile  string
	Settings reeve.Settings
	// Problems are what could not be used of the configuration, a line each,
	// with file, line and column.
	Problems []string
	Roots    []RootStatus
	// Asks are the effects that the owner is asked about.
	Asks []reeve.EffectKind
	// Relative is the folder that relative paths start from, empty where the
	// profile refuses them.
	Relative string
	// Generation differs whenever the policy does.
	Generation uint64
}

// RootStatus is a granted folder and what became of it.
type RootStatus struct {
	ID     reeve.RootID    `json:"id"`
	Path   string          `json:"path"` // as granted, odd characters escaped
	Real   string          `json:"real,omitempty"`
	Access reeve.Access    `json:"access"`
	State  reeve.RootState `json:"state"`
	Note   string          `json:"note,omitempty"`
	// Source is who granted it: command line, configuration or profile.
	Source string `json:"source"`
}

// Status tells what is in force. It reads the configuration again if that has
// changed, and is quick enough to be asked before every call.
func (n *Node) Status(context.Context) (Status, error) {
	f, err := n.source.get()
	if err != nil {
		return Status{}, err
	}
	s := Status{Enabled: f.current.Enabled, Off: f.policy.Off(), Profile: f.policy.Profile(), Settings: f.current.Settings,
		Generation: f.current.Generation, Asks: asks(f.policy), Relative: pathname.EscapePath(f.current.Paths.Base)}
	for _, p := range f.problems {
		s.Problems = append(s.Problems, p.String())
	}
	states := map[reeve.RootID]capfs.Status{}
	for _, st := range n.files.Roots() {
		states[st.ID] = st
	}
	for _, r := range f.policy.Grants() {
		id := capfs.RootID(r.Path)
		st := states[id]
		s.Roots = append(s.Roots, RootStatus{ID: id, Path: pathname.EscapePath(r.Path), Real: pathname.EscapePath(st.Real),
			Access: r.Access, State: st.State, Note: st.Note, Source: string(r.Source)})
	}
	return s, nil
}

// asks are the effects that are asked about, each once.
func asks(p *policy.Policy) []reeve.EffectKind {
	var list []reeve.EffectKind
	for _, a := range p.Asks() {
		if a.Answer != policy.AskTurn && a.Answer != policy.AskEach {
			continue
		}
		if k := reeve.EffectKind(a.Key); slices.Contains(reeve.EffectKinds(), k) && !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}
