//go:build windows

package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminalWidth is the width of the console behind f in columns, and whether
// there is one.
func terminalWidth(f *os.File) (int, bool) {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil {
		return 0, false
	}
	return int(info.Window.Right-info.Window.Left) + 1, true
}
