// Package dialect says how a vocabulary of tools is laid over the verbs: the
// names, parameters and prose that a model is shown, the strict reading of
// what it sends back, and the words of results and refusals.
//
// Call first: a dialect's own package makes a Dialect (native.New). A door
// shows Tool.Surface, reads a call with Tool.Decode, hands it to a
// reeve.Doer, and answers with Tool.Render, Meta and Dialect.Refusal.
//
// A dialect only translates. It protects nobody: every argument that passes
// Decode is still only what a caller wrote, and is judged by the gate. It
// shows results as they are, so what must not leave has to be kept out of
// the result.
package dialect
