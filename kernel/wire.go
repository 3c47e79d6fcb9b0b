package kernel

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"strings"
	"time"
	"unicode/utf8"
)

// protocolVersion is the version of the Jupyter message protocol spoken here.
const protocolVersion = "5.4"

// delimiter separates the identities of ZeroMQ from the parts of a message.
var delimiter = []byte("<IDS|MSG>")

// header is the part of a message that says what it is.
type header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is a message that was received.
type message struct {
	identities [][]byte // route back to the sender
	header     header
	rawHeader  json.RawMessage // as it came, to be the parent header of replies byte for byte
	parent     header          // zero if there is none
	metadata   json.RawMessage
	content    json.RawMessage
	buffers    [][]byte
	signature  []byte // empty without a key
}

var (
	errSignature = errors.New("kernel: bad signature")
	errReplayed  = errors.New("kernel: message received before")
	errMalformed = errors.New("kernel: malformed message")
)

// signer signs messages and checks signatures. With an empty key nothing is signed and everything is accepted, as the protocol says.
type signer struct {
	key  []byte
	hash func() hash.Hash
}

func newSigner(scheme, key string) (*signer, error) {
	s := &signer{key: []byte(key)}
	switch strings.ToLower(scheme) {
	case "hmac-sha256", "":
		s.hash = sha256.New
	case "hmac-sha1":
		s.hash = sha1.New
	case "hmac-sha384":
		s.hash = sha512.New384
	case "hmac-sha512":
		s.hash = sha512.New
	default:
		return nil, fmt.Errorf("signature_scheme %q is not supported: use hmac-sha256", scheme)
	}
	return s, nil
}

// sign returns the signature over header, parent header, metadata and content, in hexadecimal.
func (s *signer) sign(parts [][]byte) []byte {
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
func (s *signer) check(signature []byte, parts [][]byte) bool {
	return len(s.key) == 0 || hmac.Equal(signature, s.sign(parts))
}

// decode takes a received multipart message apart. The error is errSignature or errMalformed (wrapped).
func (s *signer) decode(frames [][]byte) (*message, error) {
	split := -1
	for i, f := range frames {
		if bytes.Equal(f, delimiter) {
			split = i
			break
		}
	}
	if split < 0 {
		return nil, fmt.Errorf("%w: no delimiter", errMalformed)
	}
	rest := frames[split+1:]
	if len(rest) < 5 {
		return nil, fmt.Errorf("%w: %d parts after the delimiter, at least 5 are needed", errMalformed, len(rest))
	}
	parts := rest[1:5]
	if !s.check(rest[0], parts) { // before anything is parsed
		return nil, errSignature
	}
	m := &message{identities: frames[:split], rawHeader: parts[0], metadata: parts[2], content: parts[3], buffers: rest[5:]}
	if len(s.key) > 0 {
		m.signature = rest[0]
	}
	for i, p := range parts {
		if !isObject(p) {
			return nil, fmt.Errorf("%w: part %d is no JSON object", errMalformed, i+1)
		}
	}
	if err := json.Unmarshal(parts[0], &m.header); err != nil {
		return nil, fmt.Errorf("%w: header: %w", errMalformed, err)
	}
	if m.header.MsgID == "" || m.header.MsgType == "" {
		return nil, fmt.Errorf("%w: the header has no msg_id or no msg_type", errMalformed)
	}
	// A parent header of an odd shape does no harm: only stdin replies use it.
	_ = json.Unmarshal(parts[1], &m.parent)
	return m, nil
}

func isObject(p []byte) bool {
	p = bytes.TrimLeft(p, " \t\r\n")
	return len(p) > 0 && p[0] == '{' && utf8.Valid(p) && json.Valid(p)
}

// outgoing is a message that is to be sent.
type outgoing struct {
	msgType  string
	parent   json.RawMessage // raw header of the request, nil for none
	metadata any             // nil for none
	content  any
	buffers  [][]byte
}

// encoder makes messages of one kernel session.
type encoder struct {
	*signer
	session string
}

// encode makes the frames of a message without identities. The error means that content or metadata cannot be JSON.
func (e *encoder) encode(o outgoing) ([][]byte, string, error) {
	h := header{
		MsgID: newID(), Session: e.session, Username: "kernel", Date: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"), MsgType: o.msgType, Version: protocolVersion,
	}
	parts := make([][]byte, 4)
	var err error
	if parts[0], err = json.Marshal(h); err != nil {
		return nil, "", err
	}
	parts[1] = o.parent
	if len(o.parent) == 0 {
		parts[1] = []byte("{}")
	}
	parts[2] = []byte("{}")
	if o.metadata != nil {
		if parts[2], err = marshal(o.metadata); err != nil {
			return nil, "", fmt.Errorf("kernel: metadata of %s: %w", o.msgType, err)
		}
	}
	if parts[3], err = marshal(o.content); err != nil {
		return nil, "", fmt.Errorf("kernel: content of %s: %w", o.msgType, err)
	}
	frames := make([][]byte, 0, 6+len(o.buffers))
	frames = append(frames, delimiter, e.sign(parts))
	frames = append(frames, parts...)
	return append(frames, o.buffers...), h.MsgID, nil
}

// marshal is json.Marshal that leaves <, > and & alone: cells print a lot of markup and code.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// newID returns a random identifier in the form of a UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
