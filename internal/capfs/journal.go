package capfs

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"reeve"
)

// journal is this process's list of what it is in the middle of. It is one
// file, locked while the process lives: whoever can lock it may see to what
// was left. Its folder also holds the blobs of writes in place.
type journal struct {
	dir, machine string
	fault        func(string) error

	mu      sync.Mutex
	f       *os.File
	name    string
	open    map[string][]noteStep
	later   map[string]*displaced // still written to by others
	size    int64
	count   int
	durable bool // the file's own name is on disk
	shut    bool
}

const (
	journalEnd = ".journal"
	// journalMax is where a journal without anything open begins anew.
	journalMax = 64 << 10
)

// stepKind is what one step of a note is about.
type stepKind string

const (
	stepScratch stepKind = "scratch" // two scratch files of a probe
	stepInPlace stepKind = "in_place"
	stepLate    stepKind = "late" // displaced, and still written to
)

// note is one line of a journal.
type note struct {
	ID    string     `json:"id"`
	T     string     `json:"t"` // begin, commit, end
	Multi bool       `json:"multi,omitempty"`
	Steps []noteStep `json:"steps,omitempty"`
}

// noteStep is one change, with what tells old from new without reading them.
type noteStep struct {
	Kind     stepKind       `json:"kind"`
	Folder   reeve.Name     `json:"folder"`
	FolderID reeve.Identity `json:"folder_id"`
	Missing  []reeve.Name   `json:"missing,omitempty"`
	Name     reeve.Name     `json:"name,omitempty"`
	Temp     reeve.Name     `json:"temp,omitempty"`
	OldKind  reeve.FileKind `json:"old_kind,omitempty"`
	Old      reeve.Stamp    `json:"old,omitzero"`
	New      reeve.Stamp    `json:"new,omitzero"`
	To       *noteEnd       `json:"to,omitempty"`
	Copied   bool           `json:"copied,omitempty"`
	At       int64          `json:"at,omitempty"` // when, for things without New
	OldBlob  string         `json:"old_blob,omitempty"`
	NewBlob  string         `json:"new_blob,omitempty"`
}

type noteEnd struct {
	Folder   reeve.Name     `json:"folder"`
	FolderID reeve.Identity `json:"folder_id"`
	Missing  []reeve.Name   `json:"missing,omitempty"`
	Name     reeve.Name     `json:"name"`
}

var errNoJournal = errors.New("there is no journal folder")

// begin notes what is about to happen. A durable note is on disk when it
// returns. Without a folder only durable notes fail.
func (j *journal) begin(durable bool, steps ...noteStep) (id string, err error) {
	if j.dir == "" {
		if durable {
			return "", errNoJournal
		}
		return "", nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.start(); err != nil {
		return "", err
	}
	j.count++
	id = strconv.Itoa(j.count)
	if err := j.append(note{ID: id, T: "begin", Multi: len(steps) > 1, Steps: steps}); err != nil {
		return "", err
	}
	j.open[id] = steps
	if !durable {
		return id, nil
	}
	return id, j.sync()
}

func (j *journal) sync() error {
	if err := j.fault("sync journal"); err != nil {
		return err
	}
	if err := j.f.Sync(); err != nil {
		return err
	}
	if j.durable {
		return nil
	}
	d, err := os.Open(j.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := syncFolder(d); err != nil {
		return err
	}
	j.durable = true
	return nil
}

// commit says, durably, that the changes of a note stand.
func (j *journal) commit(id string) error {
	if id == "" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.append(note{ID: id, T: "commit"}); err != nil {
		return err
	}
	return j.sync()
}

// end says that nothing is left to be seen to. If that cannot be written, the
// next start looks for nothing once.
func (j *journal) end(id string) {
	if id == "" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, ok := j.open[id]; !ok {
		return
	}
	delete(j.open, id)
	if j.f == nil {
		return
	}
	if len(j.open) == 0 && j.size > journalMax && j.f.Truncate(0) == nil {
		j.size = 0
		return
	}
	_ = j.append(note{ID: id, T: "end"})
}

// keepLater notes a displaced file that another program still writes to, and
// reports that it took it over. Without a journal the file stays where it is.
func (j *journal) keepLater(d *displaced) bool {
	self, err := d.at.self()
	if err != nil {
		return false
	}
	id, err := j.begin(false, noteStep{Kind: stepLate, Folder: reeve.Name(d.path), FolderID: self.Identity,
		Name: reeve.Name(d.was), Temp: reeve.Name(d.name), OldKind: d.info.Kind, Old: d.info.Stamp})
	if err != nil || id == "" {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.shut {
		return false // the note tells the next start
	}
	if j.later == nil {
		j.later = map[string]*displaced{}
	}
	j.later[id] = d
	return true
}

func (j *journal) append(n note) error {
	if err := j.fault("journal " + n.T); err != nil {
		return err
	}
	b, err := json.Marshal(n)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	k, err := j.f.Write(b)
	j.size += int64(k)
	return err
}

// start opens and locks the process's file.
func (j *journal) start() error {
	if j.shut {
		return os.ErrClosed
	}
	if j.f != nil {
		return nil
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return err
	}
	for try := 0; ; try++ {
		var b [6]byte
		rand.Read(b[:])
		name := j.prefix() + strconv.Itoa(os.Getpid()) + "-" + hex.EncodeToString(b[:])
		f, err := os.OpenFile(filepath.Join(j.dir, name+journalEnd), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		// Somebody who tidies up may have been quicker with the lock, and
		// have removed the empty file.
		locked := lockFile(f) == nil
		there, err := os.Stat(f.Name())
		mine, err2 := f.Stat()
		if locked && err == nil && err2 == nil && os.SameFile(there, mine) {
			j.f, j.name, j.open = f, name, map[string][]noteStep{}
			return nil
		}
		f.Close()
		if try == 8 {
			return errors.New("the journal cannot be locked")
		}
	}
}

func (j *journal) prefix() string {
	if j.machine == "" {
		return "local-"
	}
	return strings.Map(func(r rune) rune {
		if r == os.PathSeparator || r == '/' || r == '-' {
			return '_'
		}
		return r
	}, j.machine) + "-"
}

// blob makes a file in the journal's folder, with what fn writes, on disk
// when it returns.
func (j *journal) blob(fn func(*os.File) error) (name string, err error) {
	j.mu.Lock()
	if err = j.start(); err == nil {
		j.count++
		name = j.name + "." + strconv.Itoa(j.count)
	}
	j.mu.Unlock()
	if err != nil {
		return "", err
	}
	path := filepath.Join(j.dir, name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	err = fn(f)
	if err == nil {
		err = j.fault("sync blob")
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(path)
		return "", err
	}
	j.mu.Lock()
	j.durable = false // the folder has one more name
	j.mu.Unlock()
	return name, nil
}

func (j *journal) openBlob(name string) (*os.File, error) {
	return os.Open(filepath.Join(j.dir, name))
}

func (j *journal) discard(name string) {
	if name != "" {
		os.Remove(filepath.Join(j.dir, name))
	}
}

// displaced is a blob with old bytes, to be taken by history.
func (j *journal) displaced(name string, was Info) (*displaced, error) {
	root, err := j.root()
	if err != nil {
		return nil, err
	}
	at := newRootSite(root)
	info, err := at.look(name)
	if err != nil {
		at.close()
		return nil, err
	}
	return &displaced{at: at, name: name, info: info, told: &was, blob: true}, nil
}

func (j *journal) root() (*sharedRoot, error) {
	r, err := os.OpenRoot(j.dir)
	if err != nil {
		return nil, err
	}
	return shareRoot(r), nil
}

// close ends the journal; a file with something open stays for the next
// start.
func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.shut = true
	if j.f == nil {
		return nil
	}
	f := j.f
	j.f = nil
	for _, d := range j.later {
		d.at.close()
		d.file.Close()
	}
	if len(j.open) == 0 {
		os.Remove(f.Name())
	}
	return f.Close()
}

// parseJournal gives the notes of a dead process that were never ended, and
// which of them were committed. A torn last line never happened.
func parseJournal(b []byte) (open []note, committed map[string]bool) {
	committed = map[string]bool{}
	at := map[string]int{}
	for line := range strings.Lines(string(b)) {
		line, whole := strings.CutSuffix(line, "\n")
		var n note
		if !whole || json.Unmarshal([]byte(line), &n) != nil || n.ID == "" {
			continue
		}
		switch n.T {
		case "begin":
			at[n.ID] = len(open)
			open = append(open, n)
		case "commit":
			committed[n.ID] = true
		case "end":
			if i, ok := at[n.ID]; ok {
				open[i].ID = ""
			}
		}
	}
	kept := open[:0]
	for _, n := range open {
		if n.ID != "" {
			kept = append(kept, n)
		}
	}
	return kept, committed
}
