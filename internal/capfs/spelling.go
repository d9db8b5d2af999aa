package capfs

import (
	"errors"
	"io"
	"strings"
)

// spellingMax is how many entries are looked through for a name's spelling;
// in larger folders the name stays as it was written.
const spellingMax = 10_000

// spellingByListing finds the entry of a folder that a name stands for, by
// looking through the folder: the same bytes, or else the same letters and
// the same thing.
func spellingByListing(folder Node, name string, info Info) (string, error) {
	o, ok := folder.(FolderOpener)
	if !ok {
		return "", errUnable
	}
	open, err := o.OpenFolder()
	if err != nil {
		return "", err
	}
	defer open.Close()
	lister, ok := open.(Lister)
	if !ok {
		return "", errUnable
	}
	found := ""
	var batch []DirEntry
	for seen := 0; seen < spellingMax; seen += len(batch) {
		batch, err = lister.List(batch[:0], false)
		for _, e := range batch {
			if e.Name == name {
				return name, nil
			}
			if found != "" || !strings.EqualFold(e.Name, name) {
				continue
			}
			if child, err := open.Child(e.Name); err == nil {
				if i, err := child.Info(false); err == nil && i.SameFile(info.Identity) {
					found = e.Name
				}
				child.Close()
			}
		}
		if errors.Is(err, io.EOF) || err != nil {
			break
		}
	}
	return found, nil
}
