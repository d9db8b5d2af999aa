// Package cli is the command line: it reads what the person at the keyboard
// wrote, asks the assembled node, and prints the answer.
//
// Call Run with an Env; cmd/reeve does nothing else. Each command stands in
// the file of its name, and newRoot puts the tree together on every run, so
// that nothing is built before it is needed.
//
// The command line is the owner's own hand: `roots add` widens what agents
// may reach, and this package does not protect from a person, or a program
// with a shell, that runs it. What it prints of files comes from the gate like
// everything else: `call` is an agent named cli, with an agent's rights.
package cli
