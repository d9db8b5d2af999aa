package dialect

import (
	"fmt"
	"strings"

	"reeve"
)

// Prose is what a tool's document tells a model.
type Prose struct {
	Description string
	Params      map[string]string
}

// ParseProse reads a tool's document: the description, then a "## name"
// heading with a text for each parameter. Lines of one paragraph are joined,
// so that the document can be wrapped for people.
func ParseProse(doc string) Prose {
	p := Prose{Params: map[string]string{}}
	parts := strings.Split("\n"+doc, "\n## ")
	p.Description = join(parts[0])
	for _, part := range parts[1:] {
		name, text, _ := strings.Cut(part, "\n")
		p.Params[strings.TrimSpace(name)] = join(text)
	}
	return p
}

func join(text string) string {
	var paragraphs []string
	for _, par := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if words := strings.Join(strings.Fields(par), " "); words != "" {
			paragraphs = append(paragraphs, words)
		}
	}
	return strings.Join(paragraphs, "\n")
}

// Check reports a tool whose document and parameters do not match, for
// tests of a dialect.
func (t *Tool) Check(s reeve.Settings) error {
	if t.Prose.Description == "" {
		return fmt.Errorf("%s has no description", t.Name)
	}
	params := t.Params(s)
	for _, p := range params {
		if t.Prose.Params[p.Name] == "" {
			return fmt.Errorf("%s does not say what %q means", t.Name, p.Name)
		}
		for _, f := range p.Fields {
			if t.Prose.Params[f.Name] == "" {
				return fmt.Errorf("%s does not say what %q in %q means", t.Name, f.Name, p.Name)
			}
		}
		switch {
		case p.Type == ManyObjects && (len(p.Fields) == 0 || p.Max < max(p.Min, 1)),
			(p.Type == OneString || p.Type == ManyStrings) && p.Bytes <= 0 && len(p.Enum) == 0,
			(p.Type == Whole || p.Type == ManyStrings) && p.Max < p.Min:
			return fmt.Errorf("%s does not bound %q", t.Name, p.Name)
		}
	}
	if len(params) != len(t.Prose.Params) {
		return fmt.Errorf("%s describes %d parameters and has %d", t.Name, len(t.Prose.Params), len(params))
	}
	return nil
}
