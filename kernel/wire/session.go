package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strings"
	"time"
)

// Session encodes and checks the messages of one end of a connection. It is safe for concurrent use.
type Session struct {
	ID   string // in the header of every message made
	key  []byte // empty: nothing is signed and everything is accepted, as the protocol says
	hash func() hash.Hash
	seen signatures
}

// NewSession returns a session with a random id and the connection's key. It fails if the signature scheme is unknown.
func NewSession(c Connection) (*Session, error) {
	h, err := hashOf(c.SignatureScheme)
	if err != nil {
		return nil, err
	}
	return &Session{ID: newID(), key: []byte(c.Key), hash: h}, nil
}

func hashOf(scheme string) (func() hash.Hash, error) {
	switch strings.ToLower(scheme) {
	case "hmac-sha256", "":
		return sha256.New, nil
	case "hmac-sha1":
		return sha1.New, nil
	case "hmac-sha384":
		return sha512.New384, nil
	case "hmac-sha512":
		return sha512.New, nil
	}
	return nil, fmt.Errorf("signature_scheme %q is not supported: use hmac-sha256", scheme)
}

// sign returns the signature over header, parent header, metadata and content, in hexadecimal.
func (s *Session) sign(parts [][]byte) []byte {
	if len(s.key) == 0 {
		return []byte{}
	}
	mac := hmac.New(s.hash, s.key)
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// check compares a signature in constant time.
func (s *Session) check(signature []byte, parts [][]byte) bool {
	return len(s.key) == 0 || hmac.Equal(signature, s.sign(parts))
}

// Seal returns the frames of a message, without identities, from its four JSON parts.
func (s *Session) Seal(header, parent, metadata, content []byte) [][]byte {
	parts := [][]byte{header, parent, metadata, content}
	return append([][]byte{delimiter, s.sign(parts)}, parts...)
}

// Encode makes the frames of a message, without identities, and its id. parent is the raw header of the request, nil
// for none. It fails if the content cannot be JSON.
func (s *Session) Encode(msgType string, parent json.RawMessage, content any) (frames [][]byte, id string, err error) {
	h := Header{
		MsgID: newID(), Session: s.ID, Username: "kernel", Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
		MsgType: msgType, Version: ProtocolVersion,
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, "", err
	}
	if len(parent) == 0 {
		parent = []byte("{}")
	}
	encoded, err := Marshal(content)
	if err != nil {
		return nil, "", fmt.Errorf("kernel: content of %s: %w", msgType, err)
	}
	return s.Seal(header, parent, []byte("{}"), encoded), h.MsgID, nil
}

// Decode parses a received multipart message. The error wraps ErrSignature, ErrMalformed or ErrReplayed.
func (s *Session) Decode(frames [][]byte) (*Message, error) {
	split := -1
	for i, f := range frames {
		if bytes.Equal(f, delimiter) {
			split = i
			break
		}
	}
	if split < 0 {
		return nil, fmt.Errorf("%w: no delimiter", ErrMalformed)
	}
	rest := frames[split+1:] // signature, four parts, and buffers, which are ignored
	if len(rest) < 5 {
		return nil, fmt.Errorf("%w: %d parts after the delimiter, at least 5 are needed", ErrMalformed, len(rest))
	}
	signature, parts := rest[0], rest[1:5]
	if !s.check(signature, parts) { // before anything is parsed
		return nil, ErrSignature
	}
	m := &Message{Identities: frames[:split], RawHeader: parts[0], Content: parts[3]}
	for i, p := range parts {
		if !isObject(p) {
			return nil, fmt.Errorf("%w: part %d is not a JSON object", ErrMalformed, i+1)
		}
	}
	if err := json.Unmarshal(parts[0], &m.Header); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrMalformed, err)
	}
	if m.Header.MsgID == "" || m.Header.MsgType == "" {
		return nil, fmt.Errorf("%w: the header has no msg_id or no msg_type", ErrMalformed)
	}
	// A parent header of an odd shape does no harm: only stdin replies use it.
	_ = json.Unmarshal(parts[1], &m.Parent)
	if len(s.key) > 0 && !s.seen.first(signature) {
		return nil, ErrReplayed
	}
	return m, nil
}

// newID returns a random identifier in the form of a UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
