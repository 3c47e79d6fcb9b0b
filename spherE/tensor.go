package sphere

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Tensor is a float32 array of a safetensors file, row-major.
type Tensor struct {
	Shape []int
	Data  []float32
}

// ReadTensors reads all tensors of a safetensors file, by name. A tensor that does not hold float32, or whose shape
// does not fit its bytes, is an error of type *CheckpointError.
func ReadTensors(path string) (map[string]Tensor, error) {
	f, err := openTensors(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make(map[string]Tensor, len(f.entries))
	for _, name := range slices.Sorted(maps.Keys(f.entries)) {
		h := f.entries[name]
		if err := f.checkShape(name, h.Shape...); err != nil {
			return nil, &CheckpointError{path, err}
		}
		n := int(h.Offsets[1]-h.Offsets[0]) / floatBytes
		t := tensor{name: name, shape: h.Shape, data: make([]float32, n), rows: 1, blocks: n, planes: 1}
		if err := t.decode(io.NewSectionReader(f.file, f.data+h.Offsets[0], int64(n)*floatBytes)); err != nil {
			return nil, &CheckpointError{path, fmt.Errorf("tensor %s: %w", name, err)}
		}
		all[name] = Tensor{h.Shape, t.data}
	}
	return all, nil
}
