package attack

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

func utf16Bytes(s string, big bool) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func TestCanaryFindsAMarkerInEveryForm(t *testing.T) {
	c := NewCanary("forms")
	c.Marker("another")
	m := c.Marker("the key")
	js := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	each := func(s, format string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, format, s[i])
		}
		return b.String()
	}
	reverse := func(s string) string {
		b := []byte(s)
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		return string(b)
	}
	cases := map[string]string{
		"plain":                m,
		"upper case":           strings.ToUpper(m),
		"among bytes":          "\xff\xfe" + m + "\x00",
		"UTF-16LE":             string(utf16Bytes(m, false)),
		"UTF-16BE":             "\x00" + string(utf16Bytes(m, true)),
		"UTF-16 shown as JSON": js(string(utf16Bytes(m, false))),
		"JSON escapes":         each(m, `\u%04x`),
		"JSON within JSON":     js(js(each(m, `\u%04x`))),
		"bytes as \\xNN":       each(m, `\x%02X`),
		"octal":                each(m, `\%03o`),
		"percent":              each(m, `%%%02x`),
		"HTML":                 each(m, `&#%d;`),
		"HTML hexadecimal":     each(m, `&#x%x;`),
		"hexadecimal":          hex.EncodeToString([]byte(m)),
		"HEXADECIMAL":          strings.ToUpper(hex.EncodeToString([]byte(m))),
		"reversed":             reverse(m),
		"quoted in Go":         strconv.QuoteToASCII("\x01" + m),
		"in an address":        url.QueryEscape("é " + m),
		"a piece":              m[3:30],
		"its end":              m[len(m)-27:],
	}
	for shift := range 5 {
		pad := strings.Repeat("p", shift)
		cases[fmt.Sprint("base64 at ", shift)] = base64.StdEncoding.EncodeToString([]byte(pad + m))
		cases[fmt.Sprint("URL-safe base64 at ", shift)] = base64.RawURLEncoding.EncodeToString([]byte("\xff\xfe\xfd" + pad + m))
		cases[fmt.Sprint("base64 of UTF-16 at ", shift)] = base64.StdEncoding.EncodeToString([]byte(pad + string(utf16Bytes(m, false))))
		cases[fmt.Sprint("base64 of UTF-16BE at ", shift)] = base64.StdEncoding.EncodeToString([]byte(pad + string(utf16Bytes(m, true))))
		cases[fmt.Sprint("base32 at ", shift)] = base32.StdEncoding.EncodeToString([]byte(pad + m))
	}
	for name, s := range cases {
		var leak *Leak
		if err := c.Check([]byte(`{"text":"before ` + s + ` after"}`)); !errors.As(err, &leak) {
			t.Errorf("%s: not found", name)
		}
	}
}

func TestCanaryNamesWhatLeaked(t *testing.T) {
	c := NewCanary("names")
	c.Marker("one")
	m := c.Marker("~/.ssh/id_ed25519")
	for _, b := range [][]byte{[]byte("x" + m), utf16Bytes(m, false), utf16Bytes(m, true)} {
		var leak *Leak
		if err := c.Check(b); !errors.As(err, &leak) || leak.What != "~/.ssh/id_ed25519" {
			t.Errorf("%q: %v", b, err)
		}
	}
}

func TestCanaryIsQuietWithoutAMarker(t *testing.T) {
	c := NewCanary("quiet")
	m := c.Marker("x")
	for _, s := range []string{"", "nothing here", c.Probe(), m[:coreLen-1], `\`, `%`, `&#`, `\u12`, `%zz`, strings.Repeat(`\\`, 1000), NewCanary("other").Marker("x")} {
		if err := c.Check([]byte(s)); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	if !strings.Contains(m, c.Probe()) {
		t.Error("the probe is no piece of the marker")
	}
}

func FuzzUnescapeFindsMarkers(f *testing.F) {
	f.Add([]byte(`\u0041`), 3)
	f.Add([]byte(`%`), 1)
	f.Add([]byte("\xff\\x4"), 0)
	f.Fuzz(func(t *testing.T, around []byte, at int) {
		c := NewCanary("fuzz")
		m := c.Marker("x")
		at = max(0, min(at, len(around)))
		// Whatever stands around a plain marker, it is found.
		b := append(append(append([]byte{}, around[:at]...), m...), around[at:]...)
		if c.Check(b) == nil {
			t.Errorf("lost in %q", b)
		}
	})
}

func buildHome(t *testing.T, o HomeOptions) (*Home, *Canary) {
	t.Helper()
	c := NewCanary(t.Name())
	o.BigFile = 64 << 10
	h, err := BuildHome(t.TempDir(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return h, c
}

func TestHomeIsPlanted(t *testing.T) {
	h, c := buildHome(t, HomeOptions{})
	for _, p := range h.Secrets {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if c.Check(b) == nil {
			t.Errorf("%s holds no marker", p)
		}
		// Any page of an ordinary secret tells.
		if len(b) < 4000 && !strings.Contains(p, "utf16") && (c.Check(b[:60]) == nil || c.Check(b[len(b)-60:]) == nil) {
			t.Errorf("%s: its first or last page holds no marker", p)
		}
	}
	for _, p := range h.Readable {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(b); err != nil || !strings.Contains(string(b), h.Visible) {
			t.Errorf("%s is no ordinary file: %v", p, err)
		}
	}
	// Inside the home no name and no link's text may hold a marker: those
	// are told. Whatever holds one in its bytes must be known as a secret.
	secret := map[string]bool{}
	for _, p := range h.Secrets {
		secret[p] = true
	}
	err := filepath.WalkDir(h.Home, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := c.Check([]byte(d.Name())); err != nil {
			t.Errorf("%s: %v", p, err)
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(p)
			if err != nil {
				return err
			}
			if err := c.Check([]byte(to)); err != nil {
				t.Errorf("the link %s: %v", p, err)
			}
		case d.Type().IsRegular():
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			if found := c.Check(b) != nil; found != secret[p] {
				t.Errorf("%s: marker %v, listed as secret %v", p, found, secret[p])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	err = filepath.WalkDir(h.Outside, func(p string, d fs.DirEntry, err error) error {
		if c.Check([]byte(d.Name())) != nil {
			named++
		}
		return err
	})
	if err != nil || named < 2 {
		t.Errorf("%d marked names outside, %v", named, err)
	}
}

func TestNarrowHomeMarksOnlyWhatLamProtects(t *testing.T) {
	h, c := buildHome(t, HomeOptions{Narrow: true})
	for _, n := range wideNames() {
		b, err := os.ReadFile(filepath.Join(h.Home, filepath.FromSlash(n)))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(b); err != nil {
			t.Errorf("%s: %v", n, err)
		}
	}
	b, err := os.ReadFile(filepath.Join(h.Home, ".netrc"))
	if err != nil || c.Check(b) == nil {
		t.Errorf(".netrc holds no marker (%v)", err)
	}
}
