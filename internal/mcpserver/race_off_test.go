//go:build !race

package mcpserver

const racing = false
