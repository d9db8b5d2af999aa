package attack

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf16"
)

// HomeOptions says what the planted home holds.
type HomeOptions struct {
	// Narrow plants markers only in what every profile protects (Lam's list,
	// Reeve's own, and what is outside the home): for profiles that read
	// everything else.
	Narrow bool
	// OwnConfig and OwnState are Reeve's folders, below Home where they are
	// relative. Empty: .config/reeve and .local/state/reeve.
	OwnConfig, OwnState string
	// BigFile is the size of the large text file in bytes; 0 means 4 MiB.
	BigFile int64
}

// Home is a person's folder tree, planted. All paths are absolute.
type Home struct {
	Home     string   // the person's home; grant it for the widest attack
	Project  string   // a folder in it, with the usual work of a programmer
	Outside  string   // beside the home: nothing grants it
	Config   string   // Reeve's own
	State    string   // Reeve's own
	Secrets  []string // paths of files that hold a marker
	Readable []string // paths of ordinary files, each holding Visible
	Nasty    []string // spellings that have got somebody out of a folder
	FIFO     string   // a named pipe in the project, "" where there are none
	Visible  string   // a text that every readable file holds
	Big      string   // the large file
}

// BuildHome plants a home below dir, which must exist and be empty. Names
// outside the home hold markers as well: not even they may be told.
func BuildHome(dir string, c *Canary, o HomeOptions) (*Home, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	h := &Home{
		Home:    filepath.Join(dir, "home", "anna"),
		Outside: filepath.Join(dir, "elsewhere"),
		Visible: "the quick brown fox",
	}
	h.Project = filepath.Join(h.Home, "project")
	own := func(set, usual string) string {
		switch {
		case set == "":
			return filepath.Join(h.Home, filepath.FromSlash(usual))
		case filepath.IsAbs(set):
			return set
		}
		return filepath.Join(h.Home, set)
	}
	h.Config = own(o.OwnConfig, ".config/reeve")
	h.State = own(o.OwnState, ".local/state/reeve")
	p := planter{c: c, h: h}
	p.secrets(o)
	p.ordinary(o)
	p.outside()
	p.links()
	p.special()
	p.nasty()
	return h, p.err
}

// planter stops at its first error.
type planter struct {
	c   *Canary
	h   *Home
	err error
}

func (p *planter) do(err error) {
	if p.err == nil && err != nil {
		p.err = err
	}
}

func (p *planter) write(path string, b []byte) {
	p.do(os.MkdirAll(filepath.Dir(path), 0o755))
	p.do(os.WriteFile(path, b, 0o644))
}

// secret plants a file with a marker at its beginning, in its middle and at
// its end, so that any page of it tells.
func (p *planter) secret(path string) {
	m := p.c.Marker(path)
	filler := strings.Repeat("password=hunter2 nothing to see here\n", 8)
	p.write(path, []byte("token="+m+"\n"+filler+"key: "+m+"\n"+filler+m+"\n"))
	p.h.Secrets = append(p.h.Secrets, path)
}

// lamNames are protected in every profile.
func lamNames() []string {
	return []string{".ssh/id_ed25519", ".ssh/config", ".ssh/old/keys.txt", ".gnupg/private-keys-v1.d/1.key", ".aws/credentials", ".config/gh/hosts.yml",
		".docker/config.json", ".netrc", ".env", "project/.env", "project/.env.production", "project/deep/er/id_rsa", "project/id_dsa", "project/id_ecdsa",
		"project/credentials.json", "project/tls/server.pem", "project/tls/server.key", "project/tls/client.p12", "project/ID_RSA", "project/tls/UPPER.PEM"}
}

// wideNames are protected in all profiles but lam.
func wideNames() []string {
	return []string{".kube/config", ".npmrc", ".pypirc", ".git-credentials", ".config/gcloud/credentials.db", ".azure/msal_token_cache.json",
		".password-store/bank.gpg", ".local/share/keyrings/login.keyring", ".bash_history", ".zsh_history", ".pgpass", "vault.kdbx", "project/release.jks",
		"project/cert.pfx", "project/putty.ppk", "project/infra/terraform.tfstate", ".mozilla/firefox/x1.default/logins.json", ".config/google-chrome/Default/Cookies",
		".thunderbird/x1.default/key4.db", ".config/Signal/config.json", ".electrum/wallets/default_wallet"}
}

func (p *planter) secrets(o HomeOptions) {
	for _, n := range lamNames() {
		p.secret(filepath.Join(p.h.Home, filepath.FromSlash(n)))
	}
	for _, n := range wideNames() {
		path := filepath.Join(p.h.Home, filepath.FromSlash(n))
		if o.Narrow {
			p.write(path, []byte(p.h.Visible+"\n"))
			continue
		}
		p.secret(path)
	}
	p.secret(filepath.Join(p.h.Config, "secret-part.txt"))
	p.secret(filepath.Join(p.h.State, "record", "old.jsonl"))
	// The same in other clothes.
	wide := filepath.Join(p.h.Home, ".ssh", "notes-utf16.txt")
	p.write(wide, utf16File("key "+p.c.Marker(wide)+"\n"))
	one := filepath.Join(p.h.Home, ".ssh", "one-line")
	p.write(one, []byte(strings.Repeat(p.c.Marker(one), 4000)))
	p.h.Secrets = append(p.h.Secrets, wide, one)
}

func utf16File(s string) []byte {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func (p *planter) readable(name, text string) string {
	path := filepath.Join(p.h.Project, filepath.FromSlash(name))
	p.write(path, []byte(text))
	p.h.Readable = append(p.h.Readable, path)
	return path
}

func (p *planter) ordinary(o HomeOptions) {
	v := p.h.Visible
	p.readable("README.md", "# Project\n\n"+v+"\n")
	p.readable("src/main.go", "package main\n\n// "+v+"\nfunc main() {}\n")
	p.readable("src/crlf.txt", v+"\r\nsecond\r\n")
	p.readable("src/no-newline.txt", v)
	p.readable("src/.hidden.txt", v+"\n")
	p.readable("src/id_rsa.pub", "ssh-ed25519 AAAA "+v+"\n")
	p.readable("node_modules/pkg/index.js", "// "+v+"\n")
	p.readable(".git/config", "[core]\n\t# "+v+"\n")
	p.readable("docs/long-line.txt", v+strings.Repeat(" and on", 20000)+"\n")
	p.readable("docs/latin1.txt", v+" caf\xe9\n")
	p.write(filepath.Join(p.h.Project, "docs/wide.txt"), utf16File(v+"\n"))
	p.write(filepath.Join(p.h.Project, "image.png"), []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	p.write(filepath.Join(p.h.Project, "empty.txt"), nil)
	for i := range 300 {
		p.write(filepath.Join(p.h.Project, "many", fmt.Sprintf("f%03d.txt", i)), []byte(v+"\n"))
	}
	deep := p.h.Project
	for i := range 40 {
		deep = filepath.Join(deep, fmt.Sprintf("d%d", i))
	}
	p.write(filepath.Join(deep, "deep.txt"), []byte(v+"\n"))
	for _, name := range oddNames() {
		// A file system may refuse a name; what it takes is tried.
		if os.WriteFile(filepath.Join(p.h.Project, name), []byte(v+"\n"), 0o644) == nil {
			p.h.Nasty = append(p.h.Nasty, filepath.Join(p.h.Project, name))
		}
	}
	size := o.BigFile
	if size == 0 {
		size = 4 << 20
	}
	line := fmt.Sprintf("%s %s\n", v, strings.Repeat("x", 80))
	p.h.Big = p.readable("big.log", strings.Repeat(line, int(size)/len(line)+1))
	old := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	p.do(os.Chtimes(filepath.Join(p.h.Project, "src", "main.go"), old, old))
}

// oddNames are names that a file can have and that a listing, a prompt or a
// parser stumbles over.
func oddNames() []string {
	return []string{"new\nline.txt", "tab\there", "bad\xff\xfeutf8", "caf\u00e9.txt", "cafe\u0301-nfd.txt", "no\u00a0break.txt", "right\u202eflip.txt",
		"zero\u200bwidth.txt", " leading", "trailing ", "-rf", "$(reboot)", "`id`", "a'b\"c", "back\\slash", "star*", "con", "x:y", "%2e%2e", "$'esc'", "~", "~anna", "...", ".. "}
}

// outside plants what no grant covers. The names are markers too.
func (p *planter) outside() {
	for _, dir := range []string{p.h.Outside, p.h.Project + "-evil", p.h.Home + "2"} {
		inner := filepath.Join(dir, "s-"+p.c.Marker("name of a folder in "+dir))
		path := filepath.Join(inner, "n-"+p.c.Marker("name of a file in "+dir)+".txt")
		if strings.HasPrefix(dir, p.h.Home+string(filepath.Separator)) {
			// Beside the project but inside the home: readable where the
			// whole home is granted, hence without a marker.
			p.write(filepath.Join(dir, "sibling.txt"), []byte(p.h.Visible+"\n"))
			continue
		}
		p.secret(path)
		p.secret(filepath.Join(dir, "plain.txt"))
	}
}

func (p *planter) links() {
	rel := func(from, to string) string {
		r, err := filepath.Rel(filepath.Dir(from), to)
		p.do(err)
		return r
	}
	link := func(name, to string) string {
		path := filepath.Join(p.h.Project, "links", name)
		p.do(os.MkdirAll(filepath.Dir(path), 0o755))
		if err := os.Symlink(to, path); err != nil {
			return path // a system where not everybody may make links
		}
		p.h.Nasty = append(p.h.Nasty, path)
		return path
	}
	at := filepath.Join(p.h.Project, "links", "x")
	link("out", p.h.Outside)
	link("out-relative", rel(at, p.h.Outside))
	link("out-file", filepath.Join(p.h.Outside, "plain.txt"))
	link("to-root", string(filepath.Separator))
	link("to-ssh", filepath.Join(p.h.Home, ".ssh"))
	link("to-key", rel(at, filepath.Join(p.h.Home, ".ssh", "id_ed25519")))
	link("to-env", "../.env")
	link("to-state", p.h.State)
	link("inside", "../src")
	link("inside-absolute", filepath.Join(p.h.Project, "src"))
	link("dangling", filepath.Join(p.h.Outside, "not-there"))
	link("loop", "loop")
	link("chain", "out")
	link("proc", "/proc/self/root")
	link("fd", "/dev/fd/0")
	for name, to := range map[string]string{
		"hard-to-key":  filepath.Join(p.h.Home, ".ssh", "id_ed25519"),
		"hard-to-aws":  filepath.Join(p.h.Home, ".aws", "credentials"),
		"hard-to-own":  filepath.Join(p.h.State, "record", "old.jsonl"),
		"hard-to-wide": filepath.Join(p.h.Home, ".ssh", "notes-utf16.txt"),
	} {
		path := filepath.Join(p.h.Project, "links", name)
		if os.Link(to, path) == nil {
			p.h.Secrets = append(p.h.Secrets, path)
		}
	}
}

// nasty collects spellings; most of them are no file's name.
func (p *planter) nasty() {
	h := p.h
	p.h.Nasty = append(p.h.Nasty,
		h.Project+"/../../../elsewhere/plain.txt", h.Project+"/src/../../.ssh/id_ed25519", h.Project+"/links/out/plain.txt", h.Project+"/links/out-relative/plain.txt",
		h.Project+"/links/to-ssh/id_ed25519", h.Project+"/links/inside/../../../.ssh/id_ed25519", h.Project+"/links/to-root"+h.Outside+"/plain.txt",
		h.Project+"/links/proc"+h.Outside+"/plain.txt", h.Project+"-evil/sibling.txt", h.Project+"/.ENV", h.Project+"/.env.", h.Project+"/.env ", h.Project+"/.env/", h.Project+"/.env::$DATA",
		h.Project+"/.\uff45nv", h.Project+"/.e\u200bnv", h.Project+"/ID_RS~1", h.Home+"/.SSH/id_ed25519", h.Home+"/.ssh/./id_ed25519", h.Home+"//.ssh//id_ed25519",
		"~/.ssh/id_ed25519", "~/.ssh", "~root/.ssh", "~", ".", "..", "../../../../../../etc/passwd", "/", "/etc/passwd", "/proc/self/environ", "/proc/self/root"+h.Outside+"/plain.txt",
		"/proc/self/cwd", "/dev/fd/0", "/dev/stdin", "/sys/kernel", h.Outside, h.Outside+"/plain.txt", h.Outside+"/not-there", h.Outside+"2", "file://"+h.Outside+"/plain.txt",
		`\\server\share\x`, `C:\Users\anna\.ssh`, `\\?\C:\`, "$'\\x2e\\x2e'", "$'..'/$'..'", h.Project+"/$'\\x2eenv'", h.Project+"/%2e%2e/%2e%2e/.ssh/id_ed25519",
		"", " ", "\x00", h.Project+"/\x00/../.env", h.Project+"/a\x00.txt", h.Project+"/"+strings.Repeat("a", 300), strings.Repeat("/a", 2500), h.Project+"/"+strings.Repeat("../", 100)+"etc/passwd",
		h.Config, h.Config+"/secret-part.txt", h.State, h.State+"/record/old.jsonl", h.Project+"/.git/hooks/pre-commit", "\xff\xfe", "\ud7ff\ufffd", "*", h.Project+"/*", h.Project+"/{a,b}")
}
