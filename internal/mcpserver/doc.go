// Package mcpserver is the door for agents that speak the Model Context
// Protocol: it shows a dialect's tools, reads calls, hands them to a
// reeve.Doer and answers in text.
//
// Call New, then Run with the two ends of a pipe. Both generations of the
// protocol (2026-07-28, and 2025-11-25 and older) are served alike.
//
// The door decides nothing and does not protect any file: whatever comes
// through it is judged by the Doer, and what the Doer returns is shown. The name that a
// client gives itself is not proof of anything, and a client may do with an
// answer what it likes. Two clients must not share one Server over one pipe:
// there the pipe is the session.
package mcpserver
