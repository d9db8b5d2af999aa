package attack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Saver is a person who saves a file over and over, as editors do, and looks
// each time at what the save put out of the way. What it has seen it counts as
// known: whatever else was saved must be found somewhere.
type Saver struct {
	Path string
	// InPlace truncates the file and writes into it, in pieces; else a new
	// file takes its place.
	InPlace bool

	// Saved are the contents that were saved, Seen what saves put out of the
	// way.
	Saved []string
	Seen  map[string]bool
}

// Save saves once. The anchor line stands in every save.
func (s *Saver) Save(anchor string) error {
	if s.Seen == nil {
		s.Seen = map[string]bool{}
	}
	text := fmt.Sprintf("%s\nsave %d\n%s", anchor, len(s.Saved), strings.Repeat("what a person wrote\n", 20+len(s.Saved)%50))
	save := s.over
	if s.InPlace {
		save = s.inPlace
	}
	old, err := save(text)
	if err != nil {
		return err
	}
	s.Saved = append(s.Saved, text)
	s.Seen[old] = true
	return nil
}

// over changes places with the file, so that nothing is missed between a look
// and the save.
func (s *Saver) over(text string) (old string, err error) {
	temp := filepath.Join(filepath.Dir(s.Path), "4913~")
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		return "", err
	}
	x, err := newExchange(temp, s.Path)
	if err != nil {
		return "", errors.Join(err, os.Remove(temp))
	}
	defer x.close()
	if err := x.swap(); err != nil {
		return "", err
	}
	b, err := os.ReadFile(temp)
	if err != nil {
		return "", err
	}
	return string(b), os.Remove(temp)
}

func (s *Saver) inPlace(text string) (old string, err error) {
	f, err := os.OpenFile(s.Path, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return "", err
	}
	if err := f.Truncate(0); err != nil {
		return "", err
	}
	for at := 0; at < len(text); {
		n, err := f.WriteAt([]byte(text[at:min(at+300, len(text))]), int64(at))
		if err != nil {
			return "", err
		}
		at += n
	}
	return string(b), nil
}

// Unknown gives the saves that neither stand in the file nor were seen by
// their own writer later: somebody else must have them.
func (s *Saver) Unknown(final string) (out []string) {
	for _, text := range s.Saved {
		if text != final && !s.Seen[text] {
			out = append(out, text)
		}
	}
	return out
}
