// Package node is one assembled computer: its roots, rules, record and gate,
// ready to be asked. It is also the library for people who build agents.
//
// Call New first, then Do for each request, and Shutdown at the end. New
// opens the granted folders and reads the configuration; Do is the gate
// (a reeve.Doer); Status and Explain tell what is in force and why. AddRoot,
// RemoveRoot and ConfirmRoot change what the owner granted and belong to the
// owner's tools, never behind an agent's call.
//
// A node does not protect from the program that embeds it: that program runs
// with the owner's rights and can open any file by itself. It does not wait
// for a person either: a question comes back as an outcome.
package node
