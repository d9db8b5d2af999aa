// Command reeve serves folders to AI agents and keeps the gate to them: `reeve
// mcp DIR` is an MCP server, `reeve --help` tells the rest. Everything it does
// stands in internal/cli.
package main

import (
	"os"

	"reeve/internal/cli"
)

func main() { os.Exit(cli.Main()) }
