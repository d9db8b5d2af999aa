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
	out := schema{Type: "object", Properties: properties{}}
	for _, p := range t.Params(s) {
		prop := property{name: p.Name, Type: p.Type, Description: t.Prose.Params[p.Name], Enum: p.Enum}
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
		}
		out.Properties = append(out.Properties, prop)
		if p.Required {
			out.Required = append(out.Required, p.Name)
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	return b, nil
}
