package cli

import (
	"time"

	"reeve"
	"reeve/internal/record"
	"reeve/node"
)

// clientFindings tells which agents' clients were asked to show a question in
// the last week and brought no answer.
func clientFindings(state string, now time.Time) []finding {
	const most = 5
	var out []finding
	known := map[string]bool{}
	for e, err := range record.Rows(state, record.Filter{Since: now.Add(-7 * 24 * time.Hour), Event: "answer"}) {
		if err != nil {
			return out // the record's own finding says so
		}
		r := e.Row
		if r.Rule != node.Elicited || r.Code != reeve.NoChannel || known[r.Subject.Agent+r.Note] || len(out) == most {
			continue
		}
		known[r.Subject.Agent+r.Note] = true
		out = append(out, finding{"agent's client", "note", agentName(r.Subject) + ": " + r.Note + " (" + r.Time.Local().Format("2006-01-02 15:04") + ")",
			"answer with `reeve console` or `reeve approve`; elicitation = \"never\" in the configuration keeps clients out of it"})
	}
	return out
}
