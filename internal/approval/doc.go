// Package approval keeps questions, the owner's answers, and what was
// approved for a turn. Table is called first: Ask makes a card for a
// proposal's digest, Answer (from any process of the owner) answers it once,
// Take consumes the answer once. Ledger remembers, in this process's memory,
// which files may be changed again in the same turn.
//
// What it does not protect from: any program of the same user can write an
// answer. Files that are damaged, or do not fit their card, are ignored and
// reported; whether the owner pressed the key is for the channels to know.
// Neither type decides what may be remembered beyond create, replace and
// mkdir: control files are the policy's to tell (Decision.Remember).
package approval
