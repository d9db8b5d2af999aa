package policy

import "reeve"

// ask turns a question into what is really done: by the table, by the run's
// --approve, and for the owner, who skips being asked and nothing else.
func (p *Policy) ask(s reeve.Subject, key string, d reeve.Decision) reeve.Decision {
	switch p.approvals[key] {
	case Never:
		return reeve.Decision{Verdict: reeve.Refuse, Rule: "approvals: " + key, Code: reeve.Declined,
			Reason: "is refused: the rules in force allow no " + words(key)}
	case Free:
		return reeve.Decision{Verdict: reeve.Allow, Rule: "approvals: " + key, Reason: "is allowed without asking"}
	}
	switch {
	case s.IsOwner():
		return reeve.Decision{Verdict: reeve.Allow, Rule: "owner", Reason: "is asked by the owner"}
	case p.run.Approve == "" || p.run.Approve == "ask":
		return d
	case p.run.Approve == "allow" && key != keyControl:
		return reeve.Decision{Verdict: reeve.Allow, Rule: "approve: allow", Reason: "is allowed: this run says yes to what would be asked"}
	case p.run.Approve == "allow":
		return d
	}
	return reeve.Decision{Verdict: reeve.Refuse, Rule: "approve: deny", Code: reeve.Declined,
		Reason: "would need the owner's yes, and this run says no to what would be asked"}
}

// words names a row of the approvals table in a sentence.
func words(key string) string {
	switch key {
	case string(reeve.EffectCreate):
		return "new files"
	case string(reeve.EffectReplace):
		return "changes of files"
	case string(reeve.EffectMkdir):
		return "new folders"
	case string(reeve.EffectMove):
		return "moves"
	case string(reeve.EffectRemove):
		return "removal of files"
	case keyRemoveFolder:
		return "removal of folders"
	case string(reeve.EffectSend):
		return "sending to another computer"
	}
	return "changes of control files"
}
