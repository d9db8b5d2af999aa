package capfs

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"reeve"
)

// taken is a granted folder as it was last taken up. It never changes: a
// root that was replaced gets another one.
type taken struct {
	node  Node
	info  Info
	real  string
	state reeve.RootState
	note  string
	m     *mount
	fsys  FileSystem
	marks []reeve.Mark
	// blank: nobody could look at the granted path so far.
	blank bool
	// was is what the path is compared with while the root is not open.
	was Known

	refs atomic.Int64
}

// keep adds a holder, unless the last one has gone.
func (t *taken) keep() bool {
	for {
		n := t.refs.Load()
		if n <= 0 {
			return false
		}
		if t.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (t *taken) drop() {
	if t != nil && t.refs.Add(-1) == 0 && t.node != nil {
		t.node.Close()
	}
}

// take holds a granted folder by a walk without any link. Where nothing is
// known of it, the granted path's links are followed, this once. The kind is
// what the record should be told, empty where all is as it was.
func (fs *FS) take(g Grant) (*taken, EventKind, error) {
	if !filepath.IsAbs(g.Path) && !strings.HasPrefix(g.Path, "/") {
		return &taken{state: reeve.StateLost, note: "its path is not absolute"}, "", nil
	}
	if g.Known.Real != "" {
		return fs.takeKnown(g, g.Known)
	}
	real, err := fs.layer.Real(g.Path)
	if missing(err) {
		real = fs.realOfMissing(g.Path)
		t := &taken{state: reeve.StateLost, real: real, note: "there is nothing at its path", was: Known{Real: real}}
		if g.Create {
			t.state, t.note = reeve.StatePending, notYet
		}
		return t, "", nil
	}
	if err != nil {
		return nil, "", failure("grant", "", err)
	}
	t, err := fs.takePlain(real)
	if errors.Is(err, ErrNotPlain) {
		return suspended("it is no folder", Known{Real: real}), "", nil
	}
	return t, "", err
}

const notYet = "it does not exist yet"

// takeKnown compares what stands at the real path with what is known of it: a
// new plain folder of the same owner is taken up, nothing is a loss, and
// anything else waits for the owner.
func (fs *FS) takeKnown(g Grant, was Known) (*taken, EventKind, error) {
	t, err := fs.takePlain(was.Real)
	switch {
	case missing(err):
		t = &taken{state: reeve.StateLost, real: was.Real, note: "there is nothing at its path any more", was: was}
		if g.Create {
			t.state, t.note = reeve.StatePending, notYet
			return t, "", nil
		}
		return t, RootIsLost, nil
	case errors.Is(err, ErrNotPlain), errors.Is(err, syscall.ELOOP):
		return suspended("a link or something that is no folder stands at its path", was), RootIsSuspended, nil
	case err != nil:
		return nil, "", err
	}
	same := t.info.SameFile(was.Identity)
	why := ""
	switch {
	case same:
	case was.Suspended != "":
		why = was.Suspended
	case !sameOwner(was, t.info):
		why = "another user's folder stands at its path"
	}
	if why == "" && g.Path != was.Real {
		if via, err := fs.layer.Stat(g.Path, true); err != nil && !missing(err) {
			t.node.Close()
			return nil, "", failure("grant", "", err)
		} else if err != nil || !via.SameFile(t.info.Identity) {
			why = "its path leads to another folder now"
		}
	}
	switch {
	case why != "":
		t.node.Close()
		return suspended(why, was), RootIsSuspended, nil
	case same && was.Suspended != "", was.Identity.IsZero():
		return t, RootOpened, nil
	case same:
		return t, "", nil
	}
	return t, RootTakenUp, nil
}

// takePlain holds the folder at a real path, which must not pass a link.
func (fs *FS) takePlain(real string) (*taken, error) {
	node, info, err := fs.walkPlain(real)
	if err != nil {
		return nil, failure("grant", "", err)
	}
	t := &taken{node: node, info: info, real: real, state: reeve.StateOpen, m: fs.mounts.of(info.Device)}
	t.was = Known{Real: real, Identity: info.Identity, UID: info.UID}
	t.fsys = fileSystemOf(node)
	t.fsys.Folds = t.fsys.Folds && fs.folds(real, info)
	if t.fsys.Pseudo {
		t.marks = []reeve.Mark{{Kind: reeve.MarkPseudo, Rule: t.fsys.Name}}
	}
	return t, nil
}

// folds finds out whether letter case really does not matter at a folder,
// where its kind of file system alone does not tell.
func (fs *FS) folds(real string, info Info) bool {
	base := filepath.Base(real)
	other := strings.ToUpper(base)
	if other == base {
		other = strings.ToLower(base)
	}
	if other == base {
		return true
	}
	twin, err := fs.layer.Stat(join(filepath.Dir(real), other), false)
	return err == nil && twin.SameFile(info.Identity)
}

func fileSystemOf(n Node) FileSystem {
	if teller, ok := n.(FileSystemTeller); ok {
		if f, err := teller.FileSystem(); err == nil {
			return f
		}
	}
	return FileSystem{}
}

// walkPlain holds a folder by single names from the top of its volume.
func (fs *FS) walkPlain(path string) (Node, Info, error) {
	if h, ok := fs.layer.(PlainHolder); ok {
		node, err := h.HoldPlain(path)
		if err != nil {
			return nil, Info{}, err
		}
		info, err := node.Info(false)
		return node, info, err
	}
	top, rest := splitTop(path)
	node, err := fs.layer.Top(top)
	if err != nil {
		return nil, Info{}, err
	}
	for {
		info, err := node.Info(false)
		if err == nil && info.Kind != reeve.Directory {
			err = ErrNotPlain
		}
		if err == nil && rest == "" {
			return node, info, nil
		}
		var next Node
		if err == nil {
			var name string
			name, rest = cutName(rest)
			next, err = node.Child(name)
		}
		node.Close()
		if err != nil {
			return nil, Info{}, err
		}
		node = next
	}
}

// realOfMissing spells the part of a path that exists as it really is.
func (fs *FS) realOfMissing(path string) string {
	rest := ""
	for p := path; ; {
		up := filepath.Dir(p)
		if up == p {
			return path
		}
		rest = join(filepath.Base(p), rest)
		if real, err := fs.layer.Real(up); err == nil {
			return join(real, rest)
		}
		p = up
	}
}

func missing(err error) bool {
	return errors.Is(err, iofs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// current compares what a root holds with what stands at its path now, by one
// look that follows no link, and gives the root as it is after that. The
// caller drops what it gets.
func (fs *FS) current(ctx context.Context, shown string, id reeve.RootID) (*view, *root, error) {
	for range 4 {
		v := fs.view.Load()
		r := v.root(id)
		if r == nil {
			return nil, nil, outside("resolve", shown)
		}
		if !r.now.keep() {
			continue
		}
		same, err := fs.unchanged(ctx, r)
		if err == nil && !same {
			same, err = fs.retake(ctx, r)
		}
		if err != nil {
			r.now.drop()
			return nil, nil, failure("resolve", shown, err)
		}
		if same {
			if err := r.refusal(shown); err != nil {
				r.now.drop()
				return nil, nil, err
			}
			return v, r, nil
		}
		r.now.drop()
	}
	return nil, nil, changed("resolve", shown)
}

// refusal is what a root says that cannot be used, as it was last seen.
func (r *root) refusal(shown string) error {
	if r.now.real == "" {
		return outside("resolve", shown)
	}
	switch r.now.state {
	case reeve.StateSuspended:
		return rootSuspended("resolve", shown, r.status())
	case reeve.StateLost:
		return rootLost("resolve", shown, r.status())
	}
	return nil
}

// unchanged reports that a root's state still describes what is at its path.
func (fs *FS) unchanged(ctx context.Context, r *root) (bool, error) {
	t := r.now
	if t.real == "" { // its path is none
		return true, nil
	}
	if t.blank {
		return false, nil
	}
	if t.state == reeve.StateSuspended {
		return !fs.back(ctx, r), nil
	}
	var info, via Info
	err := fs.touch(ctx, t.m, func() (err error) {
		if info, err = fs.layer.Stat(t.real, false); err == nil && r.grant.Path != t.real {
			via, err = fs.layer.Stat(r.grant.Path, true)
		}
		return err
	})
	if t.state != reeve.StateOpen {
		return missing(err), ignoreMissing(err)
	}
	if err != nil {
		return false, ignoreMissing(err)
	}
	if r.grant.Path != t.real && !via.SameFile(t.info.Identity) {
		return false, nil
	}
	return info.SameFile(t.info.Identity), nil
}

func ignoreMissing(err error) error {
	if missing(err) {
		return nil
	}
	return err
}

// back reports that what a suspended root held stands at its path again. Who
// cannot tell says no.
func (fs *FS) back(ctx context.Context, r *root) bool {
	if r.now.was.Identity.IsZero() {
		return false
	}
	var info Info
	err := fs.touch(ctx, r.now.m, func() (err error) { info, err = fs.layer.Stat(r.now.was.Real, false); return err })
	return err == nil && info.SameFile(r.now.was.Identity)
}

// retake takes a root anew whose path no longer leads to what is held. It
// reports that the root stays as it is.
func (fs *FS) retake(ctx context.Context, r *root) (stays bool, err error) {
	was := r.now
	var next *taken
	var kind EventKind
	err = fs.touch(ctx, was.m, func() (err error) {
		if was.blank {
			next, kind, err = fs.take(r.grant)
		} else {
			next, kind, err = fs.takeKnown(r.grant, was.was)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	if was.state == reeve.StateSuspended && next.state != reeve.StateOpen {
		return true, nil
	}
	if next.state == reeve.StateOpen && was.state != reeve.StateOpen {
		kind = RootOpened
	}
	if next.m == nil {
		next.m = was.m
	}
	next.refs.Store(1)
	if fs.replace(r, next) && kind != "" {
		fs.event(kind, status(r.grant, next))
	}
	return false, nil
}

func suspended(note string, was Known) *taken {
	was.Suspended = note
	return &taken{state: reeve.StateSuspended, real: was.Real, note: note, was: was}
}

// sameOwner: the folder belongs to whom the one before belonged to, or, where
// none was ever held, to this process's user.
func sameOwner(was Known, now Info) bool {
	if !was.Identity.IsZero() {
		return was.UID == now.UID
	}
	uid := os.Geteuid()
	return uid < 0 || now.UID == uint32(uid)
}

// replace puts a root's new state in place of the one that was looked at, and
// does nothing when somebody was quicker.
func (fs *FS) replace(r *root, next *taken) bool {
	fs.mu.Lock()
	v := fs.view.Load()
	i := v.find(r.grant.ID)
	if i < 0 || v.roots[i].now != r.now {
		fs.mu.Unlock()
		next.drop()
		return false
	}
	nv := &view{roots: append([]root(nil), v.roots...), narrow: v.narrow}
	old := nv.roots[i].now
	nv.roots[i].now = next
	nv.settle()
	fs.view.Store(nv)
	fs.mu.Unlock()
	old.drop()
	return true
}

// splitTop cuts a path into its volume's top and the names below it.
func splitTop(path string) (top, rest string) {
	vol := filepath.VolumeName(path)
	rest = strings.TrimLeft(path[len(vol):], separators)
	return vol + separator, rest
}

// cutName takes the first name of a relative path.
func cutName(path string) (name, rest string) {
	if i := strings.IndexAny(path, separators); i >= 0 {
		return path[:i], path[i+1:]
	}
	return path, ""
}

// join adds names to a clean path.
func join(path, rest string) string {
	switch {
	case rest == "":
		return path
	case path == "" || strings.HasSuffix(path, separator):
		return path + rest
	}
	return path + separator + rest
}
