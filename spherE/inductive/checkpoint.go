package inductive

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
)

// maxPickle limits the pickle of an archive.
const maxPickle = 16 << 20

// Open reads the network of a checkpoint. It is a zip archive of PyTorch that has a dictionary of float32 tensors by
// name, or one of these under "model", or it is a safetensors file. The names may have "model." in front. Open runs no
// code of a checkpoint; whatever a dictionary of tensors does not need is an error. Errors are of type
// *sphere.CheckpointError.
func Open(file string) (*Network, error) {
	n, err := open(file)
	if wrapped := (*sphere.CheckpointError)(nil); err != nil && !errors.As(err, &wrapped) {
		err = &sphere.CheckpointError{Path: file, Err: err}
	}
	return n, err
}

func open(file string) (*Network, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil {
		return nil, fmt.Errorf("has %d bytes: it is cut short", info.Size())
	}
	var tensors map[string]Tensor
	if string(magic[:2]) == "PK" {
		tensors, err = readArchive(f, info.Size())
	} else {
		tensors, err = readSafetensors(file)
	}
	if err != nil {
		return nil, err
	}
	return New(tensors)
}

func readSafetensors(file string) (map[string]Tensor, error) {
	all, err := sphere.ReadTensors(file)
	if err != nil {
		return nil, err
	}
	return named(all), nil
}

func named(all map[string]sphere.Tensor) map[string]Tensor {
	tensors := make(map[string]Tensor, len(all))
	for name, t := range all {
		tensors[name] = Tensor(t)
	}
	return tensors
}

// Write writes the weights as a safetensors file, which Open reads.
func (n *Network) Write(file string) error {
	tensors := make(map[string]sphere.Tensor, len(n.tensors))
	for name, t := range n.tensors {
		tensors[name] = sphere.Tensor(t)
	}
	return sphere.WriteTensors(file, tensors)
}

// archive is a zip file of PyTorch: PREFIX/data.pkl, and PREFIX/data/KEY with the floats of each storage.
type archive struct {
	files  map[string]*zip.File
	prefix string
	read   map[string]Tensor // tensors by their place: tied ones are one
	bytes  int64             // of storages and tensors that may still be read
}

// maxReads is how often an archive may be read: views of one storage each read all of it.
const maxReads = 8

// readArchive reads the tensors of a zip archive. Its files are stored, not compressed, so the size of the archive
// limits what is read.
func readArchive(r io.ReaderAt, size int64) (map[string]Tensor, error) {
	a, program, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	value, err := unpickle(program)
	if err != nil {
		return nil, err
	}
	dict, ok := value.(*pickleDict)
	if !ok {
		return nil, errors.New("has no dictionary of tensors")
	}
	if model, ok := dict.items["model"].(*pickleDict); ok {
		dict = model
	}
	tensors := map[string]Tensor{}
	for name, v := range dict.items {
		t, ok := v.(view)
		if !ok {
			return nil, fmt.Errorf("has %q in place of a tensor", name)
		}
		if tensors[name], err = a.tensor(t); err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
	}
	return bare(tensors), nil
}

// openArchive returns an archive and its pickle.
func openArchive(r io.ReaderAt, size int64) (*archive, []byte, error) {
	z, err := zip.NewReader(r, size)
	if magic := [2]byte{}; err != nil {
		if _, failed := r.ReadAt(magic[:], 0); failed == nil && magic == [2]byte{0x80, 2} { // a bare pickle
			return nil, nil, errors.New("was saved by PyTorch before 1.6; load it, and save it with a later one")
		}
		return nil, nil, fmt.Errorf("is not a complete zip archive: %w", err)
	}
	a := &archive{files: map[string]*zip.File{}, read: map[string]Tensor{}, bytes: maxReads * size}
	for _, f := range z.File {
		a.files[f.Name] = f
		if path.Base(f.Name) == "data.pkl" {
			a.prefix = strings.TrimSuffix(f.Name, "data.pkl")
		}
	}
	if order, err := a.file("byteorder", 16); err == nil && string(order) != "little" {
		return nil, nil, fmt.Errorf("has floats of byte order %.16q, not little", order)
	}
	program, err := a.file("data.pkl", maxPickle)
	return a, program, err
}

// outer is what names begin with where a network is a part of another model, once for each such model.
const outer = "model."

// bare returns tensors by their names in the network.
func bare(tensors map[string]Tensor) map[string]Tensor {
	for len(tensors) > 0 {
		inner := make(map[string]Tensor, len(tensors))
		for name, t := range tensors {
			rest, ok := strings.CutPrefix(name, outer)
			if !ok {
				return tensors
			}
			inner[rest] = t
		}
		tensors = inner
	}
	return tensors
}

// file returns a file of the archive, of at most limit bytes.
func (a *archive) file(name string, limit int64) ([]byte, error) {
	f, ok := a.files[a.prefix+name]
	switch {
	case !ok:
		return nil, fmt.Errorf("has no file %s", a.prefix+name)
	case f.Method != zip.Store:
		return nil, fmt.Errorf("file %s is compressed", f.Name)
	case f.UncompressedSize64 > uint64(limit) || f.UncompressedSize64 != f.CompressedSize64:
		return nil, fmt.Errorf("file %s has %d bytes, more than %d", f.Name, f.UncompressedSize64, limit)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", f.Name, err)
	}
	defer r.Close()
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", f.Name, err)
	}
	return content, nil
}

// tensor reads a tensor. Those that have the same place share their floats.
func (a *archive) tensor(v view) (Tensor, error) {
	const floatBytes = 4
	place := fmt.Sprint(v.storage.key, " ", v.offset, v.shape)
	if t, again := a.read[place]; again {
		return t, nil
	}
	f, ok := a.files[a.prefix+"data/"+v.storage.key]
	if !ok {
		return Tensor{}, fmt.Errorf("has no file %sdata/%s", a.prefix, v.storage.key)
	}
	if f.UncompressedSize64/floatBytes != uint64(v.storage.floats) || f.UncompressedSize64%floatBytes != 0 {
		return Tensor{}, fmt.Errorf("file %s has %d bytes for %d floats", f.Name, f.UncompressedSize64, v.storage.floats)
	}
	t := Tensor{}
	n := int64(1)
	for _, size := range v.shape {
		t.Shape = append(t.Shape, int(size))
		n *= size
	}
	if a.bytes -= int64(f.UncompressedSize64) + n*floatBytes; a.bytes < 0 {
		return Tensor{}, errors.New("has too many tensors that share a storage; save each by itself, by tensor.clone()")
	}
	content, err := a.file("data/"+v.storage.key, int64(f.UncompressedSize64))
	if err != nil {
		return Tensor{}, err
	}
	t.Data = make([]float32, n)
	for i := range t.Data {
		t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(content[(v.offset+int64(i))*floatBytes:]))
	}
	a.read[place] = t
	return t, nil
}
