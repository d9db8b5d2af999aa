// Package ops holds the verbs: what each operation does with the files that
// the gate lets it see. Call Verbs and hand the result to guard.New.
//
// Each verb plans its intents from the request alone, and then answers from
// the View. It walks in a fixed order, so that a cursor can go on where the
// last answer ended, counts what it leaves out, and stops at its caps with a
// word about how to go on.
//
// The package decides nothing about access and does not protect from
// anything by itself: what may be seen is decided by the gate, whose View is
// the only way to files that there is here. Names and texts come from the
// disk as they are; that they are harmless to show is the Reply's work.
package ops
