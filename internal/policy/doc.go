// Package policy decides what may happen to a place: allow, ask or refuse,
// and by which rule. It is pure: no disk, no clock, no environment; all it
// knows stands in its arguments.
//
// Call first: ParseConfig for the owner's file, LoadProfile for the preset,
// then Compile. A *Policy never changes and may be used by many goroutines.
// Decide judges one effect on one place; Folder compiles the rules for the
// entries of one folder, for walks.
//
// Rules that protect match wide on every system: letter case, Unicode look
// (compatibility forms, invisible characters), trailing dots and spaces,
// stream suffixes and short names make no difference. Rules that allow match
// byte for byte.
//
// It does not protect from names: a secret under a name that nobody thought
// of is an ordinary file here. It does not find out where a path leads, nor
// that two names are one file: package capfs does, and tells it through the
// place's marks. It does not look into folders: who moves or removes a folder
// must have everything in it judged as well.
package policy
