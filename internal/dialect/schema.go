package dialect

import (
	"encoding/json"
	"fmt"

	"reeve"
)

// schema is the part of JSON Schema that every client understands: a flat
// object of typed properties. There is no oneOf or anyOf at the top, which
// some model providers refuse.
type schema struct {
	Type       string     `json:"type"`
	Properties properties `json:"properties"`
	Required   []string   `json:"required,omitempty"`
	// Strict: unknown keys are refused, and said to be.
	Additional bool `json:"additionalProperties"`
}

// properties keep the order of the parameters, the important ones first.
type properties []property

type property struct {
	name        string
	Type        ParamType `json:"type"`
	Description string    `json:"description,omitempty"`
	Enum        []string  `json:"enum,omitempty"`
	Minimum     *int64    `json:"minimum,omitempty"`
	Maximum     *int64    `json:"maximum,omitempty"`
	MaxLength   int       `json:"maxLength,omitempty"`
	Items       *property `json:"items,omitempty"`
	MinItems    int64     `json:"minItems,omitempty"`
	MaxItems    int64     `json:"maxItems,omitempty"`
	// Of an object inside a list.
	Properties properties `json:"properties,omitempty"`
	Required   []string   `json:"required,omitempty"`
	Additional *bool      `json:"additionalProperties,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (ps properties) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, p := range ps {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendString(b, p.name), ':')
		v, err := json.Marshal(p)
		if err != nil {
			return nil, err
		}
		b = append(b, v...)
	}
	return append(b, '}'), nil
}

// Schema is the tool's input schema under the settings in force, in JSON.
func (t *Tool) Schema(s reeve.Settings) (json.RawMessage, error) {
	out := schema{Type: "object"}
	out.Properties, out.Required = t.properties(t.Params(s))
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	return b, nil
}

func (t *Tool) properties(params []Param) (list properties, required []string) {
	list = properties{}
	for _, p := range params {
		prop := t.property(p)
		prop.Description = t.Prose.Params[p.Name]
		list = append(list, prop)
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return list, required
}

func (t *Tool) property(p Param) property {
	prop := property{name: p.Name, Type: p.Type, Enum: p.Enum}
	switch p.Type {
	case Whole:
		prop.Minimum, prop.Maximum = &p.Min, &p.Max
	case OneString:
		if len(p.Enum) == 0 {
			prop.MaxLength = p.Bytes
		}
	case ManyStrings:
		prop.Items = &property{Type: OneString, MaxLength: p.Bytes}
		prop.MinItems, prop.MaxItems = p.Min, p.Max
	case ManyObjects:
		item := &property{Type: "object", Additional: new(bool)}
		for _, f := range p.Fields {
			item.Properties = append(item.Properties, t.property(f))
			if f.Required {
				item.Required = append(item.Required, f.Name)
			}
		}
		prop.Type, prop.Items = ManyStrings, item
		prop.MinItems, prop.MaxItems = p.Min, p.Max
	}
	return prop
}
