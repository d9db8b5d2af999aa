//go:build unix

package attack

import (
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// FIFOWriter is an innocent program that waits on a named pipe for its
// reader. Whoever opens the pipe to look at it sets the writer free too
// early, and kills it by a broken pipe when it looks away again.
type FIFOWriter struct {
	path      string
	done      chan struct{}
	stopping  atomic.Bool
	disturbed atomic.Bool
	once      sync.Once
	err       error // the goroutine's, until done is closed
	stopErr   error
}

// WaitOnFIFO starts to wait. It returns before the pipe is surely waited on;
// what opens the pipe a moment too early is waited for by it.
func WaitOnFIFO(path string) *FIFOWriter {
	w := &FIFOWriter{path: path, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			w.err = err
			return
		}
		if !w.stopping.Load() {
			w.disturbed.Store(true)
		}
		w.err = f.Close()
	}()
	return w
}

// Disturbed tells whether somebody has opened the pipe.
func (w *FIFOWriter) Disturbed() bool { return w.disturbed.Load() }

// Stop sets the writer free, while the pipe is still there by its name.
// Whether it was disturbed before is kept.
func (w *FIFOWriter) Stop() error {
	w.once.Do(func() {
		w.stopping.Store(true)
		for {
			fd, err := unix.Open(w.path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			if err != nil {
				w.stopErr = err // and a writer that waits on a removed pipe stays
				return
			}
			// The writer may only now be on its way into the pipe.
			select {
			case <-w.done:
				unix.Close(fd)
				w.stopErr = w.err
				return
			default:
				unix.Poll([]unix.PollFd{{Fd: int32(fd)}}, 1)
				unix.Close(fd)
			}
		}
	})
	return w.stopErr
}
