package inductive

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// stored is what a file has of a model: the weights, and the graph on which they answer. Everything else is computed
// from the graph again.
type stored struct {
	Model   string         `json:"model"`
	Graph   string         `json:"graph_digest"`
	Heads   Heads          `json:"heads,omitempty"` // "" is Inverse
	Tensors []storedTensor `json:"tensors"`
}

type storedTensor struct {
	Name   string `json:"name"`
	Shape  []int  `json:"shape"`
	Floats []byte `json:"floats"` // little-endian float32
}

// JSON returns what Load reads: everything that the model needs besides its graph.
func (m *Model) JSON() ([]byte, error) {
	s := stored{Model: m.name, Graph: m.graphDigest, Heads: m.heads}
	for _, name := range slices.Sorted(maps.Keys(m.network.tensors)) {
		t := m.network.tensors[name]
		floats := make([]byte, 0, 4*len(t.Data))
		for _, x := range t.Data {
			floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(x))
		}
		s.Tensors = append(s.Tensors, storedTensor{name, t.Shape, floats})
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("inductive: %w", err)
	}
	return append(raw, '\n'), nil
}

// Load reads a model from a file. The graph must be the one for which the model was stored.
func Load(path string, g *kg.Graph) (*Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Graph != g.Digest() {
		return nil, fmt.Errorf("%s: the model is for another graph than %s", path, g.Name)
	}
	tensors := map[string]Tensor{}
	for _, t := range s.Tensors {
		if len(t.Floats)%4 != 0 {
			return nil, fmt.Errorf("%s: tensor %s has %d bytes", path, t.Name, len(t.Floats))
		}
		x := make([]float32, len(t.Floats)/4)
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Floats[4*i:]))
		}
		tensors[t.Name] = Tensor{t.Shape, x}
	}
	n, err := New(tensors)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m, err := n.On(s.Model, g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Heads == "" {
		s.Heads = Inverse
	}
	if !slices.Contains(AllHeads(), s.Heads) {
		return nil, fmt.Errorf("%s: heads are asked for by %q, which is unknown", path, s.Heads)
	}
	return m.WithHeads(s.Heads), nil
}
