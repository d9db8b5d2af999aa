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
	left, gone, taken bool
}

func (p *putAside) Release() error { p.gone = true; return nil }
func (p *putAside) Leave() bool    { p.left = true; return !p.taken }

// The only copy of what was replaced is not removed because the history's
// disk is full; what is beyond its bounds, as was said before, goes.
func TestWhatCouldNotBeKeptStays(t *testing.T) {
	for name, c := range map[string]struct {
		history      brokenHistory
		taken, stays bool
		says         string
	}{
		"no entry could be written": {brokenHistory{}, false, true, "could be kept: it could not be written. It lies beside it as .reeve-x"},
		"no copy could be written":  {brokenHistory{[]Kept{{Why: "there is no room left", Failed: true}}}, false, true, "there is no room left. It lies beside it as .reeve-x"},
		"taken, and not entered":    {brokenHistory{}, true, true, "could not be written. It is with what Reeve keeps, and the next start"},
		"beyond the bounds":         {brokenHistory{[]Kept{{Why: "it is larger than 64 MiB"}}}, false, false, "No copy of the old"},
		"in part":                   {brokenHistory{[]Kept{{Why: "1 of what is in it could not be kept", Part: true}}}, false, false, "Not all of the old"},
		"kept":                      {brokenHistory{[]Kept{{}}}, false, false, ""},
	} {
		g := &Gate{o: Options{History: c.history, Now: time.Now}}
		call := &call{Request: reeve.Request{Call: &arg{verb: "put"}}, reply: newReply(0, nil)}
		d := &putAside{taken: c.taken}
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
