// Package asking turns a pending question into waiting: it knows which of the
// owner's channels are there, asks them together, and ends when the question
// has its answer, wherever that was given.
//
// Call New with the channels and then Wait with a reeve.Pending: nil means
// that the same request should be made again. NewPresence tells other
// processes that a page is open where the owner can answer. NewNotices has a
// channel's questions told by the desktop as well. NewTickets signs
// what passes through an agent's client between two rounds of a call.
//
// What it does not protect from: an answer is as good as the table that it is
// put into, and any program of the same user can write there. A channel that
// is there is no proof that somebody sits before it. A ticket binds an answer
// to a question, a subject and a connection; it says nothing about who gave
// the answer, since a client may answer by itself. A notice is handed to a
// program of the system and seen by whoever sees the screen: it holds the
// question's title and path.
package asking
