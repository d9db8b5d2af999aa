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
	// Key gives the secret that cursors are sealed with, of at least 16
	// bytes. Verbs with the same secret take each other's cursors. It is
	// called when the first cursor is needed, and once. Nil, or a shorter
	// secret, makes one that no other Verbs has.
	Key func() []byte
	// Kept is what history keeps. Without it nothing is brought back.
	Kept Kept
}

// minSecret is the shortest secret that is used, in bytes.
const minSecret = 16

// Verbs gives the operations there are, by name. They share nothing with
// those of another call of Verbs, and are safe for concurrent use.
func Verbs(o Options) map[reeve.Verb]guard.Verb {
	if o.Indexes <= 0 {
		o.Indexes = 32
	}
	seal := &seal{secret: o.Key}
	turns := newTurns()
	verbs := map[reeve.Verb]guard.Verb{
		reeve.VerbListRoots:     listRoots{},
		reeve.VerbListDirectory: listDirectory{seal, turns},
		reeve.VerbStat:          stat{},
		reeve.VerbSearchFiles:   searchFiles{seal, turns},
		reeve.VerbReadFile:      readFile{newIndexes(o.Indexes)},

		reeve.VerbWriteFile:       writeFile{},
		reeve.VerbEditFile:        editFile{},
		reeve.VerbCreateDirectory: createDirectory{},
		reeve.VerbCopyPath:        copyPath{},
		reeve.VerbMovePath:        movePath{},
		reeve.VerbDeletePath:      deletePath{},
	}
	if o.Kept != nil {
		verbs[reeve.VerbRestore] = restore{o.Kept}
	}
	return verbs
}
