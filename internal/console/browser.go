package console

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// Desktop reports whether this process runs where a browser could be opened
// before the owner's eyes.
func Desktop() bool {
	switch runtime.GOOS {
	case "windows":
		return true
	case "darwin":
		return os.Getenv("SSH_CONNECTION") == "" && os.Getenv("SSH_TTY") == ""
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return false
	}
	_, err := exec.LookPath("xdg-open")
	return err == nil
}

// Browse opens an address in the owner's browser. It does not wait for the
// browser, and shares none of this process's input and output with it.
func Browse(address string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	case "darwin":
		cmd = exec.Command("open", address)
	default:
		cmd = exec.Command("xdg-open", address)
	}
	if cmd.Err != nil {
		return errors.New("no browser could be opened: " + cmd.Err.Error())
	}
	if err := cmd.Start(); err != nil {
		return errors.New("no browser could be opened: " + err.Error())
	}
	go cmd.Wait() // so that nothing is left of it in the system's table
	return nil
}
