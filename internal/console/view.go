package console

import (
	"fmt"
	"strings"
	"time"

	"reeve/internal/approval"
	"reeve/internal/pathname"
)

// card is a question as the page shows it. All text in it is visible text; the
// page puts it in as text and never as markup.
type card struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Path        string   `json:"path"`
	Body        []string `json:"body"`
	Detail      []string `json:"detail,omitempty"`
	Out         *leftOut `json:"out,omitempty"`
	Destructive bool     `json:"destructive,omitempty"`
	OwnerOnly   bool     `json:"ownerOnly,omitempty"`
	Lasting     bool     `json:"lasting,omitempty"`
	Agent       string   `json:"agent"`
	// Age and Left are seconds at the time of sending: the page counts on by
	// itself, whatever the browser's clock says.
	Age  int `json:"age"`
	Left int `json:"left"`
}

// leftOut is what Detail leaves out of the change, which can be loaded whole;
// Beyond says that even that is not all of it.
type leftOut struct {
	Words  string `json:"words"`
	Gone   int64  `json:"gone,omitempty"`
	New    int64  `json:"new,omitempty"`
	Beyond bool   `json:"beyond,omitempty"`
}

// settled is a question that waits no more.
type settled struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Path  string `json:"path"`
	Said  string `json:"said"`
	Yes   bool   `json:"yes,omitempty"`
	at    time.Time
}

func viewOf(c approval.Card, now time.Time) card {
	q := c.Question
	body := strings.Split(visible(q.Body), "\n")
	v := card{ID: c.ID, Title: visible(q.Title), Path: body[0], Body: body[1:], Destructive: q.Destructive,
		OwnerOnly: q.HumanOnly, Lasting: approval.Lasting(q), Agent: agent(c),
		Age: seconds(now.Sub(c.Made)), Left: seconds(c.Expires.Sub(now))}
	if q.Detail != "" {
		v.Detail = strings.Split(strings.TrimSuffix(visible(q.Detail), "\n"), "\n")
	}
	if l := q.Left; l != nil {
		v.Out = &leftOut{Words: l.String(), Gone: l.Gone, New: l.New, Beyond: l.Beyond}
	}
	return v
}

func seconds(d time.Duration) int { return max(0, int(d/time.Second)) }

// agent names who asks: the name that the client gives itself is no proof.
func agent(c approval.Card) string {
	name := visible(c.Subject.Agent)
	if name == "" {
		name = "an agent without a name"
	}
	return name
}

// visible writes out the characters that hide themselves or reorder others,
// but for line ends and tabs. What is visible already stays as it is.
func visible(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		parts := strings.Split(l, "\t")
		for k, p := range parts {
			parts[k] = pathname.Visible(p)
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}

// said is what an answer came to, in the page's words.
func said(yes bool, minutes int) string {
	switch {
	case !yes:
		return "Declined."
	case minutes > 0:
		return fmt.Sprintf("Allowed, and for %d minutes on this file.", minutes)
	}
	return "Allowed."
}

// outcome says what has become of a question that waits no more.
func outcome(state approval.State, a *approval.Answer) (string, bool) {
	switch {
	case state == approval.Expired, state == approval.NotThere:
		return "Nobody answered in time. Nothing was changed.", false
	case a == nil:
		return "Answered elsewhere.", false
	}
	text := strings.TrimSuffix(said(a.Yes, a.Minutes), ".")
	switch a.Channel {
	case "console":
		text += " here."
	case "approve":
		text += " with `reeve approve`."
	case "terminal":
		text += " at a terminal."
	case "elicitation":
		text += " in the agent's own window."
	default:
		text += " elsewhere."
	}
	return text, a.Yes
}
