package capfstest

import (
	"strings"
	"syscall"

	"reeve"
	"reeve/internal/capfs"
)

// Make changes the tree by one Op (see World). Parents of what is made are
// made too.
func (m *Memory) Make(op Op) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch op.Verb {
	case "dir":
		_, err := m.mkdirs(op.Path)
		return err
	case "remove":
		dir, name, err := m.parent(op.Path)
		if err != nil {
			return err
		}
		n := dir.entries[m.key(name)]
		if n == nil {
			return syscall.ENOENT
		}
		n.info.Links--
		m.cut(dir, name)
		return nil
	case "move", "swap":
		return m.move(op.Path, op.Arg, op.Verb == "swap")
	case "mode", "owner":
		n, _, err := m.find(op.Path, true)
		if err != nil {
			return err
		}
		if op.Verb == "mode" {
			n.info.Mode = op.number(8)
		} else {
			n.info.UID = op.number(10)
		}
		n.info.CTime = m.now().UnixNano()
		return nil
	case "mount":
		n, err := m.mkdirs(op.Path)
		if err != nil {
			return err
		}
		m.nextDev++
		m.kinds[m.nextDev] = capfs.FileSystem{Name: op.Arg, Pseudo: op.Arg == "proc", Folds: m.fold}
		n.info.Device, n.info.Mount = m.nextDev, m.nextDev
		return nil
	}
	return m.makeLeaf(op)
}

func (m *Memory) makeLeaf(op Op) error {
	i := strings.LastIndexByte(op.Path, '/')
	dir, err := m.mkdirs(op.Path[:max(i, 0)])
	if err != nil {
		return err
	}
	name := op.Path[i+1:]
	was := dir.entries[m.key(name)]
	switch op.Verb {
	case "file":
		if was != nil && was.info.Kind == reeve.File {
			was.content = []byte(op.Arg)
			was.touch(m.now())
			return nil
		}
		n := m.newInode(reeve.File, dir.info.Device)
		n.content = []byte(op.Arg)
		m.put(dir, name, n)
	case "link":
		if was != nil {
			return syscall.EEXIST
		}
		n := m.newInode(reeve.Symlink, dir.info.Device)
		n.info.Mode, n.text = 0o777, op.Arg
		m.put(dir, name, n)
	case "hard":
		n, _, err := m.find(op.Arg, false)
		if err != nil {
			return err
		}
		if was != nil || n.info.Kind == reeve.Directory {
			return syscall.EEXIST
		}
		n.info.Links++
		n.info.CTime = m.now().UnixNano()
		m.put(dir, name, n)
	case "bind": // one more name of a folder, as a mount gives it
		n, _, err := m.find(op.Arg, false)
		if err != nil {
			return err
		}
		up := n.up
		m.put(dir, name, n)
		n.up = up
	case "fifo":
		m.put(dir, name, m.newInode(reeve.Special, dir.info.Device))
	default:
		return syscall.EINVAL
	}
	return nil
}

func (m *Memory) mkdirs(path string) (*inode, error) {
	n := m.top
	for name := range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		next := n.entries[m.key(name)]
		if next == nil {
			next = m.newInode(reeve.Directory, n.info.Device)
			m.put(n, name, next)
		}
		if next.info.Kind == reeve.Symlink {
			at, _, err := m.find(next.text, true)
			if err != nil {
				return nil, err
			}
			next = at
		}
		if next.info.Kind != reeve.Directory {
			return nil, syscall.ENOTDIR
		}
		n = next
	}
	return n, nil
}

func (m *Memory) move(from, to string, swap bool) error {
	fromDir, fromName, err := m.parent(from)
	if err != nil {
		return err
	}
	toDir, toName, err := m.parent(to)
	if err != nil {
		return err
	}
	n, other := fromDir.entries[m.key(fromName)], toDir.entries[m.key(toName)]
	if n == nil || swap && other == nil {
		return syscall.ENOENT
	}
	if !swap && other != nil {
		return syscall.EEXIST
	}
	m.cut(fromDir, fromName)
	if swap {
		m.cut(toDir, toName)
		m.put(fromDir, fromName, other)
	}
	m.put(toDir, toName, n)
	n.info.CTime = m.now().UnixNano()
	return nil
}
