package dialect

import (
	"fmt"
	"strconv"
	"strings"

	"reeve"
)

// ParamType is what a parameter takes.
type ParamType string

const (
	OneString   ParamType = "string"  // one string
	Whole       ParamType = "integer" // a whole number
	YesNo       ParamType = "boolean"
	ManyStrings ParamType = "array" // of strings
	// ManyObjects is a list of objects with the Fields.
	ManyObjects ParamType = "array of objects"
)

// Param is one parameter. From it come both what the model is told (the
// schema) and what is enforced, so that the two can't differ.
type Param struct {
	Name     string
	Type     ParamType
	Required bool
	// Min and Max bound a Whole number, or the count of ManyStrings or
	// ManyObjects, both ends included.
	Min, Max int64
	// NotZero refuses a Whole 0.
	NotZero bool
	// Bytes bounds a string, or each of ManyStrings. It is never zero there,
	// except beside an Enum.
	Bytes int
	// Enum are the only values of a string, if any.
	Enum []string
	// Path says that the values are paths: they may stand on record although
	// the call was refused.
	Path bool
	// Fields are what each of ManyObjects has. One that is named like a
	// parameter of the tool is described there.
	Fields []Param
}

// Wants says in words what the parameter takes.
func (p Param) Wants() string {
	switch p.Type {
	case Whole:
		s := "a whole number from " + Thousands(p.Min) + " to " + Thousands(p.Max)
		if p.NotZero {
			s += ", not 0"
		}
		return s
	case YesNo:
		return "true or false"
	case ManyObjects:
		names := make([]string, len(p.Fields))
		for i, f := range p.Fields {
			names[i] = f.Name
		}
		return fmt.Sprintf("a list of %d to %d objects with %s", p.Min, p.Max, strings.Join(names, ", "))
	case ManyStrings:
		return fmt.Sprintf("a list of %d to %d strings, each up to %s bytes", p.Min, p.Max, Thousands(int64(p.Bytes)))
	}
	if len(p.Enum) > 0 {
		quoted := make([]string, len(p.Enum))
		for i, e := range p.Enum {
			quoted[i] = strconv.Quote(e)
		}
		if len(quoted) == 1 {
			return quoted[0]
		}
		return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
	}
	return "a string of up to " + Thousands(int64(p.Bytes)) + " bytes"
}

// invalid is the refusal of one argument. It never quotes the value: it may
// be ten megabytes of anything.
func invalid(tool string, format string, args ...any) *reeve.Error {
	return &reeve.Error{Op: tool, Kind: reeve.Input, Code: reeve.Invalid,
		What: tool + ": " + fmt.Sprintf(format, args...), Not: "Nothing was done."}
}

// Invalid is the refusal of arguments that do not go together. The sentence
// has no full stop.
func Invalid(tool, what, instead string) *reeve.Error {
	e := invalid(tool, "%s", what)
	e.Instead = instead
	return e
}

// Thousands writes a number with a comma between each three digits.
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
