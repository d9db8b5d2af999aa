package dialect

import (
	"slices"
	"strconv"

	"reeve"
)

// Objects gives a list of objects, each with the arguments of its own
// fields; nil if it was not given.
func (a Args) Objects(name string) []Args { l, _ := a.values[name].([]Args); return l }

// objects reads a list of objects as strictly as the arguments themselves:
// every key must be a field, once, with a value that the field takes.
func (t *Tool) objects(p Param, raw []byte) ([]Args, *reeve.Error) {
	list, err := SplitArray(raw, int(p.Max))
	if err != nil || int64(len(list)) > p.Max || int64(len(list)) < p.Min {
		return nil, invalid(t.Name, "%q must be %s", p.Name, p.Wants())
	}
	out := make([]Args, 0, len(list))
	for i, v := range list {
		where := "item " + strconv.Itoa(i+1) + " of " + strconv.Quote(p.Name)
		if v.Type != Object {
			return nil, invalid(t.Name, "%s is %s; %[4]q must be %[3]s", where, article(v.Type), p.Wants(), p.Name)
		}
		one, err := t.object(p, where, v.Raw)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (t *Tool) object(p Param, where string, raw []byte) (Args, *reeve.Error) {
	members, _, err := Split(raw)
	if err != nil {
		return Args{}, invalid(t.Name, "%s is not a JSON object", where)
	}
	one := Args{tool: t.Name, values: make(map[string]any, len(p.Fields))}
	for _, m := range members {
		i := slices.IndexFunc(p.Fields, func(f Param) bool { return f.Name == m.Key })
		if i < 0 {
			e := t.unknown(m.Key, p.Fields)
			e.What += " in " + where
			return Args{}, e
		}
		if one.Has(m.Key) {
			return Args{}, invalid(t.Name, "%q is given twice in %s", m.Key, where)
		}
		v, err := t.read(p.Fields[i], Value{m.Type, m.Raw})
		if err != nil {
			err.What += " (in " + where + ")"
			return Args{}, err
		}
		one.values[m.Key] = v
	}
	for _, f := range p.Fields {
		if f.Required && !one.Has(f.Name) {
			return Args{}, invalid(t.Name, "%q is missing in %s; it must be %s", f.Name, where, f.Wants())
		}
	}
	return one, nil
}
