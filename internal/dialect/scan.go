package dialect

import "fmt"

// Type is the kind of a JSON value.
type Type string

const (
	Null    Type = "null"
	Boolean Type = "boolean"
	Number  Type = "number"
	String  Type = "string"
	Array   Type = "array"
	Object  Type = "object"
)

// Member is one name and value of a JSON object. Raw is the value's own
// bytes, inside those that were split.
type Member struct {
	Key  string
	Type Type
	Raw  []byte
}

// Value is one element of a JSON array.
type Value struct {
	Type Type
	Raw  []byte
}

// SyntaxError says where bytes stop being JSON.
type SyntaxError struct {
	At   int // byte offset
	What string
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.What, e.At) }

// Split takes a JSON object apart, keeping order and duplicates, and checks
// the grammar of everything in it. Depth is how deeply the object nests, 1
// for an object of plain values. It uses no recursion, so no depth is too
// much for it. Text inside strings is not judged here: see Text.
func Split(raw []byte) (members []Member, depth int, err error) {
	s := scanner{b: raw}
	s.space()
	if !s.take('{') {
		return nil, 0, s.fail("no object")
	}
	depth = 1
	s.space()
	if s.take('}') {
		return nil, depth, s.end()
	}
	for {
		s.space()
		from := s.i
		if err := s.str(); err != nil {
			return nil, depth, err
		}
		key, _ := unquote(s.b[from:s.i])
		s.space()
		if !s.take(':') {
			return nil, depth, s.fail("no colon")
		}
		v, d, err := s.value()
		if err != nil {
			return nil, depth, err
		}
		depth = max(depth, 1+d)
		members = append(members, Member{Key: key, Type: v.Type, Raw: v.Raw})
		s.space()
		if s.take('}') {
			return members, depth, s.end()
		}
		if !s.take(',') {
			return nil, depth, s.fail("no comma")
		}
	}
}

// SplitArray takes a JSON array apart. At most limit elements are looked at;
// of a longer array it returns limit+1, and has not checked the rest.
func SplitArray(raw []byte, limit int) ([]Value, error) {
	s := scanner{b: raw}
	s.space()
	if !s.take('[') {
		return nil, s.fail("no array")
	}
	s.space()
	if s.take(']') {
		return nil, s.end()
	}
	var list []Value
	for {
		v, _, err := s.value()
		if err != nil {
			return nil, err
		}
		if list = append(list, v); len(list) > limit {
			return list, nil
		}
		s.space()
		if s.take(']') {
			return list, s.end()
		}
		if !s.take(',') {
			return nil, s.fail("no comma")
		}
	}
}

type scanner struct {
	b []byte
	i int
}

func (s *scanner) fail(what string) error {
	if s.i >= len(s.b) {
		what = "an early end"
	}
	return &SyntaxError{At: s.i, What: what}
}

func (s *scanner) end() error {
	s.space()
	if s.i < len(s.b) {
		return s.fail("more after the end")
	}
	return nil
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\r', '\n':
			s.i++
		default:
			return
		}
	}
}

func (s *scanner) take(c byte) bool {
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// value passes over one value of any depth and gives its bytes.
func (s *scanner) value() (v Value, depth int, err error) {
	s.space()
	from := s.i
	var open []byte // the closing brackets that are due
	for {
		s.space()
		t, err := s.start()
		if err != nil {
			return v, depth, err
		}
		if len(open) == 0 {
			v.Type = t
		}
		switch t {
		case Object, Array:
			end := byte('}')
			if t == Array {
				end = ']'
			}
			s.space()
			if !s.take(end) {
				open = append(open, end)
				depth = max(depth, len(open))
				if t == Object {
					if err := s.key(); err != nil {
						return v, depth, err
					}
				}
				continue
			}
			depth = max(depth, len(open)+1)
		}
		// A value ends here; close what ends with it.
		for {
			if len(open) == 0 {
				v.Raw = s.b[from:s.i]
				return v, depth, nil
			}
			s.space()
			end := open[len(open)-1]
			if s.take(end) {
				open = open[:len(open)-1]
				continue
			}
			if !s.take(',') {
				return v, depth, s.fail("no comma")
			}
			if end == '}' {
				if err := s.key(); err != nil {
					return v, depth, err
				}
			}
			break
		}
	}
}

func (s *scanner) key() error {
	s.space()
	if err := s.str(); err != nil {
		return err
	}
	s.space()
	if !s.take(':') {
		return s.fail("no colon")
	}
	return nil
}

// start passes over a whole scalar, or the bracket that opens a container.
func (s *scanner) start() (Type, error) {
	if s.i >= len(s.b) {
		return "", s.fail("no value")
	}
	switch c := s.b[s.i]; {
	case c == '{':
		s.i++
		return Object, nil
	case c == '[':
		s.i++
		return Array, nil
	case c == '"':
		return String, s.str()
	case c == '-' || c >= '0' && c <= '9':
		return Number, s.number()
	case c == 't':
		return Boolean, s.word("true")
	case c == 'f':
		return Boolean, s.word("false")
	case c == 'n':
		return Null, s.word("null")
	}
	return "", s.fail("no value")
}

func (s *scanner) word(w string) error {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return s.fail("no value")
	}
	s.i += len(w)
	return nil
}

func (s *scanner) number() error {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return s.fail("no number")
	}
	if s.take('.') && !s.digits() {
		return s.fail("no number")
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return s.fail("no number")
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > from
}

func (s *scanner) str() error {
	if !s.take('"') {
		return s.fail("no string")
	}
	for s.i < len(s.b) {
		c := s.b[s.i]
		s.i++
		switch {
		case c == '"':
			return nil
		case c < 0x20:
			s.i--
			return s.fail("a control character in a string")
		case c == '\\':
			if s.i >= len(s.b) {
				return s.fail("an early end")
			}
			c, s.i = s.b[s.i], s.i+1
			switch c {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if _, ok := hex4(s.b[s.i:]); !ok {
					return s.fail("a bad escape in a string")
				}
				s.i += 4
			default:
				return s.fail("a bad escape in a string")
			}
		}
	}
	return s.fail("an early end")
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
