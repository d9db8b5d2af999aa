package reeve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// Request is one call by one subject to one computer.
type Request struct {
	// ID is the door's name for this call, for the record. It may be empty.
	ID      string
	Target  Target // empty means Local
	Subject Subject
	Call    Call
}

type requestJSON struct {
	ID      string          `json:"id,omitempty"`
	Target  Target          `json:"target,omitempty"`
	Subject Subject         `json:"subject"`
	Verb    Verb            `json:"verb"`
	Args    json.RawMessage `json:"args"`
}

// MarshalJSON writes the verb beside its arguments. Text that is not UTF-8 is
// refused: JSON would turn it into other text without a word.
func (r Request) MarshalJSON() ([]byte, error) {
	if r.Call == nil {
		return nil, fmt.Errorf("request without a call")
	}
	if !utf8Text(reflect.ValueOf(r)) {
		return nil, fmt.Errorf("%s: text that is not UTF-8 can't be sent; paths have an escaped form for it", r.Call.Verb())
	}
	args, err := json.Marshal(r.Call)
	if err != nil {
		return nil, err
	}
	return json.Marshal(requestJSON{r.ID, r.Target, r.Subject, r.Call.Verb(), args})
}

// UnmarshalJSON refuses verbs and arguments that it does not know.
func (r *Request) UnmarshalJSON(b []byte) error {
	var j requestJSON
	if err := strictly(b, &j); err != nil {
		return err
	}
	call := NewCall(j.Verb)
	if call == nil {
		return fmt.Errorf("unknown verb %q", j.Verb)
	}
	if err := strictly(j.Args, call); err != nil {
		return fmt.Errorf("%s: %w", j.Verb, err)
	}
	*r = Request{ID: j.ID, Target: j.Target, Subject: j.Subject, Call: call}
	return nil
}

func strictly(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// utf8Text reports whether every string below v is valid UTF-8.
func utf8Text(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || utf8Text(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if !utf8Text(v.Index(i)) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !utf8Text(v.Field(i)) {
				return false
			}
		}
	}
	return true
}
