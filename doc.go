// Package reeve holds the words that every part of Reeve speaks: what is
// asked (Request, Call), who asks (Subject), where a thing really is (Place),
// what would happen to it (Effect, Change, Proposal), what was decided
// (Decision), and what comes back (Outcome, Answer, Error).
//
// Call first: build a Request and hand it to a Doer. On the owner's computer
// the Doer is the gate (internal/guard), assembled by package node.
//
// The package opens nothing and decides nothing. It does not protect from
// anything by itself: a Place or a Decision made by hand is only data. Every
// Request, Place, Answer and Error survives JSON unchanged.
package reeve
