package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"reeve"
)

// A call that a door could not read stands on record with its paths, as far
// as they were readable, and bounded.
func TestUnreadCallsAreRecordedWithTheirPaths(t *testing.T) {
	r := newRig(t)
	e := &reeve.Error{Kind: reeve.Input, Code: reeve.Invalid, What: "there is no parameter"}
	put := func(u *reeve.Unread) reeve.Row {
		t.Helper()
		r.wantCode(r.gate.Refused(context.Background(), reeve.Request{ID: "7", Subject: reeve.Subject{Agent: "t"}, Call: u}, e), reeve.Invalid)
		rows := r.record.list
		return rows[len(rows)-1]
	}
	row := put(&reeve.Unread{Tool: "peek", Paths: []string{"/home/ann/proj/a.txt", "new\nline"}})
	if row.Verb != "peek" || row.Call != "7" || row.Verdict != reeve.Refuse || row.Code != reeve.Invalid || row.Subject.Kind != reeve.Agent ||
		len(row.Asked) != 2 || row.Asked[0] != "/home/ann/proj/a.txt" || strings.Contains(row.Asked[1], "\n") {
		t.Errorf("%+v", row)
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprint(strings.Repeat("x", 10_000), i))
	}
	row = put(&reeve.Unread{Tool: "peek", Paths: many})
	if b, _ := json.Marshal(row); len(b) > 12<<10 || !slices.Contains(row.Asked, "…") {
		t.Errorf("a row of %d bytes", len(b))
	}
	// Nothing does such a call, whatever it calls itself.
	_, err := r.do(&reeve.Unread{Tool: "peek", Paths: []string{"/home/ann/proj/a.txt"}})
	if err == nil {
		t.Error("a call that was not read was done")
	}
}
