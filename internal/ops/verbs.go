package ops

import (
	"reeve"
	"reeve/internal/guard"
)

// Options are what the verbs can be told. The zero value holds the defaults.
type Options struct {
	// Indexes is how many line indexes of large files are kept, each of at
	// most about 130 KB; 0 is 32.
	Indexes int
}

// Verbs gives the operations there are, by name. They share nothing with
// those of another call of Verbs, and are safe for concurrent use.
func Verbs(o Options) map[reeve.Verb]guard.Verb {
	if o.Indexes <= 0 {
		o.Indexes = 32
	}
	return map[reeve.Verb]guard.Verb{
		reeve.VerbListRoots:     listRoots{},
		reeve.VerbListDirectory: listDirectory{},
		reeve.VerbStat:          stat{},
		reeve.VerbSearchFiles:   searchFiles{},
		reeve.VerbReadFile:      readFile{newIndexes(o.Indexes)},
	}
}
