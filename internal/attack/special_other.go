//go:build !unix

package attack

// special plants nothing: this system has no pipes or sockets with names in
// folders.
func (p *planter) special() {}
