package guard

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

// brokenHistory fails as on a full disk, as a whole or for the one thing.
type brokenHistory struct{ kept []Kept }

func (brokenHistory) Would(int64, int64) (time.Duration, string) { return time.Hour, "" }
func (b brokenHistory) Keep(context.Context, Made, func()) ([]Kept, error) {
	if b.kept == nil {
		return nil, errors.New("no room")
	}
	return b.kept, nil
}

// putAside is something displaced that tells what was done to it.
type putAside struct {
	capfs.Displaced
	left, gone bool
}

func (p *putAside) Release() error { p.gone = true; return nil }
func (p *putAside) Leave() error   { p.left = true; return nil }

// The only copy of what was replaced is not removed because the history's
// disk is full; what is beyond its bounds, as was said before, goes.
func TestWhatCouldNotBeKeptStays(t *testing.T) {
	for name, c := range map[string]struct {
		history brokenHistory
		stays   bool
		says    string
	}{
		"no entry could be written": {brokenHistory{}, true, "could be kept: it could not be written. It lies beside it as .reeve-x"},
		"no copy could be written":  {brokenHistory{[]Kept{{"there is no room left", true}}}, true, "there is no room left. It lies beside it as .reeve-x"},
		"beyond the bounds":         {brokenHistory{[]Kept{{"it is larger than 64 MiB", false}}}, false, "was kept: it is larger than 64 MiB"},
		"kept":                      {brokenHistory{[]Kept{{}}}, false, ""},
	} {
		g := &Gate{o: Options{History: c.history, Now: time.Now}}
		call := &call{Request: reeve.Request{Call: &arg{verb: "put"}}, reply: newReply(0, nil)}
		d := &putAside{}
		g.keep(context.Background(), call, capfs.Receipt{Done: []capfs.Done{{Displaced: d, Change: reeve.Change{Temp: ".reeve-x"}}}}, nil)
		if d.left != c.stays || d.gone == c.stays {
			t.Errorf("%s: left %v, gone %v", name, d.left, d.gone)
		}
		if said := joinedNotes(call.reply.notes); !strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s: %q", name, said)
		}
	}
}

func joinedNotes(notes []reeve.Text) string {
	var all []string
	for _, n := range notes {
		all = append(all, n.String())
	}
	return strings.Join(all, " ")
}
