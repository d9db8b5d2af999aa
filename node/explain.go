package node

import (
	"context"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/pathname"
)

// Explanation says what policy makes of one path, and why.
type Explanation struct {
	Asked string `json:"asked"`          // as written, escaped
	Real  string `json:"real,omitempty"` // where it really is
	// Via is the link that leads there, if one does.
	Via    string         `json:"via,omitempty"`
	Kind   reeve.FileKind `json:"kind,omitempty"`
	Exists bool           `json:"exists"`
	Access reeve.Access   `json:"access,omitempty"` // of the deciding root
	// Err is why there is no place to explain.
	Err     *reeve.Error `json:"error,omitempty"`
	Effects []Explained  `json:"effects,omitempty"`
}

// Explained is the decision on one effect.
type Explained struct {
	Effect   reeve.EffectKind `json:"effect"`
	Decision reeve.Decision   `json:"decision"`
}

// Explain tells the decision on each effect at a path, for the owner's eyes.
// Nothing is opened, and nothing is recorded.
func (n *Node) Explain(ctx context.Context, path string, s reeve.Subject) (Explanation, error) {
	f, err := n.source.get()
	if err != nil {
		return Explanation{}, err
	}
	ex := Explanation{Asked: pathname.EscapePath(path)}
	if !f.current.Enabled {
		ex.Err = &reeve.Error{Op: "explain", Path: ex.Asked, Kind: reeve.Policy, Code: reeve.Disabled, What: "is refused: " + f.policy.Off()}
		return ex, nil
	}
	parsed, err := pathname.Parse(path, f.current.Paths)
	if err != nil {
		e := &reeve.Error{Op: "explain", Path: ex.Asked, Kind: reeve.Input, Code: reeve.Invalid, What: "is not a path that can be used here", Cause: err}
		if pe, ok := err.(*pathname.Error); ok {
			e.What, e.Instead = pe.What, pe.Instead
		}
		ex.Err = e
		return ex, nil
	}
	ex.Asked = parsed.Shown()
	place, err := capfs.Call(ctx, n.files, func(ctx context.Context) (reeve.Place, error) {
		h, err := n.files.Resolve(ctx, parsed, true)
		if err != nil {
			return reeve.Place{}, err
		}
		defer h.Close()
		return h.Place(), nil
	})
	if err != nil {
		e, ok := reeve.AsError(err)
		if !ok {
			return ex, err
		}
		ex.Err = e
		return ex, nil
	}
	ex.Real, ex.Via, ex.Kind, ex.Exists, ex.Access = place.Display(), place.Via, place.Kind, place.Exists(), place.Access
	for _, k := range reeve.EffectKinds() {
		if !applies(k, place) {
			continue
		}
		e := reeve.Effect{Kind: k, Place: place}
		if k == reeve.EffectMove || k == reeve.EffectSend {
			e.To = &place
		}
		ex.Effects = append(ex.Effects, Explained{k, f.current.Rules.Decide(s, e)})
	}
	return ex, nil
}

// applies leaves out what cannot happen to what is there.
func applies(k reeve.EffectKind, p reeve.Place) bool {
	switch k {
	case reeve.EffectList:
		return p.Kind == reeve.Directory
	case reeve.EffectRead, reeve.EffectReplace, reeve.EffectSend:
		return p.Exists() && p.Kind != reeve.Directory
	case reeve.EffectCreate, reeve.EffectMkdir:
		return !p.Exists()
	}
	return p.Exists()
}
