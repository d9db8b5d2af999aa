package dialect

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"reeve"
	"reeve/internal/pathname"
)

// MaxDepth is how deeply arguments may nest. No parameter of today needs
// more than 2; what is deeper is refused before anything looks at it.
const MaxDepth = 16

// Args are arguments that each meet their own parameter.
type Args struct {
	tool   string
	values map[string]any
}

// Tool is the name that the caller used.
func (a Args) Tool() string { return a.tool }

// Has reports whether the caller gave the argument.
func (a Args) Has(name string) bool { _, ok := a.values[name]; return ok }

// String gives a string argument, "" if it was not given.
func (a Args) String(name string) string { s, _ := a.values[name].(string); return s }

// Strings gives a list argument, nil if it was not given.
func (a Args) Strings(name string) []string { s, _ := a.values[name].([]string); return s }

// Int gives a number, 0 if it was not given.
func (a Args) Int(name string) int { n, _ := a.values[name].(int64); return int(n) }

// Int64 gives a number where 0 is not the same as absent.
func (a Args) Int64(name string) *int64 {
	if n, ok := a.values[name].(int64); ok {
		return &n
	}
	return nil
}

// Bool gives a yes or no, false if it was not given.
func (a Args) Bool(name string) bool { b, _ := a.values[name].(bool); return b }

// BoolOr tells false from absent.
func (a Args) BoolOr(name string) *bool {
	if b, ok := a.values[name].(bool); ok {
		return &b
	}
	return nil
}

// Decode reads the arguments of a call, an object in JSON; nothing and null
// mean no arguments. What is not exactly as the tool says is refused by
// name: keys that are unknown, written twice or in another case, values of
// another type, out of range or too long, text that is no text. The error
// is always *reeve.Error of kind Input.
func (t *Tool) Decode(raw []byte, s reeve.Settings) (reeve.Call, error) {
	params := t.Params(s)
	args := Args{tool: t.Name, values: make(map[string]any, 4)}
	members, err := t.members(raw)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		i := slices.IndexFunc(params, func(p Param) bool { return p.Name == m.Key })
		if i < 0 {
			return nil, t.unknown(m.Key, params)
		}
		if args.Has(m.Key) {
			return nil, invalid(t.Name, "%q is given twice", m.Key)
		}
		v, err := t.read(params[i], Value{m.Type, m.Raw})
		if err != nil {
			return nil, err
		}
		args.values[m.Key] = v
	}
	for _, p := range params {
		if p.Required && !args.Has(p.Name) {
			return nil, invalid(t.Name, "%q is missing; it must be %s", p.Name, p.Wants())
		}
	}
	return t.Call(args)
}

func (t *Tool) members(raw []byte) ([]Member, error) {
	if s := strings.TrimSpace(string(raw[:min(len(raw), 8)])); s == "" || s == "null" && len(raw) < 8 {
		return nil, nil
	}
	members, depth, err := Split(raw)
	if err != nil {
		return nil, invalid(t.Name, "the arguments are not a JSON object")
	}
	if depth > MaxDepth {
		return nil, invalid(t.Name, "the arguments nest deeper than %d levels", MaxDepth)
	}
	return members, nil
}

// read checks one value against its parameter.
func (t *Tool) read(p Param, v Value) (any, *reeve.Error) {
	var want Type
	switch p.Type {
	case OneString:
		want = String
	case Whole:
		want = Number
	case YesNo:
		want = Boolean
	case ManyStrings, ManyObjects:
		want = Array
	}
	if v.Type != want {
		if v.Type == Null && !p.Required {
			return nil, invalid(t.Name, "%q is null; leave it out, or give %s", p.Name, p.Wants())
		}
		return nil, invalid(t.Name, "%q is %s; it must be %s", p.Name, article(v.Type), p.Wants())
	}
	switch p.Type {
	case ManyObjects:
		return t.objects(p, v.Raw)
	case OneString:
		return t.text(p, strconv.Quote(p.Name), v.Raw)
	case Whole:
		return t.whole(p, v.Raw)
	case YesNo:
		return v.Raw[0] == 't', nil
	}
	list, err := SplitArray(v.Raw, int(p.Max))
	if err != nil || int64(len(list)) > p.Max || int64(len(list)) < p.Min {
		return nil, invalid(t.Name, "%q must be %s", p.Name, p.Wants())
	}
	out := make([]string, 0, len(list))
	for i, e := range list {
		name := "item " + strconv.Itoa(i+1) + " of " + strconv.Quote(p.Name)
		if e.Type != String {
			return nil, invalid(t.Name, "%s is %s; %[4]q must be %[3]s", name, article(e.Type), p.Wants(), p.Name)
		}
		s, err := t.text(p, name, e.Raw)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (t *Tool) text(p Param, name string, raw []byte) (string, *reeve.Error) {
	limit := p.Bytes
	for _, e := range p.Enum {
		limit = max(limit, len(e))
	}
	// Six bytes of JSON make at least one of text: what is longer than that
	// is not even read.
	if len(raw)-2 > 6*limit {
		return "", invalid(t.Name, "%s is too long; it must be %s", name, p.Wants())
	}
	s, flaw := Text(raw)
	switch {
	case flaw != Sound:
		return "", invalid(t.Name, "%s %s", name, flaw)
	case strings.IndexByte(s, 0) >= 0:
		return "", invalid(t.Name, "%s holds a NUL character", name)
	case len(s) > limit:
		return "", invalid(t.Name, "%s is too long; it must be %s", name, p.Wants())
	case len(p.Enum) > 0 && !slices.Contains(p.Enum, s):
		return "", invalid(t.Name, "%s must be %s", name, p.Wants())
	}
	return s, nil
}

// whole takes 5, and 5.0 and 5e0 too, which mean the same in JSON.
func (t *Tool) whole(p Param, raw []byte) (int64, *reeve.Error) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(string(raw), 64)
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
			return 0, invalid(t.Name, "%q must be %s", p.Name, p.Wants())
		}
		n = int64(f)
	}
	if n < p.Min || n > p.Max || n == 0 && p.NotZero {
		return 0, invalid(t.Name, "%q must be %s", p.Name, p.Wants())
	}
	return n, nil
}

// article names a type in a sentence.
func article(t Type) string {
	switch t {
	case Null:
		return "null"
	case Array, Object:
		return "an " + string(t)
	}
	return "a " + string(t)
}

// unknown names the key, the one it is nearest to, and all that there are.
func (t *Tool) unknown(key string, params []Param) *reeve.Error {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	shown := pathname.Show(key)
	if len(key) > 64 {
		shown = pathname.Show(strings.ToValidUTF8(key[:48], "")) + "…"
	}
	e := invalid(t.Name, "there is no parameter %q", shown)
	if near := nearest(key, names); near != "" {
		e.Instead = "Did you mean " + strconv.Quote(near) + "? "
	}
	if len(names) == 0 {
		e.Instead += "It takes no arguments."
	} else {
		e.Instead += "It takes " + strings.Join(names, ", ") + "."
	}
	return e
}
