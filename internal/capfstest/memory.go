package capfstest

import (
	iofs "io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"reeve"
	"reeve/internal/capfs"
)

// MemoryOptions shape a Memory. The zero value is a file system that tells
// letter case apart, on the real clock.
type MemoryOptions struct {
	Fold bool             // names that differ in letter case alone are one
	Now  func() time.Time // nil is time.Now
}

// Memory is a file system in memory: folders, files, links, hard links, pipes
// and mounts, with failures and hangs on demand. It is a capfs.Layer; paths
// are absolute, with slashes. It is safe for use by several goroutines.
type Memory struct {
	now  func() time.Time
	fold bool

	mu      sync.Mutex
	top     *inode
	nextIno uint64
	nextDev uint64
	kinds   map[uint64]capfs.FileSystem
	hangs   map[uint64]chan struct{}
	faults  map[fault]error
	counts  map[string]int
	before  func(op string)
}

type fault struct {
	op string
	n  *inode
}

type inode struct {
	info    capfs.Info
	content []byte
	text    string
	entries map[string]*inode
	spelled map[string]string
	order   []string
	up      *inode
}

// NewMemory makes an empty file system with a top folder.
func NewMemory(o MemoryOptions) *Memory {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Memory{
		now: o.Now, fold: o.Fold, nextDev: 1,
		kinds: map[uint64]capfs.FileSystem{}, hangs: map[uint64]chan struct{}{},
		faults: map[fault]error{}, counts: map[string]int{},
	}
	m.kinds[1] = capfs.FileSystem{Name: "memory", Folds: o.Fold}
	m.top = m.newInode(reeve.Directory, 1)
	return m
}

func (m *Memory) newInode(kind reeve.FileKind, device uint64) *inode {
	m.nextIno++
	now := m.now().UnixNano()
	n := &inode{info: capfs.Info{Kind: kind, Links: 1, Mode: 0o644, ATime: now, Mount: device}}
	if uid := os.Geteuid(); uid > 0 {
		n.info.UID = uint32(uid)
	}
	n.info.Stamp = reeve.Stamp{
		Identity: reeve.Identity{Device: device, Inode: m.nextIno, Birth: now}, MTime: now, CTime: now,
	}
	if kind == reeve.Directory {
		n.info.Mode = 0o755
		n.entries, n.spelled = map[string]*inode{}, map[string]string{}
	}
	return n
}

func (m *Memory) key(name string) string {
	if m.fold {
		return strings.ToLower(name)
	}
	return name
}

func (n *inode) touch(now time.Time) {
	n.info.MTime, n.info.CTime = now.UnixNano(), now.UnixNano()
}

func (m *Memory) put(dir *inode, name string, n *inode) {
	k := m.key(name)
	if dir.entries[k] == nil {
		dir.order = append(dir.order, k)
		dir.spelled[k] = name
	}
	dir.entries[k] = n
	if n.info.Kind == reeve.Directory {
		n.up = dir
	}
	dir.touch(m.now())
}

func (m *Memory) cut(dir *inode, name string) {
	k := m.key(name)
	delete(dir.entries, k)
	delete(dir.spelled, k)
	for i, o := range dir.order {
		if o == k {
			dir.order = append(dir.order[:i:i], dir.order[i+1:]...)
			break
		}
	}
	dir.touch(m.now())
}

// find walks to a path, following links on the way and, with follow, at the
// end. The caller holds the lock.
func (m *Memory) find(path string, follow bool) (n *inode, real string, err error) {
	n = m.top
	rest := path
	var way []string
	for links := 0; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			if len(way) > 0 {
				way = way[:len(way)-1]
			}
			if n.up != nil {
				n = n.up
			}
			continue
		}
		if n.info.Kind != reeve.Directory {
			return nil, "", syscall.ENOTDIR
		}
		next := n.entries[m.key(name)]
		if next == nil {
			return nil, "", syscall.ENOENT
		}
		if next.info.Kind == reeve.Symlink && (follow || strings.Trim(rest, "/.") != "") {
			if links++; links > 40 {
				return nil, "", syscall.ELOOP
			}
			if strings.HasPrefix(next.text, "/") {
				n, way = m.top, nil
			}
			rest = next.text + "/" + rest
			continue
		}
		way = append(way, n.spelled[m.key(name)])
		n = next
	}
	return n, "/" + strings.Join(way, "/"), nil
}

// parent finds the folder of a path, for making and removing in it.
func (m *Memory) parent(path string) (dir *inode, name string, err error) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 || i == len(path)-1 {
		return nil, "", syscall.EINVAL
	}
	dir, _, err = m.find(path[:i], true)
	if err == nil && dir.info.Kind != reeve.Directory {
		err = syscall.ENOTDIR
	}
	return dir, path[i+1:], err
}

// begin counts an operation, waits where the device hangs, and gives the
// failure that was injected. It returns with the lock held when err is nil.
func (m *Memory) begin(op string, n *inode) error { return m.start(op, n, true) }

func (m *Memory) start(op string, n *inode, asks bool) error {
	m.mu.Lock()
	m.counts[op]++
	var wait chan struct{}
	if asks {
		wait = m.hangs[n.info.Device]
	}
	before := m.before
	m.mu.Unlock()
	if wait != nil {
		<-wait
		return syscall.ECONNABORTED
	}
	if before != nil {
		before(op)
	}
	m.mu.Lock()
	if err := m.faults[fault{op, n}]; err != nil {
		m.mu.Unlock()
		return err
	}
	return nil
}

// Top implements capfs.Layer.
func (m *Memory) Top(string) (capfs.Node, error) { return &memoryNode{m: m, n: m.top}, nil }

// Stat implements capfs.Layer.
func (m *Memory) Stat(path string, follow bool) (capfs.Info, error) {
	n, _, err := m.look("stat", path, follow)
	if err != nil {
		return capfs.Info{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return n.state(), nil
}

// Real implements capfs.Layer.
func (m *Memory) Real(path string) (string, error) {
	_, real, err := m.look("real", path, true)
	return real, err
}

func (m *Memory) look(op, path string, follow bool) (*inode, string, error) {
	m.mu.Lock()
	n, real, err := m.find(path, follow)
	m.mu.Unlock()
	if err != nil {
		return nil, "", err
	}
	if err := m.begin(op, n); err != nil {
		return nil, "", err
	}
	m.mu.Unlock()
	return n, real, nil
}

func (n *inode) state() capfs.Info {
	i := n.info
	switch i.Kind {
	case reeve.File:
		i.Size = int64(len(n.content))
	case reeve.Symlink:
		i.Size = int64(len(n.text))
	}
	return i
}

// Hang makes every question to the device of path wait until release is
// called; the waiting ones then fail.
func (m *Memory) Hang(path string) (release func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, err := m.find(path, true)
	if err != nil {
		return nil, err
	}
	wait := make(chan struct{})
	device := n.info.Device
	m.hangs[device] = wait
	var once sync.Once
	return func() {
		once.Do(func() {
			m.mu.Lock()
			delete(m.hangs, device)
			m.mu.Unlock()
			close(wait)
		})
	}, nil
}

// Fail makes an operation on the thing at path fail, with nil no more. The
// operations are child (of a folder), info, stat, real, readlink, open, read,
// openfolder, list.
func (m *Memory) Fail(op, path string, with error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, err := m.find(path, false)
	if err != nil {
		return err
	}
	m.faults[fault{op, n}] = with
	return nil
}

// Count is how often an operation was asked for.
func (m *Memory) Count(op string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[op]
}

// Before calls fn before every operation, without any lock: a place to change
// the tree in between.
func (m *Memory) Before(fn func(op string)) {
	m.mu.Lock()
	m.before = fn
	m.mu.Unlock()
}

// Bytes gives a file's content, for looking at what a commit did.
func (m *Memory) Bytes(path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, err := m.find(path, true)
	if err != nil {
		return nil, err
	}
	if n.info.Kind != reeve.File {
		return nil, iofs.ErrInvalid
	}
	return append([]byte(nil), n.content...), nil
}
