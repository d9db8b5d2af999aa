package attack

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ModelClient is one way in which clients hand a tool's result to the model.
type ModelClient struct {
	Name string
	// Sees gives what the model reads of a result, the JSON object under
	// "result" of a tools/call reply.
	Sees func(result []byte) (string, error)
}

// ModelClients are the three kinds there are: those that show `content`
// alone, those that show `structuredContent` alone when there is one, and
// those that show both.
func ModelClients() []ModelClient {
	return []ModelClient{
		{"content only", func(b []byte) (string, error) {
			content, _, err := parts(b)
			return content, err
		}},
		{"structured when present", func(b []byte) (string, error) {
			content, structured, err := parts(b)
			if structured != "" {
				return structured, err
			}
			return content, err
		}},
		{"both", func(b []byte) (string, error) {
			content, structured, err := parts(b)
			return strings.TrimSuffix(content+"\n"+structured, "\n"), err
		}},
	}
}

// parts gives the text of a result's content blocks, one after another, and
// its structured content as JSON, "" if there is none.
func parts(result []byte) (content, structured string, err error) {
	var r struct {
		Content []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			MIMEType string `json:"mimeType"`
			Resource struct {
				Text string `json:"text"`
			} `json:"resource"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", "", fmt.Errorf("not a tool's result: %w", err)
	}
	var texts []string
	for _, c := range r.Content {
		switch c.Type {
		case "text":
			texts = append(texts, c.Text)
		case "resource":
			texts = append(texts, c.Resource.Text)
		case "image", "audio":
			texts = append(texts, "["+c.Type+" "+c.MIMEType+"]")
		}
	}
	if s := string(r.Structured); s != "" && s != "null" {
		// Decoded text, as a model reads it, not the escapes of a string.
		var v any
		if err := json.Unmarshal(r.Structured, &v); err != nil {
			return "", "", err
		}
		structured = flat(v)
	}
	return strings.Join(texts, "\n"), structured, nil
}

func flat(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var b []string
		for _, x := range v {
			b = append(b, flat(x))
		}
		return strings.Join(b, "\n")
	case map[string]any:
		var b []string
		for k, x := range v {
			b = append(b, k+": "+flat(x))
		}
		return strings.Join(b, "\n")
	}
	return fmt.Sprint(v)
}
