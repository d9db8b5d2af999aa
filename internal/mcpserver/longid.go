package mcpserver

import (
	"bytes"
	"encoding/json"

	"reeve/internal/dialect"
)

// longID looks for the id of a message of which only the ends are known. A
// wrong id would answer another call, so only what is certain is taken: a
// member that stands at the very start, or the very last one.
func longID(l *longLine) []byte {
	if raw := headID(l.head); raw != nil {
		return raw
	}
	return tailID(l.tail)
}

func headID(head []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(head))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if key == "id" {
			return certainID(value)
		}
	}
}

// tailID takes `"id": 7 }` from the end. A message ends with the bracket of
// its outermost object, so what stands right before it is that object's last
// member.
func tailID(tail []byte) []byte {
	const white = " \t\r\n"
	b := bytes.TrimRight(tail, white)
	b, ok := bytes.CutSuffix(b, []byte("}"))
	if !ok {
		return nil
	}
	b = bytes.TrimRight(b, white)
	from := len(b)
	if n := len(b); n > 1 && b[n-1] == '"' {
		from = bytes.LastIndexByte(b[:n-1], '"')
	} else {
		for from > 0 && (b[from-1] >= '0' && b[from-1] <= '9' || b[from-1] == '-') {
			from--
		}
	}
	if from < 0 || from == len(b) {
		return nil
	}
	id := b[from:]
	b, ok = bytes.CutSuffix(bytes.TrimRight(b[:from], white), []byte(":"))
	if !ok {
		return nil
	}
	b, ok = bytes.CutSuffix(bytes.TrimRight(b, white), []byte(`"id"`))
	b = bytes.TrimRight(b, white)
	if !ok || len(b) == 0 || b[len(b)-1] != ',' && b[len(b)-1] != '{' || bytes.IndexByte(id, '\\') >= 0 {
		return nil
	}
	return certainID(id)
}

func certainID(raw []byte) []byte {
	t := dialect.Number
	if len(raw) > 0 && raw[0] == '"' {
		t = dialect.String
	}
	if !json.Valid(raw) {
		return nil
	}
	if _, id, ok := readID(&dialect.Member{Type: t, Raw: raw}); ok {
		return bytes.Clone(id)
	}
	return nil
}
