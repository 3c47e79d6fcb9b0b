package sphere

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// FromTensors returns a model of these settings with the parameters of a checkpoint, by the names and in the shapes
// that Save writes; docs/python.md has them. It refuses a tensor that is missing, has another shape or a value that is
// not finite, and one that the model does not have.
func FromTensors(s Settings, all map[string]Tensor) (*Model, error) {
	rows := func(name string) int {
		if shape := all[name].Shape; len(shape) > 0 {
			return shape[0]
		}
		return 0
	}
	for _, name := range []string{centerName, phaseName} {
		if _, ok := all[name]; !ok {
			return nil, fmt.Errorf("there is no tensor %s; there are: %s", name,
				strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		}
	}
	m, err := newModel(s, rows(centerName), rows(phaseName), "")
	if err != nil {
		return nil, err
	}
	own := m.tensors()
	for i := range own {
		to := &own[i]
		from, ok := all[to.name]
		if !ok || !slices.Equal(from.Shape, to.shape) || len(from.Data) != to.size() {
			return nil, fmt.Errorf("tensor %s has shape %v, and that of model %s is %v", to.name, from.Shape, s.Model, to.shape)
		}
		raw := make([]byte, len(from.Data)*floatBytes)
		for k, x := range from.Data {
			binary.LittleEndian.PutUint32(raw[k*floatBytes:], math.Float32bits(x))
		}
		if err := to.decode(bytes.NewReader(raw)); err != nil {
			return nil, err
		}
	}
	if len(own) != len(all) {
		return nil, fmt.Errorf("there are %d tensors, and model %s has %d", len(all), s.Model, len(own))
	}
	m.prepareAll()
	if name := m.notFinite(); name != "" {
		return nil, fmt.Errorf("tensor %s has a value that is not finite", name)
	}
	return m, nil
}
