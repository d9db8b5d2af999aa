package capfs

import (
	"context"
	"errors"
	iofs "io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"reeve"
	"reeve/internal/pathname"
)

const (
	// maxLinks is how many links one path may pass, as on Linux.
	maxLinks = 40
	// maxSteps bounds the walk with everything that links add to it.
	maxSteps = 4096
)

// Resolve finds where a parsed path really is, and holds it. Follow says
// whether a link at the very end is followed; links before it always are, as
// long as they stay inside the granted folders.
//
// A missing leaf, or missing parents, is no error: the Held then holds the
// deepest existing parent, its Place has kind Absent and counts the missing
// components. Errors are *reeve.Error: OutsideRoots (the same words whether
// anything is there or not; nothing is looked up), LinkOutside (names the
// link and its own text, nothing beyond), TooManyLinks, NotDirectory,
// RootSuspended, NotFound for a lost root, MountDead, Permission, Changed,
// Timeout and Cancelled inside a Call, Invalid, Failed.
func (fs *FS) Resolve(ctx context.Context, p pathname.Parsed, follow bool) (*Held, error) {
	return fs.resolve(ctx, p.Abs(), p.Shown(), follow)
}

// ResolveRoot holds a granted folder itself.
func (fs *FS) ResolveRoot(ctx context.Context, id reeve.RootID) (*Held, error) {
	r := fs.view.Load().root(id)
	if r == nil {
		return nil, outside("resolve", string(id))
	}
	return fs.resolve(ctx, r.now.real, pathname.EscapePath(r.grant.Path), true)
}

func (fs *FS) resolve(ctx context.Context, abs, shown string, follow bool) (*Held, error) {
	if fs.closed.Load() {
		return nil, failure("resolve", shown, iofs.ErrClosed)
	}
	v := fs.view.Load()
	i, rest, ok := v.match(abs)
	if !ok {
		return nil, outside("resolve", shown)
	}
	fs.lookOften(ctx)
	w := walker{fs: fs, ctx: ctx, shown: shown, follow: follow}
	defer w.close()
	for id := v.roots[i].grant.ID; ; {
		if err := w.begin(id); err != nil {
			return nil, err
		}
		h, again, err := w.walk(rest)
		if again == "" {
			return w.seal(h, err)
		}
		// A link, or a folder granted by itself, leads on from here.
		i, r, ok := w.v.match(again)
		if !ok {
			return nil, linkOutside("resolve", shown, w.via, w.viaText)
		}
		id, rest = w.v.roots[i].grant.ID, r
	}
}

// walker is one walk to one path.
type walker struct {
	fs     *FS
	ctx    context.Context
	shown  string
	follow bool
	steps  int
	links  int
	// via is the last link that was followed, viaText its own text.
	via, viaText string
	// aliases are the names under which the thing was reached by way of links.
	aliases []alias

	v    *view
	base *taken // the root the walk began at, kept
	root int    // its index

	node  Node         // where the walk stands; its own unless it is base's
	at    frame        // what is known about that
	names []reeve.Name // the link-free way from base to it
	// name and rest are what was to come when the walk ended in an error.
	name, rest string
}

// frame is what is known about a thing that a walk came to.
type frame struct {
	info  Info
	m     *mount
	fsys  FileSystem
	root  int // the deciding root
	depth int // how many of the walk's names lead to that root
	marks []reeve.Mark
}

// begin stands at a root.
func (w *walker) begin(id reeve.RootID) error {
	w.close()
	v, r, err := w.fs.current(w.ctx, w.shown, id)
	if err != nil {
		return err
	}
	w.v, w.base, w.root = v, r.now, v.find(id)
	w.node, w.names = r.now.node, w.names[:0]
	w.at = frame{info: r.now.info, m: r.now.m, fsys: r.now.fsys, root: w.root, marks: r.marks}
	if r.elsewhere {
		since := w.fs.lookFor(w.ctx, r.now.info, false)
		for _, n := range w.fs.insideOf(w.ctx, v, r.now.info, since) {
			w.at.marks = withMark(w.at.marks, n.mark())
		}
	}
	return nil
}

func (w *walker) close() {
	w.stand(nil)
	w.base.drop()
	w.base = nil
}

// stand moves the walk to a node and lets go of the one before.
func (w *walker) stand(n Node) {
	if w.node != nil && w.node != w.base.node {
		w.node.Close()
	}
	w.node = n
}

func (w *walker) fail(err error) error { return failure("resolve", w.shown, err) }

// walk goes from the root through rest. When it gives another absolute path,
// the walk goes on there.
func (w *walker) walk(rest string) (h *Held, again string, err error) {
	if w.node == nil {
		return w.absent("", rest)
	}
	if h, err := w.jump(rest); h != nil || err != nil {
		return h, "", err
	}
	if cap(w.names) == 0 {
		w.names = make([]reeve.Name, 0, strings.Count(rest, separator)+1)
	}
	for name := ""; rest != ""; {
		name, rest = cutName(rest)
		w.name, w.rest = name, rest
		if w.steps++; w.steps > maxSteps {
			return nil, "", tooManySteps("resolve", w.shown)
		}
		switch name {
		case "", ".":
			continue
		case "..": // only a link's text has these
			return nil, join(filepath.Dir(w.path("")), rest), nil
		}
		if w.at.info.Kind != reeve.Directory {
			return nil, "", notDirectory("resolve", w.shown, "cannot be: "+w.display("")+" is no folder")
		}
		if w.nested(name) {
			return nil, join(w.path(name), rest), nil
		}
		child, info, err := w.fs.child(w.ctx, w.at.m, w.node, name)
		if missing(err) && !errors.Is(err, syscall.ENOTDIR) {
			return w.absent(name, rest)
		}
		if err != nil {
			return nil, "", w.fail(err)
		}
		if info.Kind == reeve.Symlink && (w.follow || !empty(rest)) {
			if len(w.at.marks) > 0 {
				child.Close()
				return nil, "", errSealed
			}
			text, err := w.fs.readLink(w.ctx, w.at.m, child)
			child.Close()
			if err != nil {
				return nil, "", w.fail(err)
			}
			if w.links++; w.links > maxLinks {
				return nil, "", tooManyLinks("resolve", w.shown)
			}
			w.via, w.viaText = w.display(name), text
			w.alias(name, rest)
			if filepath.IsAbs(text) {
				return nil, join(squeeze(text), rest), nil
			}
			if strings.IndexAny(text, separators) == 0 || filepath.VolumeName(text) != "" {
				return nil, "", linkOutside("resolve", w.shown, w.via, text)
			}
			rest = join(text, rest)
			continue
		}
		if w.at.fsys.Folds {
			name = w.fs.spelling(w.ctx, w.at.m, w.node, name)
		}
		next, err := w.fs.pass(w.ctx, w.v, w.at, child, info, len(w.names)+1, false)
		if err != nil {
			child.Close()
			return nil, "", w.fail(err)
		}
		w.stand(child)
		w.at, w.names = next, append(w.names, reeve.Name(name))
	}
	h, err = w.held()
	return h, "", err
}

// jump passes all names at once, where nothing below the root can narrow
// access and the layer can. Nil and no error means that the walk by single
// names decides.
func (w *walker) jump(rest string) (*Held, error) {
	j, ok := w.node.(Jumper)
	if !ok || !w.v.roots[w.root].jump || rest == "" || strings.Contains(rest, "..") {
		return nil, nil
	}
	var node Node
	var info Info
	err := w.fs.touch(w.ctx, w.at.m, func() (err error) {
		if node, err = j.Jump(rest); err == nil {
			if info, err = node.Info(false); err != nil {
				node.Close()
			}
		}
		return err
	})
	if err != nil {
		return nil, nil
	}
	if info.Kind == reeve.Symlink && w.follow || mountOf(info) != mountOf(w.at.info) {
		node.Close()
		return nil, nil
	}
	next, err := w.fs.pass(w.ctx, w.v, w.at, node, info, 0, false)
	if err != nil {
		node.Close()
		return nil, w.fail(err)
	}
	w.names = splitNames(w.names, rest)
	w.node, w.at = node, next
	return w.held()
}

// nested reports that a name under the walk's folder is granted by itself:
// its own root then decides, whatever stands there now.
func (w *walker) nested(name string) bool {
	list := w.v.roots[w.root].nested
	if len(list) == 0 {
		return false
	}
	p := w.path(name)
	for _, i := range list {
		t := w.v.roots[i].now
		if t.real == p || w.at.fsys.Folds && strings.EqualFold(t.real, p) {
			return true
		}
	}
	return false
}

// path is the link-free path of a name under where the walk stands, or of
// that itself.
func (w *walker) path(name string) string {
	p := w.base.real
	for _, n := range w.names {
		p = join(p, string(n))
	}
	return join(p, name)
}

func (w *walker) display(name string) string { return pathname.EscapePath(w.path(name)) }

// errSealed: a link stands in a folder that narrows access. It is not followed.
var errSealed = errors.New("a link in a protected folder")

// seal keeps errors from telling what is inside a folder that narrows access:
// there, whatever goes wrong looks like a name that does not exist, and the
// marks of the place say the rest. Links there are not followed at all.
func (w *walker) seal(h *Held, err error) (*Held, error) {
	if err == nil || len(w.at.marks) == 0 || w.base == nil {
		return h, err
	}
	for _, c := range []reeve.Code{reeve.MountDead, reeve.Timeout, reeve.Cancelled, reeve.RootSuspended} {
		if errors.Is(err, c) {
			return h, err
		}
	}
	rest := ""
	for name := ""; w.rest != ""; {
		if name, w.rest = cutName(w.rest); name != ".." {
			rest = join(rest, name)
		}
	}
	w.stand(nil)
	h, _, err = w.absent(w.name, rest)
	return h, err
}

// held hands what the walk stands on to a Held.
func (w *walker) held() (*Held, error) {
	h := w.hand()
	h.place = placeOf(w.fs, w.v, w.at, w.names[w.at.depth:])
	h.place.Via, h.aliases = w.via, w.aliases
	h.info = w.at.info
	if h.info.Kind == reeve.Symlink {
		text, err := w.fs.readLink(w.ctx, h.at.m, h.node)
		if err != nil {
			h.Close()
			return nil, w.fail(err)
		}
		h.info.Link = text
	}
	return h, nil
}

// hand moves node and root from the walk to a Held.
func (w *walker) hand() *Held {
	h := &Held{fs: w.fs, v: w.v, node: w.node, at: w.at, shown: w.shown}
	if w.node != nil && w.node == w.base.node {
		h.base, w.base = w.base, nil
	}
	w.node = nil
	return h
}

// absent holds the folder that the walk stands on as the deepest existing
// parent of name and what remains below it. Nothing but the root's own path
// is there when the root is pending.
func (w *walker) absent(name, rest string) (*Held, string, error) {
	names := append([]reeve.Name(nil), w.names[w.at.depth:]...)
	had := len(names)
	if name != "" {
		names = append(names, reeve.Name(name))
	}
	for name = ""; rest != ""; {
		switch name, rest = cutName(rest); name {
		case "", ".":
		case "..":
			return nil, "", notFound("resolve", w.shown)
		default:
			names = append(names, reeve.Name(name))
		}
	}
	h := w.hand()
	h.aliases = w.aliases
	r := &h.v.roots[h.at.root]
	h.place = reeve.Place{
		Target: w.fs.o.Target, Root: r.grant.ID, RootPath: reeve.Name(r.now.real),
		Components: names, Missing: len(names) - had,
		Access: r.grant.Access, Marks: h.at.marks, Via: w.via,
	}
	return h, "", nil
}

// placeOf is the place of an existing thing.
func placeOf(fs *FS, v *view, at frame, names []reeve.Name) reeve.Place {
	r := &v.roots[at.root]
	return reeve.Place{
		Target: fs.o.Target, Root: r.grant.ID, RootPath: reeve.Name(r.now.real),
		Components: names, Kind: at.info.Kind, Links: at.info.Links, Mode: at.info.Mode,
		Stamp: at.info.Stamp, Access: r.grant.Access, Marks: at.marks,
	}
}

// alias is a name that is not the real one: the way to a link, and what was
// asked for beyond it.
type alias struct {
	root  reeve.RootID
	real  string
	names []reeve.Name
}

// alias notes under which name the thing is asked for at a link.
func (w *walker) alias(name, rest string) {
	r := &w.v.roots[w.at.root]
	names := append([]reeve.Name(nil), w.names[w.at.depth:]...)
	names = append(names, reeve.Name(name))
	for n := ""; rest != ""; {
		switch n, rest = cutName(rest); n {
		case "", ".":
		case "..":
			if names = names[:max(len(names)-1, 0)]; len(names) == 0 {
				return // out of this root: another name decides
			}
		default:
			names = append(names, reeve.Name(n))
		}
	}
	w.aliases = append(w.aliases, alias{r.grant.ID, r.now.real, names})
}

// squeeze drops empty and "." names from an absolute path, but no "..".
func squeeze(path string) string {
	top, rest := splitTop(path)
	out := top
	for name := ""; rest != ""; {
		if name, rest = cutName(rest); name != "" && name != "." {
			out = join(out, name)
		}
	}
	return out
}

// empty: no further name, only separators and ".".
func empty(rest string) bool {
	for name := ""; rest != ""; {
		if name, rest = cutName(rest); name != "" && name != "." {
			return false
		}
	}
	return true
}

func splitNames(into []reeve.Name, rest string) []reeve.Name {
	if cap(into) == 0 {
		into = make([]reeve.Name, 0, strings.Count(rest, separator)+1)
	}
	for name := ""; rest != ""; {
		if name, rest = cutName(rest); name != "" && name != "." {
			into = append(into, reeve.Name(name))
		}
	}
	return into
}
