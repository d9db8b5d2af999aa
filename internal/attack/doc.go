// Package attack holds the tools with which Reeve is attacked: by its own
// tests, and by whoever builds on it or beside it. They are written against a
// reeve.Doer or the command line of an MCP server and know nothing of what is
// inside.
//
// Call first: NewCanary and BuildHome plant a home full of marked secrets;
// Storm runs every reading verb over it, and Canary.Check looks for a marker
// in every byte that came back. Swapper exchanges a folder and a link under
// the feet of whatever runs; DeadMount is a file system that stops answering;
// LineClient speaks the protocol by hand; ModelClients show a result as three
// kinds of client would; Lies are told to an Asker by clients that answer for
// their user; Mutation breaks the source on purpose and expects a
// test to notice. Mischief makes random changes and knows what must stand
// after each, also for another process that was killed by KillAt; Crowd edits
// one file from many sides; Saver is a person who saves it meanwhile.
//
// The package does not protect from anything and proves nothing by staying
// silent: it finds what it looks for. Swapper, BuildHome, Saver and DeadMount change
// real files and mounts; hand them folders made for the purpose.
package attack
