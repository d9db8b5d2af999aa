package policy

import "reeve"

// Approval is what is done before an effect.
type Approval string

const (
	// AskTurn asks once for a path and a turn.
	AskTurn Approval = "turn"
	AskEach Approval = "ask" // every time
	Free    Approval = "allow"
	Never   Approval = "refuse"
)

// Approvals says for each kind of effect what is asked. The keys are those
// of ApprovalKeys.
type Approvals map[string]Approval

// Keys of Approvals beside the effects that have their own name.
const (
	keyRemoveFolder = "remove_folder"
	keyControl      = "control"
)

// ApprovalKeys lists the rows of the approvals table. "remove_folder" is the
// removal of a folder, "control" any change of a control file.
func ApprovalKeys() []string {
	return []string{string(reeve.EffectCreate), string(reeve.EffectReplace), string(reeve.EffectMkdir),
		string(reeve.EffectMove), string(reeve.EffectRemove), keyRemoveFolder, string(reeve.EffectSend), keyControl}
}

// approvalWords are the values that a row can take. An answer is remembered
// only for what leaves something to come back to, and control files are
// asked or refused in every profile.
func approvalWords(key string) []string {
	switch key {
	case string(reeve.EffectCreate), string(reeve.EffectReplace), string(reeve.EffectMkdir):
		return []string{string(AskTurn), string(AskEach), string(Free), string(Never)}
	case keyControl:
		return []string{string(AskEach), string(Never)}
	}
	return []string{string(AskEach), string(Free), string(Never)}
}

// approvals reads the table. A row that cannot be read is asked, whatever
// the profile says: the owner wanted something there, and a question is the
// careful guess.
func (r *reader) approvals(v *value, entry string) Approvals {
	if !r.kind(v, entry, group, `[approvals] and below it create = "ask"`) {
		return nil
	}
	known := ApprovalKeys()
	out := Approvals{}
	for _, key := range v.group.keys {
		row := v.group.at[key]
		if !contains(known, key) {
			r.unknown(row, "approvals", key, known)
			continue
		}
		w, ok := r.word(row, "approvals."+key, approvalWords(key))
		if !ok {
			last := &r.problems[len(r.problems)-1]
			last.What += "; it is asked every time"
			w = string(AskEach)
		}
		out[key] = Approval(w)
	}
	return out
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// approvalKey is the row that an effect on a thing belongs to.
func approvalKey(k reeve.EffectKind, on reeve.FileKind) string {
	if k == reeve.EffectRemove && on == reeve.Directory {
		return keyRemoveFolder
	}
	return string(k)
}
