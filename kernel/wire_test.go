package kernel

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"testing"
)

// The signature is HMAC-SHA256 over the four parts one after the other. Key and parts are RFC 4231's test case 2, cut at arbitrary places.
func TestSignature(t *testing.T) {
	s, err := newSigner("hmac-sha256", "Jefe")
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := newSigner("rot13", "x"); err == nil {
		t.Error("an unknown scheme is accepted")
	}
}

func TestEncodeDecode(t *testing.T) {
	for _, key := range []string{"", "k"} {
		for _, scheme := range []string{"hmac-sha256", "hmac-sha1", "hmac-sha384", "hmac-sha512"} {
			s, err := newSigner(scheme, key)
			if err != nil {
				t.Fatal(err)
			}
			e := &encoder{signer: s, session: "session"}
			frames, id, err := e.encode(outgoing{msgType: "a_request", parent: []byte(`{"msg_id":"p"}`), metadata: map[string]any{"m": 1}, content: map[string]any{"x": "<&ü"}, buffers: [][]byte{{1}, {}}})
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.decode(append([][]byte{{0, 1}, {2}}, frames...))
			if err != nil {
				t.Fatal(err)
			}
			if len(m.identities) != 2 || m.header.MsgID != id || m.header.MsgType != "a_request" || m.header.Session != "session" || m.header.Version != "5.4" || m.parent.MsgID != "p" ||
				string(m.metadata) != `{"m":1}` || string(m.content) != `{"x":"<&ü"}` || len(m.buffers) != 2 {
				t.Errorf("%s %q: %+v", scheme, key, m)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	s, _ := newSigner("hmac-sha256", "k")
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
		if _, err := s.decode(frames); !errors.Is(err, errMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	frames := signed(good, "{}", "{}", "{}")
	if _, err := s.decode(frames); err != nil {
		t.Errorf("a right message: %v", err)
	}
	for part := 2; part < 6; part++ {
		changed := append([][]byte{}, frames...)
		changed[part] = append([]byte(" "), changed[part]...)
		if _, err := s.decode(changed); !errors.Is(err, errSignature) {
			t.Errorf("part %d was changed: %v", part, err)
		}
	}
	changed := append([][]byte{}, frames...)
	changed[1] = nil
	if _, err := s.decode(changed); !errors.Is(err, errSignature) {
		t.Errorf("no signature: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"msg_id":"1","msg_type":"t"}`), []byte("{}"), []byte("{}"), []byte("{}"))
	f.Add([]byte(`{"msg_id":"1","msg_type":"t"}`), []byte(`{"msg_id":[]}`), []byte("{}"), []byte(`{"code":1e999}`))
	f.Fuzz(func(t *testing.T, a, b, c, d []byte) {
		s, _ := newSigner("hmac-sha256", "")
		m, err := s.decode([][]byte{delimiter, nil, a, b, c, d})
		if err == nil && (m.header.MsgID == "" || m.header.MsgType == "") {
			t.Errorf("accepted %q", a)
		}
	})
}

// 1,000 messages that are malformed or badly signed, on all three channels that take messages, while cells run: all are counted, nothing else happens.
func TestBadMessagesAreIgnored(t *testing.T) {
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		forger := k.connectAs(t, newID(), "another key")
		random := rand.New(rand.NewPCG(1, 2))
		channels := []string{"shell", "control", "stdin"}
		badlySigned, malformed := 0, 0
		for i := range 1000 {
			channel := channels[i%3]
			switch i % 4 {
			case 0: // right in everything but the key
				forger.send(channel, []string{"execute_request", "shutdown_request", "input_reply"}[random.IntN(3)], map[string]any{"code": "print forged"})
				badlySigned++
			case 1: // signed, but no JSON
				parts := [][]byte{[]byte(`{"msg_id":"x","msg_type":"execute_request"}`), []byte("{}"), []byte("{}"), randomBytes(random)}
				c.sendFrames(channel, append([][]byte{delimiter, c.encoder.sign(parts)}, parts...))
				malformed++
			case 2: // any number of any frames
				var frames [][]byte
				for range 1 + random.IntN(8) {
					frames = append(frames, randomBytes(random))
				}
				c.sendFrames(channel, frames)
				malformed++
			case 3: // a right message with one byte changed
				frames, _, err := c.encoder.encode(outgoing{msgType: "execute_request", content: map[string]any{"code": "print changed"}})
				if err != nil {
					t.Fatal(err)
				}
				part := frames[1+random.IntN(5)]
				part[random.IntN(len(part))] ^= 1 << random.IntN(7)
				c.sendFrames(channel, frames)
				badlySigned++
			}
			if i%100 == 99 {
				if o := c.run("value 1"); o.reply["status"] != "ok" {
					t.Fatalf("after %d bad messages: %v", i+1, o.reply)
				}
			}
		}
		// Right messages behind the last bad ones of their channel.
		c.ask("kernel_info_request", map[string]any{})
		c.reply(c.control, "control", c.send("control", "kernel_info_request", map[string]any{}))
		waitFor(t, "all bad messages to be counted", func() bool {
			return k.counters.BadSignature() == int64(badlySigned) && k.counters.Malformed() == int64(malformed)
		})
		if n := k.fake.evaluated(); n != 10 {
			t.Errorf("%d cells were evaluated, want 10", n)
		}
	})
}

func randomBytes(random *rand.Rand) []byte {
	b := make([]byte, random.IntN(300))
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}
