package asking

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"sync"
	"time"

	"reeve"
)

// A ticket is: version (1) | expiry in Unix seconds (8) | nonce (16) | HMAC
// (32), in base64. What it is for does not stand in it: whoever redeems it
// says so, and the HMAC has to fit.
const (
	ticketVersion = 1
	nonceLen      = 16
	ticketLen     = 1 + 8 + nonceLen + sha256.Size
	// mostUsed bounds the nonces that are remembered as used.
	mostUsed = 4096
)

// TicketOptions are what tickets need. Key is required.
type TicketOptions struct {
	// Key gives the 32 bytes that tickets are signed with. It is asked at the
	// first ticket, not before.
	Key func() ([]byte, error)
	// Life is how long a ticket can be redeemed; zero means 10 minutes. It
	// never outlives its question.
	Life time.Duration
	Now  func() time.Time // nil means time.Now
}

// Tickets signs and checks what a client carries from a question to its
// answer. A ticket is bound to the question (its card and digest), to the
// subject (door, agent, session) and to the connection, and is good for one
// redemption. It is safe for concurrent use.
type Tickets struct {
	o TicketOptions

	mu   sync.Mutex
	key  []byte
	used map[[nonceLen]byte]time.Time // until when it must be remembered
}

// NewTickets makes tickets. It touches no disk.
func NewTickets(o TicketOptions) *Tickets {
	if o.Life <= 0 {
		o.Life = 10 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Tickets{o: o, used: map[[nonceLen]byte]time.Time{}}
}

// Issue makes the ticket of a question for a subject.
func (t *Tickets) Issue(p reeve.Pending, s reeve.Subject) (string, error) {
	key, err := t.signing()
	if err != nil {
		return "", err
	}
	expires := t.o.Now().Add(t.o.Life)
	if p.Expires.Before(expires) {
		expires = p.Expires
	}
	b := make([]byte, 1+8+nonceLen, ticketLen)
	b[0] = ticketVersion
	binary.BigEndian.PutUint64(b[1:], uint64(expires.Unix()))
	rand.Read(b[9:]) // never fails
	return base64.RawURLEncoding.EncodeToString(append(b, sign(key, b, p, s)...)), nil
}

// Redeem checks a ticket against the question that waits now and the subject
// that brings it, and uses it up. A ticket that does not fit is not used up:
// whoever shows somebody else's must not spoil it. The error is of code
// bad_answer.
func (t *Tickets) Redeem(ticket string, p reeve.Pending, s reeve.Subject) error {
	key, err := t.signing()
	if err != nil {
		return err
	}
	if len(ticket) != base64.RawURLEncoding.EncodedLen(ticketLen) {
		return badTicket()
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	// Decoding skips line breaks, so the length is looked at again.
	if err != nil || len(b) != ticketLen || b[0] != ticketVersion {
		return badTicket()
	}
	head, mac := b[:1+8+nonceLen], b[1+8+nonceLen:]
	if !hmac.Equal(mac, sign(key, head, p, s)) {
		return badTicket()
	}
	now := t.o.Now()
	expires := time.Unix(int64(binary.BigEndian.Uint64(head[1:])), 0)
	if !now.Before(expires) {
		return badTicket()
	}
	var nonce [nonceLen]byte
	copy(nonce[:], head[9:])
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, was := t.used[nonce]; was {
		return badTicket()
	}
	for n, until := range t.used {
		if !now.Before(until) {
			delete(t.used, n)
		}
	}
	if len(t.used) >= mostUsed {
		return badTicket() // rather this than one that is good twice
	}
	t.used[nonce] = expires
	return nil
}

func (t *Tickets) signing() ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.key != nil {
		return t.key, nil
	}
	key, err := t.o.Key()
	if err != nil {
		return nil, err
	}
	t.key = key
	return key, nil
}

// sign binds a ticket's head to what it is for. Each field has its length in
// front, so that no two run together.
func sign(key, head []byte, p reeve.Pending, s reeve.Subject) []byte {
	h := hmac.New(sha256.New, key)
	field(h, "reeve/ticket/1")
	field(h, string(head))
	field(h, p.ID)
	field(h, string(p.Digest[:]))
	field(h, string(s.Kind))
	field(h, s.Door)
	field(h, s.Agent)
	field(h, s.Session)
	field(h, s.Connection)
	return h.Sum(nil)
}

func field(h hash.Hash, s string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}

func badTicket() error {
	return &reeve.Error{Op: "ask", Kind: reeve.Approval, Code: reeve.BadAnswer,
		What: "the answer that came with this call does not belong to the question that waits: it is for another change, was used already, or came too late",
		Not:  "Nothing was written.", Instead: "Call again with the same arguments and without that answer."}
}
