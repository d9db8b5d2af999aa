package node

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"reeve"
	"reeve/internal/capfs"
	"reeve/internal/guard"
	"reeve/internal/pathname"
	"reeve/internal/policy"
)

// source gives the policy in force. It looks at the configuration before
// every call, and reads it again when it has changed, so that a grant or its
// end counts from the next call on.
type source struct {
	config string
	places Places
	run    policy.Run
	files  *capfs.FS
	now    func() time.Time
	known  knownRoots
	// keeps are the roots that the state folder remembers: all but those that
	// were named for this run.
	keeps atomic.Pointer[map[reeve.RootID]bool]

	force atomic.Pointer[inForce]
	mu    sync.Mutex // one reading at a time
}

// inForce is one policy and what it was made from.
type inForce struct {
	policy   *policy.Policy
	current  guard.Current
	problems []policy.Problem
	config   seenFile
	token    seenFile
	recent   bool
}

// Current implements guard.Policies.
func (s *source) Current(context.Context) (guard.Current, error) {
	f, err := s.get()
	if err != nil {
		return guard.Current{}, err
	}
	return f.current, nil
}

func (s *source) get() (*inForce, error) {
	now := s.now()
	config, recent := look(s.config, now)
	token, _ := look(generationFile(s.config), now)
	if f := s.force.Load(); f != nil && !f.recent && f.config == config && f.token == token {
		return f, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.force.Load()
	if f != nil && !f.recent && f.config == config && f.token == token {
		return f, nil
	}
	next, err := s.read()
	if err != nil {
		return nil, err
	}
	next.config, next.token, next.recent = config, token, recent
	if f != nil {
		next.current.Generation = f.current.Generation + 1
		if f.config == config && f.token == token {
			next.current.Generation = f.current.Generation // looked again, nothing new
		}
	}
	next.problems = append(next.problems, s.grant(next.policy)...)
	s.force.Store(next)
	return next, nil
}

// read makes a policy from the file as it is. A file that cannot be read is
// one that allows nothing.
func (s *source) read() (*inForce, error) {
	var cfg policy.Config
	var problems []policy.Problem
	data, err := readConfig(s.config)
	if err != nil {
		cfg = policy.Config{File: s.config, Broken: true}
		problems = []policy.Problem{{File: s.config, What: "cannot be read (" + cause(err) + "), so nothing is allowed"}}
	} else {
		cfg, problems = policy.ParseConfig(s.config, data)
	}
	profile, err := policy.LoadProfile(policy.ProfileName(cfg, s.run))
	if err != nil {
		return nil, err
	}
	p, more := policy.Compile(environment(s.config, s.places), profile, cfg, s.run)
	return &inForce{
		policy:   p,
		problems: append(problems, more...),
		current: guard.Current{Rules: p, Settings: p.Settings(), Paths: p.PathContext(),
			Enabled: p.Enabled(), Off: p.Off(), Generation: 1},
	}, nil
}

// grant makes the policy's folders the ones that are held. While nothing is
// served, nothing is held.
func (s *source) grant(p *policy.Policy) []policy.Problem {
	if !p.Enabled() {
		s.files.SetGrants(nil, nil)
		return nil
	}
	var grants []capfs.Grant
	keeps := map[reeve.RootID]bool{}
	for _, r := range p.Grants() {
		g := capfs.Grant{ID: capfs.RootID(r.Path), Path: r.Path, Access: r.Access, Create: r.Create}
		if r.Source != policy.FromCommandLine {
			keeps[g.ID] = true
		}
		grants = append(grants, g)
	}
	s.keeps.Store(&keeps)
	var narrow []capfs.Narrowing
	for _, n := range p.Narrowings() {
		narrow = append(narrow, capfs.Narrowing{Path: n.Path, Kind: n.Kind, Rule: n.Rule, Folder: n.Folder})
	}
	for range 4 {
		for i := range grants {
			if g := &grants[i]; keeps[g.ID] {
				g.Known = s.known.of(g.Path)
			}
		}
		again, problems := s.first(s.files.SetGrants(grants, narrow), keeps)
		if !again {
			return problems
		}
	}
	return []policy.Problem{{File: s.config, What: "names folders that other processes keep replacing"}}
}

// first remembers folders that are opened for the first time. Again says that
// another process was quicker: what it opened counts.
func (s *source) first(roots []capfs.Status, keeps map[reeve.RootID]bool) (again bool, problems []policy.Problem) {
	for _, r := range roots {
		if !keeps[r.ID] || r.State != reeve.StateOpen || r.Known.Real != "" {
			continue
		}
		switch err := s.known.remember(r.Path, r.Held, "first use", true); {
		case errors.Is(err, errKnown):
			// Both may have opened the same one.
			again = again || s.known.of(r.Path) != r.Held
		case err != nil:
			problems = append(problems, policy.Problem{File: s.config, What: "grants " + pathname.EscapePath(r.Path) +
				", and what stands there now could not be remembered (" + cause(err) + "): after a restart another folder could pass for it"})
		}
	}
	return again, problems
}

// happened notes what became of a root between calls.
func (s *source) happened(e capfs.Event) error {
	if keeps := s.keeps.Load(); keeps == nil || !(*keeps)[e.Root.ID] {
		return nil
	}
	return s.known.happened(e)
}

// environment is what the rules need to know of this computer. It is made
// anew at each reading, since links may have changed.
func environment(config string, p Places) policy.Env {
	e := policy.Env{Home: p.Home, DataHome: p.Data, ConfigDir: p.ConfigDir, StateDir: p.State,
		GOOS: runtime.GOOS, Real: map[string]string{}}
	e.WorkDir, _ = os.Getwd()
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		e.ConfigHome = fromEnv("XDG_CONFIG_HOME", "")
	}
	for _, path := range []string{p.Home, p.Data, e.ConfigDir, p.State, e.ConfigHome} {
		if path == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			e.Real[path] = real
		}
	}
	// The usual state folder is Reeve's own also while REEVE_STATE names
	// another: another Reeve may use it.
	if usual := placesOf(p.Home, fromEnv).State; p.Home != "" && usual != p.State {
		e.Own = append(e.Own, usual)
	}
	// A configuration outside Reeve's folder, or one that is a link into a
	// folder of other things, is Reeve's own by itself, where it really is too.
	for _, file := range []string{config, config + ".lock", generationFile(config)} {
		e.Own = append(e.Own, file)
		if real, err := filepath.EvalSymlinks(file); err == nil && real != file {
			e.Own = append(e.Own, real)
		}
	}
	return e
}

func runOf(c Config) policy.Run {
	r := policy.Run{Profile: c.Profile, Approve: c.Approve, ReadOnly: c.ReadOnly, Enabled: len(c.Folders) > 0}
	for _, f := range c.Folders {
		if f.Access == reeve.ReadWrite {
			r.WriteRoots = append(r.WriteRoots, f.Path)
		} else {
			r.ReadRoots = append(r.ReadRoots, f.Path)
		}
	}
	return r
}
