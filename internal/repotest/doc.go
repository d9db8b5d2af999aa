// Package repotest holds the rules that the repository keeps about itself and
// checks them in `go test ./...`: who imports whom, who opens files, where
// state may live, what is documented, what may be linked, and what the start
// of the program costs.
//
// Call first: Load reads a tree, and each check is a function from the tree to
// findings. A finding's text is the reason for the rule, so whoever breaks one
// learns why it is there and where an exception is written down.
//
// The checks read source text. They do not protect from code that sets out to
// deceive them: a type alias, reflection, assembly or a linker directive goes
// unnoticed. They keep honest work in shape and do not replace a review.
package repotest
