package dialect

import (
	"encoding/json"
	"fmt"
	"strconv"

	"reeve"
)

// property is a value as the part of JSON Schema tells it that every client
// understands. It is written by hand: the list of tools is made at each start.
type property struct {
	name        string
	kind        ParamType
	description string
	enum        []string
	whole       bool // least and most bound a number
	least, most int64
	maxLength   int
	items       *property
	minItems    int64
	maxItems    int64
	object      *object // of an object inside a list
}

// object has its properties in the order of the parameters, the important
// ones first. Unknown keys are refused, and said to be.
type object struct {
	properties []property
	required   []string
}

func (o *object) append(b []byte) []byte {
	b = append(b, `"properties":{`...)
	for i := range o.properties {
		p := &o.properties[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = p.append(append(AppendString(b, p.name), ':'))
	}
	b = append(b, '}')
	if len(o.required) > 0 {
		b = appendStrings(append(b, `,"required":`...), o.required)
	}
	return append(b, `,"additionalProperties":false`...)
}

func (p *property) append(b []byte) []byte {
	b = AppendString(append(b, `{"type":`...), string(p.kind))
	if p.description != "" {
		b = AppendString(append(b, `,"description":`...), p.description)
	}
	if len(p.enum) > 0 {
		b = appendStrings(append(b, `,"enum":`...), p.enum)
	}
	if p.whole {
		b = appendNumber(b, `,"minimum":`, p.least)
		b = appendNumber(b, `,"maximum":`, p.most)
	}
	if p.maxLength > 0 {
		b = appendNumber(b, `,"maxLength":`, int64(p.maxLength))
	}
	if p.items != nil {
		b = p.items.append(append(b, `,"items":`...))
	}
	if p.minItems > 0 {
		b = appendNumber(b, `,"minItems":`, p.minItems)
	}
	if p.maxItems > 0 {
		b = appendNumber(b, `,"maxItems":`, p.maxItems)
	}
	if p.object != nil {
		b = p.object.append(append(b, ','))
	}
	return append(b, '}')
}

func appendNumber(b []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(b, key...), n, 10)
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, s)
	}
	return append(b, ']')
}

// Schema is the tool's input schema under the settings in force, in JSON: a
// flat object of typed properties. There is no oneOf or anyOf at the top,
// which some model providers refuse.
func (t *Tool) Schema(s reeve.Settings) (json.RawMessage, error) {
	var o object
	size := 256
	for _, p := range t.Params(s) {
		prop := t.property(p)
		prop.description = t.Prose.Params[p.Name]
		size += len(prop.description) + 128
		o.properties = append(o.properties, prop)
		if p.Required {
			o.required = append(o.required, p.Name)
		}
	}
	b := o.append(append(make([]byte, 0, size), `{"type":"object",`...))
	if b = append(b, '}'); !json.Valid(b) {
		return nil, fmt.Errorf("schema of %s is not JSON", t.Name)
	}
	return b, nil
}

func (t *Tool) property(p Param) property {
	prop := property{name: p.Name, kind: p.Type, enum: p.Enum}
	switch p.Type {
	case Whole:
		prop.whole, prop.least, prop.most = true, p.Min, p.Max
	case OneString:
		if len(p.Enum) == 0 {
			prop.maxLength = p.Bytes
		}
	case ManyStrings:
		prop.items = &property{kind: OneString, maxLength: p.Bytes}
		prop.minItems, prop.maxItems = p.Min, p.Max
	case ManyObjects:
		o := &object{}
		for _, f := range p.Fields {
			o.properties = append(o.properties, t.property(f))
			if f.Required {
				o.required = append(o.required, f.Name)
			}
		}
		prop.kind, prop.items = ManyStrings, &property{kind: "object", object: o}
		prop.minItems, prop.maxItems = p.Min, p.Max
	}
	return prop
}
