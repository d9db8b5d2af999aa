//go:build unix

package attack

import (
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// special plants what is no file: opening the pipe hangs, or wakes a writer
// that waits on it.
func (p *planter) special() {
	fifo := filepath.Join(p.h.Project, "pipe")
	p.do(unix.Mkfifo(fifo, 0o644))
	p.h.FIFO = fifo
	p.h.Nasty = append(p.h.Nasty, fifo)
	// A socket's path is short by nature; made elsewhere and moved in.
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		p.do(err)
		return
	}
	defer os.RemoveAll(dir)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		p.do(err)
		return
	}
	l.SetUnlinkOnClose(false)
	defer l.Close()
	sock := filepath.Join(p.h.Project, "socket")
	if os.Rename(filepath.Join(dir, "s"), sock) == nil {
		p.h.Nasty = append(p.h.Nasty, sock)
	}
}
