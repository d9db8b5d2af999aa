// Package guard is the gate: the one way from a request to a person's files.
//
// Call New first, then Do. Do runs a request through three parts that stand
// in one file, gate.go, to be read top to bottom: pass (plan, resolve,
// decide, open, work, fresh), settle (answer, refuse or ask) and commit
// (stage, swap, note). Verbs see files only through the View that the pass
// opens for them, say everything through its Reply, and never write: what
// changes a disk is proposed to the gate and happens in commit.
//
// The gate does not protect from other programs of the same user, from an
// agent that has other ways to files than Reeve, or from an owner who grants
// too much. It does not wait for a person: a question is an outcome, and the
// door turns it into waiting.
package guard
