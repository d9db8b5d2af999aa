package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// consoleTTY is the console window of a process: its two sides are two files.
type consoleTTY struct{ in, out *os.File }

// controlling opens the console window of this process.
func controlling() (tty, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, errNoTerminal
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		in.Close()
		return nil, errNoTerminal
	}
	return consoleTTY{in, out}, nil
}

func (c consoleTTY) Read(b []byte) (int, error)  { return c.in.Read(b) }
func (c consoleTTY) Write(b []byte) (int, error) { return c.out.Write(b) }

// Close implements io.Closer.
func (c consoleTTY) Close() error {
	c.out.Close()
	return c.in.Close()
}

// Forget implements tty.
func (c consoleTTY) Forget() { _ = windows.FlushConsoleInputBuffer(windows.Handle(c.in.Fd())) }
