package node

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// editConfig changes the file under a lock, so that two edits at once are
// both kept.
func editConfig(configFile string, edit func(old []byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(configFile), 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(configFile+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := lockFile(lock); err != nil {
		return err
	}
	b, err := readConfig(configFile)
	if err != nil {
		return err
	}
	old, marked := bytes.CutPrefix(b, []byte(byteOrderMark))
	text, err := edit(slices.Clone(old))
	if err != nil || bytes.Equal(text, old) {
		return err
	}
	if marked {
		text = slices.Concat([]byte(byteOrderMark), text)
	}
	if err := writeWhole(configFile, text); err != nil {
		return err
	}
	return bumpGeneration(configFile)
}

// byteOrderMark is what some editors put in front of a text. It stays there.
const byteOrderMark = "\uFEFF"

func decodeRoots(b []byte) (rootsOnly, error) {
	var r rootsOnly
	return r, toml.Unmarshal(bytes.TrimPrefix(b, []byte(byteOrderMark)), &r)
}

// cutRoot takes the [[root]] table of a path out of the text, by lines.
func cutRoot(text []byte, path string) ([]byte, error) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := range lines {
		if !isRootHeader(lines[i]) {
			continue
		}
		end := i + 1
		for end < len(lines) && !bytes.HasPrefix(bytes.TrimSpace(lines[end]), []byte("[")) {
			end++
		}
		r, err := decodeRoots(bytes.Join(lines[i:end], nil))
		if err != nil || len(r.Root) != 1 || granted(r.Root[0].Path) != path {
			continue
		}
		// What stands between the last entry and the next table is about that.
		last := i + 1
		for k := i + 1; k < end; k++ {
			if t := bytes.TrimSpace(lines[k]); len(t) > 0 && t[0] != '#' {
				last = k + 1
			}
		}
		from := i
		if from > 0 && len(bytes.TrimSpace(lines[from-1])) == 0 {
			from--
		}
		return bytes.Join(append(slices.Clone(lines[:from]), lines[last:]...), nil), nil
	}
	return nil, ErrEditByHand
}

func isRootHeader(line []byte) bool {
	s, _, _ := strings.Cut(string(line), "#")
	s = strings.Join(strings.Fields(s), "")
	return s == "[[root]]"
}

// checkEdit reads the new text as a whole: it must say what the old one said,
// but for this one folder.
func checkEdit(text []byte, before rootsOnly, path, access string) error {
	after, err := decodeRoots(text)
	if err != nil {
		return ErrEditByHand
	}
	want := map[string]string{}
	for _, r := range before.Root {
		want[granted(r.Path)] = r.Access
	}
	if access == "" {
		delete(want, path)
	} else {
		want[path] = access
	}
	got := map[string]string{}
	for _, r := range after.Root {
		got[granted(r.Path)] = r.Access
	}
	if len(got) != len(want) {
		return ErrEditByHand
	}
	for p, a := range want {
		if got[p] != a {
			return ErrEditByHand
		}
	}
	return nil
}
