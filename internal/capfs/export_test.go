package capfs

import (
	"os"
	"syscall"
)

// Uncarried is the system's answer when something of a file cannot be given
// to a new one.
func Uncarried() error { return &uncarried{"its owner", syscall.EPERM} }

// Imitation is a file system that has less than this computer's: it changes what
// the system answers, before a committer sees it.
type Imitation struct {
	Exchange string // "lies" (a rename that replaces), "none"
	Keep     string // "lies", "none"
	Link     string // "none"
	Unnamed  string // "none"
}

// Imitate makes a committer see another kind of file system.
func (l *Ladder) Imitate(i Imitation) {
	l.wrap = func(s site) site {
		s.shifter = &imitator{s.shifter, i}
		s.maker = &imitatedMaker{s.maker, i}
		return s
	}
}

type imitator struct {
	shifter
	i Imitation
}

func (m *imitator) shift(name string, to site, as string, how shift) error {
	what := map[shift]string{exchange: m.i.Exchange, keep: m.i.Keep}[how]
	switch what {
	case "none":
		return errUnable
	case "lies":
		how = over
	}
	return m.shifter.shift(name, to, as, how)
}

func (m *imitator) link(name string, to site, as string) error {
	if m.i.Link == "none" {
		return syscall.EPERM
	}
	return m.shifter.link(name, to, as)
}

type imitatedMaker struct {
	maker
	i Imitation
}

func (m *imitatedMaker) fresh(hidden string, mode uint32) (*os.File, error) {
	if hidden == "" && m.i.Unnamed == "none" {
		return nil, errUnable
	}
	return m.maker.fresh(hidden, mode)
}
