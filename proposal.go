package reeve

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/blake3"
)

// Proposal is the changes of one call, as one unit: all of them or none.
type Proposal struct {
	Target  Target
	Subject Subject
	Effects []Effect
	Changes []Change
	// Shown are the words of the question that the bytes do not give by
	// themselves (a diff, what a folder holds): an answer is for what was
	// shown.
	Shown []string
}

// Digest binds a question to what it showed: who asks (door, agent and the
// session the client told; never the turn or the process), the effects and
// places, the versions before (their content, where it is known) and the bytes
// after. A stream binds its source place and version.
func (p Proposal) Digest() Digest {
	h := digester{blake3.New()}
	h.str("reeve/proposal/2")
	h.str(string(p.Target))
	h.str(string(p.Subject.Kind), p.Subject.Door, p.Subject.Agent)
	if p.Subject.SessionTold {
		h.str(p.Subject.Session)
	} else {
		h.str("")
	}
	h.num(int64(len(p.Effects)))
	for _, e := range p.Effects {
		h.str(string(e.Kind))
		h.place(e.Place)
		h.optional(e.To)
	}
	h.num(int64(len(p.Changes)))
	for _, c := range p.Changes {
		h.str(string(c.Kind))
		h.place(c.Place)
		h.optional(c.To)
		h.str(c.Expect.bound())
		switch x := c.Content.(type) {
		case nil:
			h.str("none")
		case Bytes:
			sum := blake3.Sum256(x)
			h.str("bytes", string(sum[:]))
		case FromPlace:
			h.from(x)
		case Stream:
			h.str("stream")
			h.from(x.Source)
			h.num(x.Size)
		case LinkTo:
			h.str("link", string(x))
		}
		h.meta(c.Meta)
	}
	h.num(int64(len(p.Shown)))
	h.str(p.Shown...)
	var d Digest
	h.Sum(d[:0])
	return d
}

// Digest identifies one proposal.
type Digest [32]byte

// String is the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(b []byte) error {
	if len(b) != hex.EncodedLen(len(d)) {
		return hex.ErrLength
	}
	_, err := hex.Decode(d[:], b)
	return err
}

// digester writes length-prefixed fields, so that no two proposals run
// together into the same bytes.
type digester struct{ *blake3.Hasher }

func (h digester) num(n int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}

func (h digester) str(fields ...string) {
	for _, s := range fields {
		h.num(int64(len(s)))
		h.WriteString(s)
	}
}

func (h digester) place(p Place) {
	h.str(string(p.Target), string(p.Root), p.Path(), string(p.Kind))
	h.num(int64(p.Missing))
}

func (h digester) optional(p *Place) {
	if p == nil {
		h.num(0)
		return
	}
	h.num(1)
	h.place(*p)
}

// meta adds nothing where there is none, as in all changes but those that
// bring something back.
func (h digester) meta(m *Meta) {
	if m == nil {
		return
	}
	h.str("meta")
	h.num(int64(m.Mode))
	h.num(m.MTime)
	if m.Owner != nil {
		h.str("owner")
		h.num(int64(m.Owner.UID))
		h.num(int64(m.Owner.GID))
	}
	h.num(int64(len(m.XAttrs)))
	for _, x := range m.XAttrs {
		h.str(x.Name, string(x.Value))
	}
}

func (h digester) from(f FromPlace) {
	h.str("from")
	h.place(f.Place)
	h.str(f.Version.bound())
}
