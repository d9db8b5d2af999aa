package capfs

import "os"

// site is a held folder in which names are changed. What a system cannot do
// gives errUnable; other errors are the system's own. Names are single ones.
type site struct {
	finder
	shifter
	maker
	teller
	opener
	keeper
}

// finder tells what is in the folder. It follows no link and opens nothing
// but regular files and folders.
type finder interface {
	look(name string) (Info, error)
	open(name string, write bool) (*os.File, Info, error)
	enter(name string) (site, error)
}

// shift is what happens to a name that is there already.
type shift int

const (
	over     shift = iota // it is replaced
	keep                  // the call fails with EEXIST
	exchange              // both names change places
)

// shifter moves names. A link is moved itself.
type shifter interface {
	shift(name string, to site, as string, how shift) error
	// link gives a file one more name and refuses an existing one.
	link(name string, to site, as string) error
	remove(name string, folder bool) error
}

// maker makes new things. Mode is what the process's umask is taken from.
type maker interface {
	mkdir(name string) error
	// fresh makes an empty file under a hidden name, or without any when
	// hidden is empty.
	fresh(hidden string, mode uint32) (*os.File, error)
	// publish names a file that has none and refuses an existing name.
	publish(f *os.File, as string) error
}

// teller reads and makes what is neither file nor name.
type teller interface {
	text(link string) (string, error)
	symlink(text, name string) error
	// list gives the first entries, at least one if there is any.
	list(max int) ([]DirEntry, error)
}

// opener is about descriptors: that of the folder, opened for reading, and the
// facts of an opened file in the words that look has for them. Writable is a
// guess about the folder; the system decides when it is tried.
type opener interface {
	folder() (*os.File, error)
	facts(f *os.File) (Info, error)
	writable() bool
}

// keeper is about the folder itself.
type keeper interface {
	self() (Info, error)
	sync() error
	close() error
}

// here reports that there is a site at all.
func (s site) here() bool { return s.keeper != nil }

// siteOf holds the folder of a node a second time.
func siteOf(n Node) (site, error) {
	switch n := n.(type) {
	case siter:
		return n.site()
	}
	return site{}, errUnable
}

// siter is a node of a folder in which names can be changed.
type siter interface {
	site() (site, error)
}
