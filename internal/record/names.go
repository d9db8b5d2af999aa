package record

import (
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

const (
	recordDir   = "record"
	extension   = ".jsonl"
	beside      = ".details" // instead of it, for the segment's long rows
	monthLayout = "2006-01"
	startLayout = "20060102T150405Z"
)

// named is a segment file as its name tells it.
type named struct {
	Name  string // month/file
	Start time.Time
}

// segments lists the segment files of all months from `from` on (all of them
// when it is zero), by their start. Names that are not a segment's are passed
// over: the folder is Reeve's own, but it may hold what a person put there.
func segments(root *os.Root, from time.Time) ([]named, error) {
	first := ""
	if !from.IsZero() {
		// A process may have kept its old month's file for a while.
		first = from.UTC().AddDate(0, -1, 0).Format(monthLayout)
	}
	months, err := readNames(root, recordDir)
	if err != nil {
		return nil, err
	}
	var list []named
	for _, m := range months {
		if _, err := time.Parse(monthLayout, m); err != nil || m < first {
			continue
		}
		files, err := readNames(root, path.Join(recordDir, m))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if start, ok := startOf(f); ok {
				list = append(list, named{m + "/" + f, start})
			}
		}
	}
	slices.SortFunc(list, func(a, b named) int {
		if c := a.Start.Compare(b.Start); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list, nil
}

// startOf reads the start out of machine-boot-start-random.jsonl.
func startOf(file string) (time.Time, bool) {
	t, err := time.Parse(startLayout, startText(file))
	return t, err == nil
}

// startText is the start as it is written, empty if the file is no segment.
func startText(file string) string {
	stem, ok := strings.CutSuffix(file, extension)
	if !ok || strings.Count(stem, "-") != 3 {
		return ""
	}
	_, stem, _ = strings.Cut(stem, "-")
	_, stem, _ = strings.Cut(stem, "-")
	start, _, _ := strings.Cut(stem, "-")
	if len(start) != len(startLayout) {
		return ""
	}
	return start
}

// detailsOf is the path, in the state folder, of the details of a segment.
func detailsOf(segment string) string {
	return path.Join(recordDir, strings.TrimSuffix(segment, extension)+beside)
}

func readNames(root *os.Root, dir string) ([]string, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
