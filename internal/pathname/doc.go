// Package pathname reads paths as callers write them and shows names as they
// can be written back. Call Parse first; Escape and Unescape for names.
//
// It is text only: nothing is looked up, and a Parsed path is no permission.
// Where a path really leads is found by package capfs.
package pathname
