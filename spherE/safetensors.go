package sphere

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"

	"github.com/spherelab/spherelab/internal/atomicfile"
)

// tensor is a named float32 array. In memory it has rows of padded planes; in the file it is unpadded and block by
// block: float (row*blocks + b)*planes + p of the file is data[row*stride + p*plane + b], for all rows, b < blocks and
// p < planes.
type tensor struct {
	name                 string
	shape                []int
	data                 []float32
	rows, blocks, planes int
	stride, plane        int
}

func (t *tensor) size() int { return t.rows * t.blocks * t.planes }

// rowBytes is the length of a row in the file.
func (t *tensor) rowBytes() int { return t.blocks * t.planes * floatBytes }

// header is an entry of a safetensors header.
type header struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

const (
	metadataKey = "__metadata__"
	maxHeader   = 100 << 20
	floatBytes  = 4
	digestKey   = "checkpoint_digest" // over the model's tensors
	fileDigest  = "file_digest"       // over all tensors and all other metadata of the file
	chunkBytes  = 64 << 10            // written or read at once, if a row is not longer
)

// CheckpointError is an error in a checkpoint file.
type CheckpointError struct {
	Path string
	Err  error
}

func (e *CheckpointError) Error() string { return fmt.Sprintf("checkpoint %s: %v", e.Path, e.Err) }
func (e *CheckpointError) Unwrap() error { return e.Err }

// writeTensors writes a safetensors file: a little-endian length, a JSON header, the floats. path is never a partial
// checkpoint.
func writeTensors(path string, tensors []tensor, metadata map[string]string) error {
	err := atomicfile.Replace(path, 0o644, func(w io.Writer) error { return encodeTensors(w, tensors, metadata) })
	if err != nil {
		return &CheckpointError{path, err}
	}
	return nil
}

func encodeTensors(w io.Writer, tensors []tensor, metadata map[string]string) error {
	entries := map[string]any{metadataKey: metadata}
	offset := int64(0)
	for _, t := range tensors {
		end := offset + int64(t.size())*floatBytes
		entries[t.name] = header{"F32", t.shape, [2]int64{offset, end}}
		offset = end
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return err
	}
	for len(text)%8 != 0 { // data starts aligned
		text = append(text, ' ')
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := t.encode(w); err != nil {
			return err
		}
	}
	return nil
}

// chunkRows is the number of rows that are written or read at once.
func (t *tensor) chunkRows() int { return min(max(chunkBytes/max(t.rowBytes(), 1), 1), t.rows) }

// encode writes the tensor in the layout of the file.
func (t *tensor) encode(w io.Writer) error {
	length, maximum := t.rowBytes(), t.chunkRows()
	buffer := make([]byte, maximum*length)
	for row := 0; row < t.rows; row += maximum {
		n := min(maximum, t.rows-row)
		t.encodeRows(buffer[:n*length], row, n)
		if _, err := w.Write(buffer[:n*length]); err != nil {
			return err
		}
	}
	return nil
}

func (t *tensor) encodeRows(to []byte, row, n int) {
	length, step := t.rowBytes(), t.planes*floatBytes
	for i := range n {
		for p := range t.planes {
			at := i*length + p*floatBytes
			for _, x := range t.data[(row+i)*t.stride+p*t.plane:][:t.blocks] {
				binary.LittleEndian.PutUint32(to[at:], math.Float32bits(x))
				at += step
			}
		}
	}
}

// decode reads what encode wrote. It leaves the padding unchanged.
func (t *tensor) decode(r io.Reader) error {
	length, maximum := t.rowBytes(), t.chunkRows()
	buffer := make([]byte, maximum*length)
	for row := 0; row < t.rows; row += maximum {
		n := min(maximum, t.rows-row)
		if _, err := io.ReadFull(r, buffer[:n*length]); err != nil {
			if errors.Is(err, io.EOF) { // the file ends exactly before this chunk
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("tensor %s is cut short: %w", t.name, err)
		}
		t.decodeRows(buffer[:n*length], row, n)
	}
	return nil
}

func (t *tensor) decodeRows(from []byte, row, n int) {
	length, step := t.rowBytes(), t.planes*floatBytes
	for i := range n {
		for p := range t.planes {
			at := i*length + p*floatBytes
			to := t.data[(row+i)*t.stride+p*t.plane:][:t.blocks]
			for b := range to {
				to[b] = math.Float32frombits(binary.LittleEndian.Uint32(from[at:]))
				at += step
			}
		}
	}
}

// digestOf returns the SHA-256 over names, shapes and floats of the tensors, sorted by name.
func digestOf(tensors []tensor) string {
	sorted := slices.Clone(tensors)
	slices.SortFunc(sorted, func(a, b tensor) int {
		if a.name < b.name {
			return -1
		}
		return 1
	})
	h := sha256.New()
	for _, t := range sorted {
		fmt.Fprintf(h, "%s %v\n", t.name, t.shape)
		_ = t.encode(h) // a hash never fails to write
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digestOfFile returns the SHA-256 over the digest of the tensors and all metadata except the file's own digest.
func digestOfFile(tensors []tensor, metadata map[string]string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", digestOf(tensors))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if key != fileDigest {
			fmt.Fprintf(h, "%q %q\n", key, metadata[key])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// tensorFile is an opened safetensors file whose header has been read.
type tensorFile struct {
	path     string
	file     io.ReaderAt
	size     int64
	close    func() error
	entries  map[string]header
	metadata map[string]string
	data     int64 // where the floats start
}

func openTensors(path string) (*tensorFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &CheckpointError{path, err}
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, &CheckpointError{path, err}
	}
	f := &tensorFile{path: path, file: file, size: info.Size(), close: file.Close}
	if err := f.readHeader(); err != nil {
		file.Close()
		return nil, &CheckpointError{path, fmt.Errorf("is not a complete safetensors file: %w", err)}
	}
	return f, nil
}

func (f *tensorFile) Close() error { return f.close() }

func (f *tensorFile) readHeader() error {
	file := io.NewSectionReader(f.file, 0, f.size)
	var length uint64
	if err := binary.Read(file, binary.LittleEndian, &length); err != nil {
		return fmt.Errorf("no header length: %w", err)
	}
	if length > maxHeader || int64(length) > f.size {
		return fmt.Errorf("header length %d is beyond the file's %d bytes", length, f.size)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(file, text); err != nil {
		return fmt.Errorf("header is cut short: %w", err)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	f.entries = map[string]header{}
	for name, value := range raw {
		if name == metadataKey {
			if err := json.Unmarshal(value, &f.metadata); err != nil {
				return fmt.Errorf("header %s: %w", metadataKey, err)
			}
			continue
		}
		var h header
		if err := json.Unmarshal(value, &h); err != nil {
			return fmt.Errorf("header of tensor %s: %w", name, err)
		}
		f.entries[name] = h
	}
	f.data = 8 + int64(length)
	return f.checkOffsets(f.size - f.data)
}

// checkOffsets checks that every tensor lies in the bytes after the header and that the last one ends with the file. So
// the size of the file bounds what a header can ask for.
func (f *tensorFile) checkOffsets(size int64) error {
	end := int64(0)
	for _, name := range slices.Sorted(maps.Keys(f.entries)) {
		h := f.entries[name]
		if h.Offsets[0] < 0 || h.Offsets[1] < h.Offsets[0] || h.Offsets[1] > size {
			return fmt.Errorf("tensor %s is at %v of %d bytes; the file is cut short or damaged", name, h.Offsets, size)
		}
		end = max(end, h.Offsets[1])
	}
	if end != size {
		return fmt.Errorf("there are %d bytes after the last tensor", size-end)
	}
	return nil
}

// checkShape returns an error unless the file has a float32 tensor of this name and shape.
func (f *tensorFile) checkShape(name string, shape ...int) error {
	h, ok := f.entries[name]
	if !ok {
		return fmt.Errorf("tensor %s is missing", name)
	}
	length := h.Offsets[1] - h.Offsets[0]
	floats := length / floatBytes
	for _, n := range shape { // by division: a product may overflow
		if n <= 0 || floats%int64(n) != 0 {
			floats = 0
			break
		}
		floats /= int64(n)
	}
	if h.Type != "F32" || !slices.Equal(h.Shape, shape) || length%floatBytes != 0 || floats != 1 {
		return fmt.Errorf("tensor %s is %s %v in %d bytes, want F32 %v", name, h.Type, h.Shape, length, shape)
	}
	return nil
}

// read fills the tensors. All of them must be in the file with the expected shape.
func (f *tensorFile) read(tensors []tensor) error {
	for i := range tensors {
		t := &tensors[i]
		if err := f.checkShape(t.name, t.shape...); err != nil {
			return &CheckpointError{f.path, err}
		}
		h := f.entries[t.name]
		section := io.NewSectionReader(f.file, f.data+h.Offsets[0], h.Offsets[1]-h.Offsets[0])
		if err := t.decode(section); err != nil {
			return &CheckpointError{f.path, err}
		}
	}
	return nil
}

// verify compares the digest in the metadata with that of the tensors and the metadata that were read.
func (f *tensorFile) verify(tensors []tensor) error {
	want := f.metadata[fileDigest]
	if want == "" {
		return &CheckpointError{f.path, fmt.Errorf("has no %s, so it cannot be verified: train again", fileDigest)}
	}
	if got := digestOfFile(tensors, f.metadata); got != want {
		return &CheckpointError{f.path, fmt.Errorf(
			"%s is %q, but its content has %s: the file is damaged; restore it or train again", fileDigest, want, got)}
	}
	return nil
}
