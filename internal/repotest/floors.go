package repotest

// Floor is one line of the import table.
type Floor struct {
	Package string // a folder, or "x/*" for the folders directly below x
	Floor   int
	May     []string // what of this module it may import, same patterns
	Why     string
}

// Kits stand beside the floors: only tests and other kits import them.
const kitFloor = 8

// Floors is the import table. Imports point down only. A package that is not
// here fails the build until somebody decides where it stands.
func Floors() []Floor {
	words := []string{".", "internal/pathname"}
	with := func(more ...string) []string { return append(more, words...) }
	skill := func(name, why string) Floor { return Floor{name, 1, words, why} }
	return []Floor{
		{".", 0, []string{"internal/pathname"}, "the words are what all parts share; a word that needs a part ties everybody to it"},
		{"internal/pathname", 0, nil, "a path is parsed as text before anything is known about disks or rules"},

		skill("internal/policy", "policy is pure: it judges places it is shown and finds nothing out by itself"),
		skill("internal/capfs", "the one door to user files knows no rules, else a rule could open a file"),
		skill("internal/record", "the record writes rows and knows nothing of what they mean"),
		skill("internal/approval", "questions and answers are data; who asks and who commits is the guard's business"),
		{"internal/approval/*", 1, with("internal/approval"), "a channel shows a question and brings an answer"},
		skill("internal/asking", "waiting is about a card and channels it is handed; who may answer is the table's business"),
		skill("internal/readstate", "what was seen is a table keyed by place"),
		skill("internal/history", "history keeps bytes by content and knows no verbs"),
		skill("internal/search", "matching is pure; the walk belongs to the guard's View"),
		{"internal/edit", 1, with("internal/textcode"), "an edit is computed on text it is handed; of other skills it needs the encodings alone"},
		skill("internal/textcode", "decoding takes bytes it is handed and opens nothing"),
		skill("internal/document", "document readers take a descriptor they are handed"),
		{"internal/document/*", 1, with("internal/document"), "a format knows its own bytes and the interface it meets"},
		skill("internal/secret", "redaction works on text that is about to leave"),
		skill("internal/bus", "the bus carries bytes between computers and knows no files"),
		skill("internal/worker", "the worker runs engines in a process of their own"),

		{"internal/guard", 2, with("internal/capfs"), "the gate reaches policy, approvals, record, history and read state through its own small interfaces, so that each can be replaced in a test and none can be skipped"},
		{"internal/ops", 3, with("internal/guard", "internal/search", "internal/edit", "internal/textcode", "internal/document"), "a verb has no other way to a file than the View; with capfs or policy at hand it could forget a check"},

		{"internal/target", 4, words, "where a call goes is decided from words"},
		{"internal/target/*", 4, with("internal/target", "internal/bus"), "a way to another computer speaks words over the bus"},
		{"internal/executor", 4, with("internal/bus"), "an executor serves a Doer; which one, the assembly decides"},
		{"internal/hub", 4, with("internal/bus"), "the hub passes requests on and has no files"},
		{"internal/transfer", 4, with("internal/bus"), "a transfer moves bytes between two Doers"},

		{"internal/mcpserver", 5, with("internal/dialect"), "the server renders what a Doer answered; it can show nothing that the gate did not clear"},
		{"internal/dialect", 5, words, "a dialect only translates: with ops or guard at hand it could act"},
		{"internal/dialect/*", 5, with("internal/dialect"), "a dialect only translates: with ops or guard at hand it could act"},
		{"internal/console", 5, with("internal/approval"), "the console is a surface over a Doer and the approvals"},

		{"node", 6, with("internal/policy", "internal/capfs", "internal/record", "internal/approval", "internal/approval/*", "internal/asking",
			"internal/readstate", "internal/history", "internal/search", "internal/edit", "internal/textcode", "internal/document", "internal/document/*",
			"internal/secret", "internal/bus", "internal/worker", "internal/guard", "internal/ops",
			"internal/target", "internal/target/*", "internal/executor", "internal/transfer",
			"internal/mcpserver", "internal/dialect", "internal/dialect/*", "internal/console"),
			"the assembly puts the parts together and is put together by nobody but doors and embedding programs"},

		{"internal/cli", 7, with("node", "internal/mcpserver", "internal/dialect", "internal/dialect/*", "internal/console",
			"internal/policy", "internal/record", "internal/approval", "internal/asking"),
			"the command line asks the assembled node; with capfs, guard or ops at hand it would be a second way to files"},
		{"cmd/reeve", 7, with("internal/cli"), "main only starts the command line"},
		{"cmd/reeve-hub", 7, with("internal/hub", "internal/bus"), "the hub's program has no gate, because it has no files"},

		{"reevetest", kitFloor, words, "the public kit takes any Doer, so it may know words only"},
		{"internal/capfstest", kitFloor, with("internal/capfs"), "a kit knows the interface it tests"},
		{"internal/documenttest", kitFloor, with("internal/document"), "a kit knows the interface it tests"},
		{"internal/approvaltest", kitFloor, with("internal/approval"), "a kit knows the interface it tests"},
		{"internal/bustest", kitFloor, with("internal/bus"), "a kit knows the interface it tests"},
		{"internal/attack", kitFloor, words, "the attack tools take any Doer or command line: they will be public"},
		{"internal/repotest", kitFloor, nil, "the rules read source text and need none of it"},
	}
}

// floorFile is where a new package is entered.
const floorFile = "internal/repotest/floors.go"

// External is one third-party module, or part of the standard library, that
// is not for everybody.
type External struct {
	Prefix string   // import path, itself and all below
	By     []string // folders that may import it in code that is shipped
	Tests  []string // folders whose tests may import it as well; "*" is all
	Why    string
}

// Externals is the list of what is used from elsewhere. A third-party import
// that meets no line fails.
func Externals() []External {
	all := []string{"*"}
	testOnly := func(prefix string) External {
		return External{prefix, []string{"internal/capfstest", "internal/attack", "reevetest"}, all, "test libraries stay out of what is shipped"}
	}
	return []External{
		{"github.com/modelcontextprotocol/go-sdk", []string{"internal/mcpserver"}, []string{"internal/mcpserver", "internal/attack", "internal/cli", "node", "cmd/reeve"},
			"one package speaks the protocol, so that its next generation changes one package"},
		{"github.com/nats-io", []string{"internal/bus", "internal/hub", "cmd/reeve-hub"}, []string{"internal/bus", "internal/hub"},
			"the engine under the bus can be exchanged while only the bus and the hub know it"},
		{"github.com/spf13", []string{"internal/cli", "cmd/reeve"}, nil, "flags belong to the command line"},
		{"github.com/pelletier/go-toml/v2", []string{"internal/policy", "node"}, nil, "configuration is read in one place, and edited where the owner adds a root"},
		{"github.com/bmatcuk/doublestar/v4", []string{"internal/search", "internal/policy"}, all, "globs are matched in one place"},
		{"github.com/gabriel-vasile/mimetype", []string{"internal/textcode", "internal/document", "internal/document/*"}, nil, "types are told where bytes are decoded"},
		{"github.com/aymanbagabas/go-udiff", []string{"internal/edit"}, nil, "a diff is made in one place"},
		{"github.com/zeebo/blake3", []string{".", "internal/textcode", "internal/capfs", "internal/capfstest", "internal/history", "internal/guard", "internal/readstate", "internal/ops"}, all, "content is hashed where it passes through memory anyway"},
		{"golang.org/x/sys", []string{"internal/capfs", "internal/capfstest", "internal/record", "internal/approval", "internal/approval/*", "internal/asking", "internal/history", "internal/worker", "node", "internal/cli", "internal/console", "internal/attack"}, all,
			"system calls stay in the packages that own a descriptor"},
		{"golang.org/x/text", []string{"internal/pathname", "internal/policy", "internal/textcode", "internal/search", "internal/guard", "internal/ops"}, all, "Unicode tables are large and slow to start; few need them"},
		testOnly("github.com/rogpeppe/go-internal"),
		testOnly("pgregory.net/rapid"),
		testOnly("github.com/google/go-cmp"),
		testOnly("go.uber.org/goleak"),
		testOnly("github.com/fsnotify/fsnotify"),

		{"net", []string{"internal/mcpserver", "internal/console", "internal/bus", "internal/hub", "internal/executor", "internal/approval", "internal/approval/*", "internal/cli", "cmd/reeve-hub", "internal/attack"}, all,
			"the gate and what is below it talk to nobody: what is read can leave only through a surface"},
		{"os/exec", []string{"internal/worker", "internal/approval/*", "internal/console", "internal/cli", "internal/target/*", "internal/attack", "internal/repotest"}, all,
			"no part of the way to a file starts a program"},
		{"plugin", nil, nil, "code is not loaded at run time"},
		{"io/ioutil", nil, nil, "it opens files by path under another name"},
	}
}

// pure are packages that work on what they are handed.
func pure() []string {
	return []string{".", "internal/pathname", "internal/policy", "internal/search", "internal/edit", "internal/textcode", "internal/dialect", "internal/dialect/*", "internal/ops"}
}
