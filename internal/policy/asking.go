package policy

import "time"

// defaultWait is how long a call waits for the owner: many clients give a
// call up after 60 s.
const defaultWait = 45 * time.Second

// Asking is how the owner is asked, as the configuration has it.
type Asking struct {
	// Elicitation lets the agent's own client show a question and bring its
	// answer, where nobody else can be asked.
	Elicitation bool
	// OpenConsole lets a question that finds no channel open a page in the
	// browser, and a question on a page be told by a notice on the desktop.
	OpenConsole bool
	// Wait is how long a call waits for an answer; 0 is not at all.
	Wait time.Duration
}

// Asking says how the owner is asked.
func (p *Policy) Asking() Asking { return p.asking }

func askingOf(c Config) Asking {
	a := Asking{Elicitation: c.Elicitation != "never", OpenConsole: c.OpenConsole != "never", Wait: defaultWait}
	switch {
	case c.WaitSeconds < 0:
		a.Wait = 0
	case c.WaitSeconds > 0:
		a.Wait = time.Duration(c.WaitSeconds) * time.Second
	}
	if c.Broken { // what it meant is not known
		a.Elicitation, a.OpenConsole = false, false
	}
	return a
}
