package record

import (
	"strconv"
	"time"
	"unicode/utf8"

	"reeve"
	"reeve/internal/pathname"
)

// Rows are written by hand: a read should cost its row a few microseconds.
// Reading them back uses the field names of reeve.Row, and a test holds the
// two together.

// appendRow writes the fields of a row, without braces.
func appendRow(b []byte, r *reeve.Row) []byte {
	b = append(b, `"time":"`...)
	b = r.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	b = text(b, "event", r.Event, true)
	b = text(b, "call", r.Call, false)
	b = text(b, "target", string(r.Target), false)
	if r.Subject != (reeve.Subject{}) {
		b = appendSubject(append(b, `,"subject":{`...), &r.Subject)
		b = append(b, '}')
	}
	b = text(b, "verb", string(r.Verb), false)
	if len(r.Effects) > 0 {
		b = append(b, `,"effects":[`...)
		for i := range r.Effects {
			b = appendEffect(comma(b, i), &r.Effects[i])
		}
		b = append(b, ']')
	}
	if len(r.Asked) > 0 {
		b = append(b, `,"asked":[`...)
		for i, s := range r.Asked {
			b = appendString(comma(b, i), s)
		}
		b = append(b, ']')
	}
	b = text(b, "verdict", string(r.Verdict), false)
	b = text(b, "rule", r.Rule, false)
	b = text(b, "kind", string(r.Kind), false)
	b = text(b, "code", string(r.Code), false)
	b = number(b, "bytes", r.Bytes)
	b = number(b, "lines", r.Lines)
	b = number(b, "files", int64(r.Files))
	b = text(b, "digest", r.Digest, false)
	b = number(b, "took", int64(r.Took))
	b = text(b, "note", r.Note, false)
	return text(b, "patch", r.Patch, false)
}

func appendSubject(b []byte, s *reeve.Subject) []byte {
	n := len(b)
	b = text(b, "kind", string(s.Kind), false)
	b = text(b, "agent", s.Agent, false)
	b = text(b, "door", s.Door, false)
	b = text(b, "session", s.Session, false)
	if s.SessionTold {
		b = append(b, `,"session_told":true`...)
	}
	b = text(b, "turn", s.Turn, false)
	b = text(b, "connection", s.Connection, false)
	return append(b[:n], b[n+1:]...) // the first field's comma
}

func appendEffect(b []byte, e *reeve.RowEffect) []byte {
	b = appendString(append(b, `{"kind":`...), string(e.Kind))
	b = text(b, "path", e.Path, true)
	b = text(b, "to", e.To, false)
	b = text(b, "before", e.Before, false)
	b = text(b, "after", e.After, false)
	b = text(b, "temp", e.Temp, false)
	b = text(b, "refused", string(e.Refused), false)
	b = text(b, "rule", e.Rule, false)
	return append(b, '}')
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

func text(b []byte, name, s string, always bool) []byte {
	if s == "" && !always {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return appendString(b, s)
}

func number(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strconv.AppendInt(b, n, 10)
}

// appendString writes a JSON string. What is not UTF-8 is written in the
// escaped form of names, since JSON would turn it into other text.
func appendString(b []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = pathname.Escape(s)
	}
	b = append(b, '"')
	done := 0 // what needs no escape goes over in one piece
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		b = append(b, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		default:
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[done:]...), '"')
}
