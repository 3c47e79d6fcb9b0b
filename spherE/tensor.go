package sphere

import (
	"bytes"
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
	return f.all()
}

// DecodeTensors is ReadTensors for the content of a file. name stands for the path in errors.
func DecodeTensors(name string, content []byte) (map[string]Tensor, error) {
	f := &tensorFile{path: name, file: bytes.NewReader(content), size: int64(len(content))}
	if err := f.readHeader(); err != nil {
		return nil, &CheckpointError{name, err}
	}
	return f.all()
}

func (f *tensorFile) all() (map[string]Tensor, error) {
	all := make(map[string]Tensor, len(f.entries))
	for _, name := range slices.Sorted(maps.Keys(f.entries)) {
		h := f.entries[name]
		if err := f.checkShape(name, h.Shape...); err != nil {
			return nil, &CheckpointError{f.path, err}
		}
		n := int(h.Offsets[1]-h.Offsets[0]) / floatBytes
		t := tensor{name: name, shape: h.Shape, data: make([]float32, n), rows: 1, blocks: n, planes: 1}
		if err := t.decode(io.NewSectionReader(f.file, f.data+h.Offsets[0], int64(n)*floatBytes)); err != nil {
			return nil, &CheckpointError{f.path, fmt.Errorf("tensor %s: %w", name, err)}
		}
		all[name] = Tensor{h.Shape, t.data}
	}
	return all, nil
}

// WriteTensors writes a safetensors file of tensors by name. path is never a partial file.
func WriteTensors(path string, all map[string]Tensor) error {
	var list []tensor
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t := all[name]
		list = append(list, tensor{name: name, shape: t.Shape, data: t.Data, rows: 1, blocks: len(t.Data), planes: 1,
			stride: len(t.Data), plane: len(t.Data)})
	}
	return writeTensors(path, list, map[string]string{"format": "pt"})
}
