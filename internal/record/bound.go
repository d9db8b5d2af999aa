package record

import (
	"crypto/sha256"
	"unicode/utf8"

	"reeve"
)

const (
	detailRoom = len(`,"detail":{"at":9223372036854775807,"size":9223372036854775807,"sha256":""}`) + 2*sha256.Size
	cutRoom    = len(`,"cut":""`) + 6*cutMax
	cutMax     = 80
)

// bounded encodes a row. One that is too long for a line is cut, and given
// back whole beside it, to be kept as a detail.
func bounded(b []byte, r *reeve.Row) (body, whole []byte) {
	b = appendRow(b, r)
	if len(b) <= maxBody {
		return b, nil
	}
	whole = append(append(append(make([]byte, 0, len(b)+3), '{'), b...), '}') // and a newline
	if r.Patch != "" {                                                        // the first thing that a line does without
		c := *r
		c.Patch = ""
		if b = appendRow(b[:0], &c); len(b)+detailRoom+cutRoom <= maxBody {
			return b, whole
		}
	}
	for _, l := range []limits{{6, 4, 200}, {3, 2, 120}, {1, 1, 60}, {0, 0, 20}} {
		c := l.cut(*r)
		if b = appendRow(b[:0], &c); len(b)+detailRoom+cutRoom <= maxBody {
			break
		}
	}
	return b, whole
}

// limits are how much of a row stays: effects, paths asked for, bytes of each
// text.
type limits struct{ effects, asked, text int }

func (l limits) cut(r reeve.Row) reeve.Row {
	t := func(s string) string { return cutText(s, l.text) }
	effects := make([]reeve.RowEffect, 0, l.effects)
	for _, e := range r.Effects[:min(l.effects, len(r.Effects))] {
		effects = append(effects, reeve.RowEffect{Kind: reeve.EffectKind(t(string(e.Kind))), Path: t(e.Path), To: t(e.To), Before: cutText(e.Before, 45), After: cutText(e.After, 45),
			Temp: cutText(e.Temp, 45), Refused: reeve.Code(t(string(e.Refused))), Rule: t(e.Rule)})
	}
	asked := make([]string, 0, l.asked)
	for _, s := range r.Asked[:min(l.asked, len(r.Asked))] {
		asked = append(asked, t(s))
	}
	r.Effects, r.Asked, r.Patch = effects, asked, ""
	for _, s := range []*string{&r.Event, &r.Call, (*string)(&r.Target), (*string)(&r.Verb), (*string)(&r.Verdict), &r.Rule,
		(*string)(&r.Kind), (*string)(&r.Code), &r.Note, (*string)(&r.Subject.Kind), &r.Subject.Agent, &r.Subject.Door,
		&r.Subject.Session, &r.Subject.Turn, &r.Subject.Connection} {
		*s = t(*s)
	}
	r.Digest = cutText(r.Digest, 64)
	return r
}

// cutText cuts a text to about n bytes, and shows that it did.
func cutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)] + "…"
}
