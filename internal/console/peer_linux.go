package console

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strings"
)

// stranger reports that a connection comes from a program of another user.
// The system's table of connections tells whose each end is. What it does not
// tell counts as the owner's: the code and the cookie still have to fit.
func stranger(c net.Conn) bool {
	from, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok || !from.IP.IsLoopback() {
		return true
	}
	to, ok := c.LocalAddr().(*net.TCPAddr)
	if !ok {
		return true
	}
	f, err := os.Open("/proc/net/tcp")
	if err != nil {
		return false
	}
	defer f.Close()
	local, remote := tableAddr(from), tableAddr(to)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// sl local_address rem_address st queues tr:tm retrnsmt uid …
		x := strings.Fields(lines.Text())
		if len(x) > 7 && x[1] == local && x[2] == remote {
			return x[7] != "0" && x[7] != fmt.Sprint(os.Getuid())
		}
	}
	return false
}

// tableAddr is an address as the system's table has it: the four bytes as one
// number of this machine's byte order.
func tableAddr(a *net.TCPAddr) string {
	ip := a.IP.To4()
	if ip == nil {
		return "?"
	}
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(ip), a.Port)
}
