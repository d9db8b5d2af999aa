//go:build !linux

package console

import "net"

// stranger: only connections of this computer come here; whose they are, this
// system does not tell.
func stranger(c net.Conn) bool {
	from, ok := c.RemoteAddr().(*net.TCPAddr)
	return !ok || !from.IP.IsLoopback()
}
