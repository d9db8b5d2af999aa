// Package capfstest is the kit that a layer of package capfs must pass, and an
// in-memory layer for the tests of others. Call Run from a new layer's test;
// OnDisk gives its World for layers that reach the real file system. Call
// NewMemory for a file system that can be made to fail, hang and fold.
//
// What it does not protect from: it is for tests alone. Memory has no
// permissions beyond what Fail injects, and its committer keeps nothing
// through a crash.
package capfstest
