package dialect

import (
	"encoding/json"

	"reeve"
)

// Surface is everything a client is told of a tool, under its settings. Its
// JSON is how the protocol lists tools, and what the snapshots hold.
type Surface struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations Annotations     `json:"annotations"`
}

// Annotations are what clients act on without asking the model.
type Annotations struct {
	Title           string `json:"title"` // while it runs
	ReadOnlyHint    bool   `json:"readOnlyHint"`
	DestructiveHint bool   `json:"destructiveHint"`
	IdempotentHint  bool   `json:"idempotentHint"`
	OpenWorldHint   bool   `json:"openWorldHint"`
}

// Surface makes the tool's surface.
func (t *Tool) Surface(s reeve.Settings) (Surface, error) {
	schema, err := t.Schema(s)
	return Surface{
		Name: t.Name, Title: t.Title, Description: t.Prose.Description, InputSchema: schema,
		Annotations: Annotations{Title: t.Label, ReadOnlyHint: t.ReadOnly, DestructiveHint: t.Destructive,
			IdempotentHint: t.Idempotent, OpenWorldHint: t.OpenWorld},
	}, err
}
