package policy

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A TOML document as a tree whose every value knows its line, so that a bad
// entry can be named and left out while the others hold.

type kind int

const (
	other kind = iota // dates and times, which no key takes
	text
	number
	decimal
	flag
	list
	group // a table
)

func (k kind) String() string {
	return [...]string{"a date or time", "text", "a whole number", "a number with a fraction", "true or false", "a list", "a table"}[k]
}

type value struct {
	line, column int
	kind         kind
	text         string
	number       int64
	flag         bool
	list         []*value
	group        *table
}

type table struct {
	keys []string // in the order of the document
	at   map[string]*value
}

func (t *table) set(key string, v *value) {
	if t.at == nil {
		t.at = map[string]*value{}
	}
	if t.at[key] == nil {
		t.keys = append(t.keys, key)
	}
	t.at[key] = v
}

// maxConfig bounds a configuration in bytes, maxNesting how deep its lists
// and inline tables may lie in each other.
const (
	maxConfig  = 256 << 10
	maxNesting = 100
)

// parseTree reads a whole document. What is wrong with it as a document
// (syntax, keys given twice) is the one problem.
func parseTree(name string, data []byte) (*table, *Problem) {
	if len(data) > maxConfig {
		return nil, &Problem{File: name, What: fmt.Sprintf("the file has %d bytes; a configuration may have %d", len(data), maxConfig)}
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors put a byte order mark there
	if line, ok := tooDeep(data); ok {
		return nil, &Problem{File: name, Line: line, What: fmt.Sprintf("brackets lie more than %d deep in each other", maxNesting)}
	}
	// The full decoder checks what the bare parser does not: keys and tables
	// given twice, values of a shape that TOML does not know.
	var whole map[string]any
	if err := toml.Unmarshal(data, &whole); err != nil {
		p := &Problem{File: name, What: "the file is not TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
		var de *toml.DecodeError
		if errors.As(err, &de) {
			p.Line, p.Column = de.Position()
			p.Entry = strings.Join(de.Key(), ".")
		}
		return nil, p
	}
	root := &table{}
	cur := root
	var p document
	p.Reset(data)
	p.lines = append(p.lines, 0)
	for i, c := range data {
		if c == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.KeyValue:
			assign(&p, cur, e)
		case unstable.Table, unstable.ArrayTable:
			cur = enter(&p, root, e)
		}
	}
	if err := p.Error(); err != nil {
		return nil, &Problem{File: name, What: "the file is not TOML: " + err.Error()}
	}
	return root, nil
}

// tooDeep counts brackets outside of texts and comments, since the parser
// goes as deep as they do.
func tooDeep(data []byte) (line int, deep bool) {
	depth := 0
	line = 1
	var quote byte
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '\n':
			line++
			quote = 0 // texts over several lines are counted as code: too much, never too little
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			for i+1 < len(data) && data[i+1] != '\n' {
				i++
			}
		case c == '[' || c == '{':
			if depth++; depth > maxNesting {
				return line, true
			}
		case (c == ']' || c == '}') && depth > 0:
			depth--
		}
	}
	return 0, false
}

// document is a parser that knows where each line begins.
type document struct {
	unstable.Parser
	lines []int
}

func position(p *document, n *unstable.Node) (line, column int) {
	if n.Raw.Length == 0 {
		return 0, 0
	}
	at := int(n.Raw.Offset)
	line = sort.SearchInts(p.lines, at+1)
	return line, at - p.lines[line-1] + 1
}

// enter finds or makes the table of a header.
func enter(p *document, root *table, e *unstable.Node) *table {
	t := root
	it := e.Key()
	for it.Next() {
		n := it.Node()
		key := string(n.Data)
		last := it.IsLast()
		v := t.at[key]
		line, column := position(p, n)
		switch {
		case last && e.Kind == unstable.ArrayTable:
			if v == nil || v.kind != list {
				v = &value{line: line, column: column, kind: list}
				t.set(key, v)
			}
			v.list = append(v.list, &value{line: line, column: column, kind: group, group: &table{}})
			t = v.list[len(v.list)-1].group
		case v == nil || v.kind != group && v.kind != list:
			v = &value{line: line, column: column, kind: group, group: &table{}}
			t.set(key, v)
			t = v.group
		case v.kind == list && len(v.list) > 0 && v.list[len(v.list)-1].kind == group:
			t = v.list[len(v.list)-1].group
		case v.kind == group:
			t = v.group
		default:
			t = &table{}
		}
	}
	return t
}

// assign puts a key's value into a table, making tables for a dotted key.
func assign(p *document, t *table, e *unstable.Node) {
	v := read(p, e.Value())
	it := e.Key()
	for it.Next() {
		n := it.Node()
		key := string(n.Data)
		line, column := position(p, n)
		if it.IsLast() {
			v.line, v.column = line, column
			t.set(key, v)
			return
		}
		sub := t.at[key]
		if sub == nil || sub.kind != group {
			sub = &value{line: line, column: column, kind: group, group: &table{}}
			t.set(key, sub)
		}
		t = sub.group
	}
}

func read(p *document, n *unstable.Node) *value {
	v := &value{}
	v.line, v.column = position(p, n)
	switch n.Kind {
	case unstable.String:
		v.kind, v.text = text, string(n.Data)
	case unstable.Bool:
		v.kind, v.flag = flag, n.Data[0] == 't'
	case unstable.Float:
		v.kind = decimal
	case unstable.Integer:
		v.kind = decimal
		if i, err := strconv.ParseInt(strings.ReplaceAll(string(n.Data), "_", ""), 0, 64); err == nil {
			v.kind, v.number = number, i
		}
	case unstable.Array:
		v.kind = list
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			v.list = append(v.list, read(p, it.Node()))
		}
	case unstable.InlineTable:
		v.kind, v.group = group, &table{}
		for it := n.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				assign(p, v.group, it.Node())
			}
		}
	}
	return v
}
