package ops

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"

	"reeve"
	"reeve/internal/pathname"
)

// seal closes cursors, so that who carries one can neither read nor make it.
// It is safe for concurrent use.
type seal struct {
	secret func() []byte
	once   sync.Once
	aead   cipher.AEAD
}

// sealOverhead is what a sealed cursor is longer than a plain one.
const sealOverhead = 12 + 16 // nonce and tag of GCM

// sealName binds the key to its use, and a cursor to this form of it.
const sealName = "reeve cursor 1"

// box makes the cipher at its first use: most calls need none.
func (s *seal) box() cipher.AEAD {
	s.once.Do(func() {
		var secret []byte
		if s.secret != nil {
			secret = s.secret()
		}
		if len(secret) < minSecret {
			secret = make([]byte, 32)
			rand.Read(secret) // never fails
		}
		key := sha256.Sum256(append([]byte(sealName+" key "), secret...))
		block, err := aes.NewCipher(key[:])
		if err != nil {
			panic("ops: " + err.Error()) // 32 bytes are a key
		}
		if s.aead, err = cipher.NewGCMWithRandomNonce(block); err != nil {
			panic("ops: " + err.Error())
		}
	})
	return s.aead
}

// text is the cursor as callers carry it.
func (s *seal) text(c cursor) string {
	return base64.RawURLEncoding.EncodeToString(s.box().Seal(nil, nil, c.plain(), []byte(sealName)))
}

// read opens a cursor that text gave for the same question, and nothing else.
func (s *seal) read(verb reeve.Verb, text string, sort byte, query [8]byte) (cursor, error) {
	bad := func(what string) (cursor, error) {
		return cursor{}, invalid(verb, "cursor", what, "Give the cursor exactly as the last answer showed it, with the same other arguments, or leave it out to start again.")
	}
	if len(text) > base64.RawURLEncoding.EncodedLen(plainLen(pathname.MaxBytes)+sealOverhead) {
		return bad("is longer than a cursor can be")
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") || len(b) <= cursorHead+sealOverhead {
		return bad("is not a cursor")
	}
	plain, err := s.box().Open(nil, nil, b, []byte(sealName))
	if err != nil {
		return bad("is not a cursor of this computer, or was not copied exactly")
	}
	c, ok := parseCursor(plain)
	switch {
	case !ok:
		return bad("is not a cursor")
	case c.sort != sort || c.query != query:
		return bad("belongs to a call with other arguments")
	}
	return c, nil
}
