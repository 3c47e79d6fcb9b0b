package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// 1,000 messages that are malformed or badly signed, on all three channels that take messages, while cells run: all are
// counted, nothing else happens.
func TestBadMessagesAreIgnored(t *testing.T) {
	t.Parallel()
	transports(t, func(t *testing.T, k *kernelUnderTest, c *client) {
		forger := k.connectAs(t, newIdentity(), "another key")
		random := rand.New(rand.NewPCG(1, 2))
		channels := []string{"shell", "control", "stdin"}
		badlySigned, malformed := 0, 0
		for i := range 1000 {
			channel := channels[i%3]
			switch i % 4 {
			case 0: // right in everything but the key
				forger.send(channel, []string{"execute_request", "shutdown_request", "input_reply"}[random.IntN(3)],
					map[string]any{"code": "print forged"})
				badlySigned++
			case 1: // signed, but no JSON
				parts := [][]byte{[]byte(`{"msg_id":"x","msg_type":"execute_request"}`), []byte("{}"), []byte("{}"),
					randomBytes(random)}
				c.sendFrames(channel, c.session.Seal(parts[0], parts[1], parts[2], parts[3]))
				malformed++
			case 2: // any number of any frames
				var frames [][]byte
				for range 1 + random.IntN(8) {
					frames = append(frames, randomBytes(random))
				}
				c.sendFrames(channel, frames)
				malformed++
			case 3: // a right message with one byte changed
				frames, _, err := c.session.Encode("execute_request", nil, map[string]any{"code": "print changed"})
				expect.NoError(t, err)
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
			return k.counters.badSignature.Load() == int64(badlySigned) &&
				k.counters.malformed.Load() == int64(malformed)
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
