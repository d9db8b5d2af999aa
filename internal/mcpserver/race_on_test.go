//go:build race

package mcpserver

// racing: the detector makes a walk over megabytes take seconds, so such
// messages are left to the runs without it.
const racing = true
