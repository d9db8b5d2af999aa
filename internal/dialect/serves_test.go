package dialect

import (
	"testing"

	"reeve"
)

// A model that may only read is not shown tools that could only refuse.
func TestToolsThatAreOfUse(t *testing.T) {
	read, write := &Tool{ReadOnly: true}, &Tool{}
	for _, tt := range []struct {
		what        string
		facts       Facts
		read, write bool
	}{
		{"off", Facts{Roots: []Root{{Access: reeve.ReadWrite}}}, false, false},
		{"nothing granted", Facts{Enabled: true}, true, false},
		{"for reading", Facts{Enabled: true, Roots: []Root{{Access: reeve.Read}}}, true, false},
		{"one of two for writing", Facts{Enabled: true, Roots: []Root{{Access: reeve.Read}, {Access: reeve.ReadWrite}}}, true, true},
	} {
		if r, w := tt.facts.Serves(read), tt.facts.Serves(write); r != tt.read || w != tt.write {
			t.Errorf("%s: reading %v, writing %v", tt.what, r, w)
		}
	}
}
