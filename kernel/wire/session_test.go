package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// The signature is HMAC-SHA256 over the four parts one after the other. Key and parts are RFC 4231's test case 2, cut
// at arbitrary places.
func TestSignature(t *testing.T) {
	t.Parallel()
	s, err := NewSession(Connection{Key: "Jefe"})
	expect.NoError(t, err)
	parts := [][]byte{[]byte("what do ya "), []byte(""), []byte("want for "), []byte("nothing?")}
	want := "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	if got := string(s.sign(parts)); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	if !s.check([]byte(want), parts) {
		t.Error("a right signature is refused")
	}
	for _, bad := range []string{"", want[:63], want + "0", "6" + want[1:], hex.EncodeToString([]byte(want))} {
		if s.check([]byte(bad), parts) {
			t.Errorf("signature %q is accepted", bad)
		}
	}
	if _, err := NewSession(Connection{SignatureScheme: "rot13"}); err == nil {
		t.Error("an unknown scheme is accepted")
	}
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "k"} {
		for _, scheme := range []string{"hmac-sha256", "hmac-sha1", "hmac-sha384", "hmac-sha512"} {
			s, err := NewSession(Connection{SignatureScheme: scheme, Key: key})
			expect.NoError(t, err)
			frames, id, err := s.Encode("a_request", []byte(`{"msg_id":"p"}`), map[string]any{"x": "<&ü"})
			expect.NoError(t, err)
			m, err := s.Decode(slices.Concat([][]byte{{0, 1}, {2}}, frames, [][]byte{[]byte("a buffer")}))
			expect.NoError(t, err)
			want := Header{MsgID: id, Session: s.ID, Username: "kernel", Date: m.Header.Date, MsgType: "a_request",
				Version: "5.4"}
			if len(m.Identities) != 2 || m.Header != want || m.Parent.MsgID != "p" ||
				string(m.Content) != `{"x":"<&ü"}` {
				t.Errorf("%s %q: %+v", scheme, key, m)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	s, err := NewSession(Connection{Key: "k"})
	expect.NoError(t, err)
	signed := func(parts ...string) [][]byte {
		var b [][]byte
		for _, p := range parts {
			b = append(b, []byte(p))
		}
		return append([][]byte{delimiter, s.sign(b)}, b...)
	}
	good := `{"msg_id":"1","msg_type":"t"}`
	for name, frames := range map[string][][]byte{
		"nothing":              nil,
		"no delimiter":         signed(good, "{}", "{}", "{}")[1:],
		"too short":            signed(good, "{}", "{}"),
		"no JSON":              signed(good, "{}", "{}", "{"),
		"list":                 signed(good, "{}", "{}", "[]"),
		"null":                 signed("null", "{}", "{}", "{}"),
		"empty part":           signed(good, "", "{}", "{}"),
		"bad UTF-8":            signed(good, "{}", "{}", "{\"a\":\"\xff\"}"),
		"no msg_id":            signed(`{"msg_type":"t"}`, "{}", "{}", "{}"),
		"no msg_type":          signed(`{"msg_id":"1"}`, "{}", "{}", "{}"),
		"header of wrong type": signed(`{"msg_id":1,"msg_type":"t"}`, "{}", "{}", "{}"),
		"deep":                 signed(good, "{}", "{}", `{"a":`+string(bytes.Repeat([]byte("["), 1<<20))+`}`),
	} {
		if _, err := s.Decode(frames); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	frames := signed(good, "{}", "{}", "{}")
	if _, err := s.Decode(frames); err != nil {
		t.Errorf("a right message: %v", err)
	}
	for part := 2; part < 6; part++ {
		changed := append([][]byte{}, frames...)
		changed[part] = append([]byte(" "), changed[part]...)
		if _, err := s.Decode(changed); !errors.Is(err, ErrSignature) {
			t.Errorf("part %d was changed: %v", part, err)
		}
	}
	changed := append([][]byte{}, frames...)
	changed[1] = nil
	if _, err := s.Decode(changed); !errors.Is(err, ErrSignature) {
		t.Errorf("no signature: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"msg_id":"1","msg_type":"t"}`), []byte("{}"), []byte("{}"), []byte("{}"))
	f.Add([]byte(`{"msg_id":"1","msg_type":"t"}`), []byte(`{"msg_id":[]}`), []byte("{}"), []byte(`{"code":1e999}`))
	f.Fuzz(func(t *testing.T, a, b, c, d []byte) {
		s, err := NewSession(Connection{})
		expect.NoError(t, err)
		m, err := s.Decode([][]byte{delimiter, nil, a, b, c, d})
		if err == nil && (m.Header.MsgID == "" || m.Header.MsgType == "") {
			t.Errorf("accepted %q", a)
		}
	})
}
