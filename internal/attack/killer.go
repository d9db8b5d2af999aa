package attack

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// KillAt starts a program and kills it, without a warning, a while after it
// has written a number of lines to its standard output. It gives all the whole
// lines that were written until then. A program that ends by itself before is
// an error, with what it said on its standard error.
func KillAt(cmd *exec.Cmd, lines int, after time.Duration) ([]string, error) {
	var said bytes.Buffer
	if cmd.Stderr == nil {
		cmd.Stderr = &said
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var got []string
	in := bufio.NewReader(out)
	killed := false
	for {
		if len(got) >= lines && !killed {
			time.Sleep(after)
			killed = true
			if err := cmd.Process.Kill(); err != nil {
				return got, errors.Join(fmt.Errorf("it was not there to be killed: %w\n%s", err, said.Bytes()), cmd.Wait())
			}
		}
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		got = append(got, line[:len(line)-1])
	}
	err = cmd.Wait()
	if !killed || cmd.ProcessState.Exited() {
		return got, fmt.Errorf("it ended by itself after %d lines: %v\n%s", len(got), err, said.Bytes())
	}
	return got, nil
}
