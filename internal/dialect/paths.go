package dialect

import "reeve"

// Bounds of what Paths gives.
const (
	pathsMost  = 20
	pathsBytes = 5 * 4096
)

// Paths gives the paths that arguments name, whatever else is wrong with
// them: for the record of a call that is refused. Only parameters that take
// paths are looked at, since any other may hold contents. What is too long or
// no text is passed over.
func (t *Tool) Paths(raw []byte, s reeve.Settings) []string {
	return pathsIn(nil, t.Params(s), raw)
}

func pathsIn(list []string, params []Param, raw []byte) []string {
	members, depth, err := Split(raw)
	if err != nil || depth > MaxDepth {
		return list
	}
	add := func(v Value) {
		if v.Type != String || len(v.Raw) > pathsBytes || len(list) >= pathsMost {
			return
		}
		if p, flaw := Text(v.Raw); flaw == Sound && p != "" {
			list = append(list, p)
		}
	}
	for _, m := range members {
		for _, p := range params {
			switch {
			case p.Name != m.Key || !p.Path && len(p.Fields) == 0:
			case m.Type != Array:
				add(Value{m.Type, m.Raw})
			default:
				items, err := SplitArray(m.Raw, pathsMost)
				if err != nil {
					continue
				}
				for _, v := range items {
					if p.Path {
						add(v)
					} else if v.Type == Object {
						list = pathsIn(list, p.Fields, v.Raw)
					}
				}
			}
		}
	}
	return list
}
