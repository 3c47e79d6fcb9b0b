// Package wire implements the transport of Jupyter's wire protocol 5.4: connection files, signed messages, and ZeroMQ
// sockets that neither block nor lose messages when a peer is slow, silent or hostile.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// ProtocolVersion is the version of the message protocol.
const ProtocolVersion = "5.4"

// delimiter separates the identities of ZeroMQ from the parts of a message.
var delimiter = []byte("<IDS|MSG>")

// The reasons for refusing a message.
var (
	ErrSignature = errors.New("kernel: bad signature")
	ErrReplayed  = errors.New("kernel: message received before")
	ErrMalformed = errors.New("kernel: malformed message")
)

// Header is the part of a message that identifies it.
type Header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// Message is a received message.
type Message struct {
	Identities [][]byte // route back to the sender
	Header     Header
	RawHeader  json.RawMessage // as it came: the parent header of replies, byte for byte
	Parent     Header          // zero if there is none
	Content    json.RawMessage
}

func isObject(p []byte) bool {
	p = bytes.TrimLeft(p, " \t\r\n")
	return len(p) > 0 && p[0] == '{' && utf8.Valid(p) && json.Valid(p)
}

// Marshal is json.Marshal without escaping <, > and &, because cells print a lot of markup and code.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
