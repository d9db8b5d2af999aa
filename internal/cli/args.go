package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"reeve/internal/dialect"
)

// argBytes is the most that key=@FILE takes in: as much as a call may carry.
const argBytes = 16 << 20

// argument is one key=value, key=@FILE or key:=JSON as it was typed.
type argument struct {
	key   string
	text  string          // key=value and key=@FILE
	value json.RawMessage // key:=JSON
}

// parseArguments reads what follows the tool's name.
func parseArguments(words []string, stdin io.Reader) ([]argument, error) {
	var out []argument
	for _, w := range words {
		at := strings.IndexByte(w, '=')
		if at <= 0 || w[:at] == ":" {
			return nil, usagef("%q is not key=value. Write for instance path=notes.txt, or limit:=20 for JSON.", bounded(w))
		}
		key, text := w[:at], w[at+1:]
		if k, ok := strings.CutSuffix(key, ":"); ok {
			if !json.Valid([]byte(text)) {
				return nil, usagef("%s:= takes JSON, and %q is none. For plain text write %s=….", bounded(k), bounded(text), bounded(k))
			}
			out = append(out, argument{key: k, value: json.RawMessage(strings.TrimSpace(text))})
			continue
		}
		if file, ok := strings.CutPrefix(text, "@"); ok {
			b, err := argumentFile(file, stdin)
			if err != nil {
				return nil, usagef("%s=@%s: %v. Text that begins with @ is written with key:=JSON.", bounded(key), bounded(file), err)
			}
			text = string(b)
		}
		out = append(out, argument{key: key, text: text})
	}
	return out, nil
}

// argumentFile reads the text of an argument for the person at the keyboard.
// "-" is the standard input.
func argumentFile(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		st, err := os.Stat(name) // before opening: a FIFO would wait
		if err == nil && !st.Mode().IsRegular() {
			err = errors.New("it is not a file")
		}
		if err != nil {
			return nil, cause(err)
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, cause(err)
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, argBytes+1))
	switch {
	case err != nil:
		return nil, cause(err)
	case len(b) > argBytes:
		return nil, fmt.Errorf("it is over %d MiB", argBytes>>20)
	case !utf8.Valid(b):
		return nil, errors.New("it is not UTF-8 text")
	}
	return b, nil
}

// cause is the system's own word without the path in front.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// schema is what is needed of a tool's JSON schema to read typed words.
type schema struct {
	Properties map[string]property `json:"properties"`
}

type property struct {
	Type json.RawMessage `json:"type"`
}

// is reports whether a parameter may be of a JSON type.
func (p property) is(name string) bool {
	var one string
	if json.Unmarshal(p.Type, &one) == nil {
		return one == name
	}
	var many []string
	_ = json.Unmarshal(p.Type, &many)
	for _, t := range many {
		if t == name {
			return true
		}
	}
	return false
}

// isPathKey tells the parameters that name files, in every dialect so far.
func isPathKey(key string) bool {
	switch key {
	case "path", "paths", "from", "to":
		return true
	}
	return false
}

// object makes the JSON object of a call. The schema says whether 20 is a
// number or text; what it does not know stays text, and the tool's own check
// refuses it by name. A parameter given twice becomes an array where the tool
// takes one; elsewhere it stays given twice, for the same check.
func object(args []argument, s schema) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	done := map[string]bool{}
	for _, a := range args {
		if done[a.key] {
			continue
		}
		p := s.Properties[a.key]
		var values []json.RawMessage
		for _, same := range args {
			if same.key != a.key {
				continue
			}
			v, err := valueOf(same, p)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		if p.is("array") && !(len(values) == 1 && values[0][0] == '[') {
			all := append([]byte{'['}, bytes.Join(rawBytes(values), []byte{','})...)
			values = []json.RawMessage{append(all, ']')}
		}
		done[a.key] = true
		for _, v := range values {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			k, _ := json.Marshal(a.key)
			b.Write(k)
			b.WriteByte(':')
			b.Write(v)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func rawBytes(in []json.RawMessage) [][]byte {
	out := make([][]byte, len(in))
	for i, v := range in {
		out[i] = v
	}
	return out
}

func valueOf(a argument, p property) (json.RawMessage, error) {
	if a.value != nil {
		if isPathKey(a.key) {
			return pathsIn(a.value)
		}
		return a.value, nil
	}
	switch {
	case p.is("string"):
	case p.is("integer") || p.is("number"):
		if _, err := strconv.ParseFloat(a.text, 64); err == nil && json.Valid([]byte(a.text)) {
			return json.RawMessage(a.text), nil
		}
	case p.is("boolean"):
		if a.text == "true" || a.text == "false" {
			return json.RawMessage(a.text), nil
		}
	}
	text := a.text
	if isPathKey(a.key) {
		var err error
		if text, err = fromHere(text); err != nil {
			return nil, err
		}
	}
	if !utf8.ValidString(text) {
		return nil, usagef("%s holds bytes that are not UTF-8. Nothing was done.", bounded(a.key))
	}
	return json.Marshal(text)
}

// pathsIn gives every path in a JSON value its place: one text, or a list of
// them. What is not sound text is left as it is, for the tool's own check.
func pathsIn(v json.RawMessage) (json.RawMessage, error) {
	if v[0] != '[' {
		return pathIn(v)
	}
	list, err := dialect.SplitArray(v, len(v))
	if err != nil {
		return v, nil
	}
	b := []byte{'['}
	for i, e := range list {
		p, err := pathIn(e.Raw)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, p...)
	}
	return append(b, ']'), nil
}

func pathIn(v []byte) (json.RawMessage, error) {
	if v[0] != '"' {
		return v, nil
	}
	text, flaw := dialect.Text(v)
	if flaw != dialect.Sound {
		return v, nil
	}
	path, err := fromHere(text)
	if err != nil {
		return nil, err
	}
	return json.Marshal(path)
}
