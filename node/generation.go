package node

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"time"
)

// generationFile stands beside the configuration and is written anew by every
// edit that Reeve makes, so that running nodes see it at their next call even
// where a file system's times are coarse.
func generationFile(configFile string) string {
	return filepath.Join(filepath.Dir(configFile), "generation")
}

func bumpGeneration(configFile string) error {
	return os.WriteFile(generationFile(configFile), []byte(rand.Text()+"\n"), 0o600)
}

// seenFile is what a look at a file tells, enough to notice a change.
type seenFile struct {
	missing bool
	failed  bool
	size    int64
	mtime   time.Time
	id      any // the system's own numbers for it
}

// settles is how old a change must be before its time can be trusted to
// differ from that of the next one.
const settles = 2 * time.Second

// look tells a file's state. Recent says that it may have changed again
// without showing it.
func look(path string, now time.Time) (s seenFile, recent bool) {
	st, err := os.Stat(path)
	if err != nil {
		return seenFile{missing: os.IsNotExist(err), failed: !os.IsNotExist(err)}, false
	}
	s = seenFile{size: st.Size(), mtime: st.ModTime(), id: fileID(st)}
	age := now.Sub(st.ModTime())
	return s, age > -settles && age < settles
}
