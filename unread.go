package reeve

// Unread is a call that a door refused before it became one: its arguments
// could not be taken, or there is no such tool. It exists so that the refusal
// can stand on record; nothing does it, and it crosses no wire.
type Unread struct {
	// Tool is the verb where the door knows it, else what was asked for,
	// escaped and bounded.
	Tool Verb
	// Paths are those that the arguments name, as written, as far as they
	// could be read. Nothing else of the arguments is kept.
	Paths []string
}

// Verb implements Call.
func (u *Unread) Verb() Verb { return u.Tool }
