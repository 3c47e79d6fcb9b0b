package inductive

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// tunerState is a Tuner between two steps.
type tunerState struct {
	Step     int    `json:"step"`
	Graphs   string `json:"graph_digest"` // one, or the digests of all with spaces between
	Settings Tuning `json:"settings"`
	Heads    Heads  `json:"heads"`
	Now      string `json:"weights"` // base64 of little-endian float32, in the order of Network.parameters
	Mean     string `json:"mean"`
	Square   string `json:"square"`
}

// State returns what Restore reads.
func (t *Tuner) State() ([]byte, error) {
	raw, err := json.Marshal(tunerState{t.step, t.digests(), t.settings, t.heads, t.now.pack(), t.mean.pack(),
		t.square.pack()})
	if err != nil {
		return nil, fmt.Errorf("inductive: %w", err)
	}
	return append(raw, '\n'), nil
}

func (t *Tuner) digests() string {
	var list []string
	for _, p := range t.places {
		list = append(list, p.graph.Digest())
	}
	return strings.Join(list, " ")
}

// Restore continues from a state of a tuner with the same graphs, settings and shape of network. After an error the
// tuner cannot be used.
func (t *Tuner) Restore(state []byte) error {
	var s tunerState
	if err := json.Unmarshal(state, &s); err != nil {
		return fmt.Errorf("inductive: the state of tuning: %w", err)
	}
	s.Settings.Threads = t.settings.Threads
	if s.Step < 0 || s.Graphs != t.digests() || s.Settings != t.settings || s.Heads != t.heads {
		return fmt.Errorf("inductive: the state of tuning is of other graphs or settings")
	}
	for _, part := range []struct {
		name string
		to   *Network
		text string
	}{{"weights", t.now, s.Now}, {"mean", t.mean, s.Mean}, {"square", t.square, s.Square}} {
		if err := part.to.unpack(part.text); err != nil {
			return fmt.Errorf("inductive: the state of tuning: %s: %w", part.name, err)
		}
	}
	t.step = s.Step
	return nil
}

func (n *Network) pack() string {
	var raw []byte
	for _, list := range n.parameters() {
		for _, x := range list {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func (n *Network) unpack(text string) error {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	if len(raw) != 4*n.Parameters() {
		return fmt.Errorf("has %d bytes, not %d", len(raw), 4*n.Parameters())
	}
	for _, list := range n.parameters() {
		for i := range list {
			list[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw))
			raw = raw[4:]
		}
	}
	return nil
}
