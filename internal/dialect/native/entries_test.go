package native_test

import (
	"strings"
	"testing"
	"time"

	"reeve"
	"reeve/internal/dialect"
)

func entries() []reeve.Entry {
	when := time.Date(2026, 11, 30, 20, 14, 59, 0, time.UTC)
	return []reeve.Entry{
		{Name: text("src"), Kind: reeve.Directory, Modified: when},
		{Name: text(".ssh"), Kind: reeve.Directory, Protected: true},
		{Name: text("notes.txt"), Kind: reeve.File, Size: 1240, Modified: when},
		{Name: text(`$'a\nb'`), Kind: reeve.File, Size: 0, Modified: when},
		{Name: text("current"), Kind: reeve.Symlink, Link: text("releases/7")},
		{Name: text(".env"), Kind: reeve.File, Protected: true, Size: 99},
		{Name: text("pipe"), Kind: reeve.Special},
	}
}

func TestAListingShowsEachKindInItsOwnForm(t *testing.T) {
	l := &reeve.Listing{Path: text("/r"), Entries: entries(), Left: 1230, Cursor: "abc", Changed: true, Truncated: "depth",
		Skipped: []reeve.Skipped{{Reason: "hidden", Count: 3}, {Reason: "unreadable", Count: 2, Paths: []reeve.Text{text("x/y")}}}}
	same(t, render(t, "list_directory", reeve.Result{Answer: l, Notes: []reeve.Text{text("A note.")}}, dialect.Context{}), strings.Join([]string{
		"/r: 7 entries shown", "src/", ".ssh/  protected", "notes.txt  1,240 B  2026-11-30 20:14",
		`$'a\nb'  0 B  2026-11-30 20:14`, "current -> releases/7", ".env  protected", "pipe  special",
		"Left out: 3 hidden (hidden: true shows them), 2 unreadable (x/y, …).",
		"The folder has changed since the page before: an entry may be missing or stand twice.",
		"Not complete (too deep).",
		`1,230 more. Go on with cursor: "abc"`, "A note."}, "\n"))
}

func TestAnEmptyFolderSaysSo(t *testing.T) {
	same(t, render(t, "list_directory", reeve.Result{Answer: &reeve.Listing{Path: text("/r")}}, dialect.Context{}), "/r: empty")
	l := &reeve.Listing{Path: text("/r"), Skipped: []reeve.Skipped{{Reason: "hidden", Count: 1}}}
	same(t, render(t, "list_directory", reeve.Result{Answer: l}, dialect.Context{}),
		"/r: nothing to show\nLeft out: 1 hidden (hidden: true shows them).")
}

func TestASearchShowsSizesOnlyWhenItWasAboutThem(t *testing.T) {
	f := &reeve.Found{Path: text("/r"), Entries: entries()[:3], Looked: 4321, Incomplete: []string{"time"}, Cursor: "c"}
	same(t, render(t, "search_files", reeve.Result{Answer: f}, dialect.Context{Call: &reeve.SearchFiles{}}), strings.Join([]string{
		"3 matches shown, below /r", "src/", ".ssh/  protected", "notes.txt", "Looked at 4,321 entries.",
		"Not complete (the time was up).", `There is more. Go on with cursor: "c"`}, "\n"))
	f.Incomplete, f.Cursor = nil, ""
	same(t, render(t, "search_files", reeve.Result{Answer: f}, dialect.Context{Call: &reeve.SearchFiles{Sort: "newest"}}), strings.Join([]string{
		"3 matches below /r", "src/  2026-11-30 20:14", ".ssh/  protected", "notes.txt  1,240 B  2026-11-30 20:14", "Looked at 4,321 entries."}, "\n"))
	same(t, render(t, "search_files", reeve.Result{Answer: &reeve.Found{Path: text("/r"), Looked: 1}}, dialect.Context{}),
		"No match below /r\nLooked at 1 entry.")
}

func TestStatIsOneFactALine(t *testing.T) {
	f := &reeve.Facts{Path: text("/r/a"), Kind: reeve.File, Size: 12345, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Permissions: "-rw-r--r--", Links: 2, Access: reeve.Read}
	same(t, render(t, "stat", reeve.Result{Answer: f}, dialect.Context{}), strings.Join([]string{
		"path: /r/a", "type: file", "size: 12,345 B", "modified: 2026-01-02T03:04:05Z", "permissions: -rw-r--r--",
		"names: 2 (hard links to the same file)", "access: read"}, "\n"))
	f = &reeve.Facts{Path: text("/r/l"), Kind: reeve.Symlink, Link: text("../x"), Modified: f.Modified, Access: reeve.ReadWrite}
	if s := render(t, "stat", reeve.Result{Answer: f}, dialect.Context{}); !strings.Contains(s, "type: symlink\nlink to: ../x\n") {
		t.Errorf("the link's text is missing:\n%s", s)
	}
}

func TestRootsThatCanNotBeUsedSayWhy(t *testing.T) {
	r := &reeve.Roots{Relative: text("/r"), Limits: []reeve.Limit{{Name: "read_lines", Value: 2000}, {Name: "read_bytes", Value: 50000, Unit: "bytes"}, {Name: "time", Value: 10, Unit: "ms"}},
		Roots: []reeve.RootInfo{
			{Target: reeve.Local, Path: text("/r"), Access: reeve.ReadWrite, State: reeve.StateOpen},
			{Target: reeve.Local, Path: text("/p"), Access: reeve.Read, State: reeve.StatePending},
			{Target: reeve.Local, Path: text("/s"), Access: reeve.Read, State: reeve.StateSuspended, Note: text("a link stands there")},
			{Target: "box", Path: text("/l"), Access: reeve.Read, State: reeve.StateLost},
		}}
	same(t, render(t, "list_roots", reeve.Result{Answer: r}, dialect.Context{}), strings.Join([]string{
		"/r  readwrite", "/p  read  pending: does not exist yet",
		"/s  read  suspended: the owner must confirm it  (a link stands there)", "/l  read  on box  lost: does not answer",
		"Relative paths start at /r", "Limits: read_lines 2,000, read_bytes 50,000, time 10 ms"}, "\n"))
	same(t, render(t, "list_roots", reeve.Result{Answer: &reeve.Roots{}}, dialect.Context{}), "No folder is granted.")
}

func TestRefusalsSayWhoSaidNo(t *testing.T) {
	for kind, want := range map[reeve.Kind]string{reeve.Policy: "Refused: ", reeve.Input: "Refused: ", reeve.Approval: "Refused: ", reeve.IO: "Failed: "} {
		got := dialect.Refusal(&reeve.Error{Path: "a", Kind: kind, Code: "c", What: "went wrong", Not: "Nothing was read.", Instead: "Rest."})
		same(t, got, want+"a went wrong. Nothing was read. Rest.\n("+string(kind)+": c)")
	}
}
