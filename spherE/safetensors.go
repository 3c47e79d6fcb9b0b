package sphere

import (
	"bufio"
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
	"path/filepath"
	"slices"
)

// tensor is a named float32 array, in memory rows of planes with padding, in the file unpadded and block by block: float
// (row*blocks + b)*planes + p of the file is data[row*stride + p*plane + b], for all rows, b < blocks and p < planes.
type tensor struct {
	name                 string
	shape                []int
	data                 []float32
	rows, blocks, planes int
	stride, plane        int
}

func (t tensor) size() int { return t.rows * t.blocks * t.planes }

// rowBytes is the length of a row in the file.
func (t tensor) rowBytes() int { return t.blocks * t.planes * floatBytes }

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
	chunkBytes  = 64 << 10            // that go to a writer at once, if not a whole row is more
)

// CheckpointError tells what is wrong with a checkpoint file.
type CheckpointError struct {
	Path string
	Err  error
}

func (e *CheckpointError) Error() string { return fmt.Sprintf("checkpoint %s: %v", e.Path, e.Err) }
func (e *CheckpointError) Unwrap() error { return e.Err }

// writeTensors writes a safetensors file (a little-endian length, a JSON header, the floats) beside path and moves
// it there once it is on the disk, so that path is never half a checkpoint.
func writeTensors(path string, tensors []tensor, metadata map[string]string) (err error) {
	defer func() {
		if err != nil {
			err = &CheckpointError{path, err}
		}
	}()
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(file.Close()), os.Remove(file.Name()))
		}
	}()
	w := bufio.NewWriterSize(file, 1<<20)
	if err := encodeTensors(w, tensors, metadata); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := file.Chmod(0o644); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// syncDirectory makes a rename outlast a power cut. Some file systems cannot: that is no failure of the write.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
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

func (t tensor) encode(w io.Writer) error {
	length := t.rowBytes()
	buffer := make([]byte, max(chunkBytes/max(length, 1), 1)*length)
	filled := 0
	for row := range t.rows {
		t.encodeRow(buffer[filled:][:length], row)
		filled += length
		if filled == len(buffer) || row == t.rows-1 {
			if _, err := w.Write(buffer[:filled]); err != nil {
				return err
			}
			filled = 0
		}
	}
	return nil
}

// encodeRow writes a row as it is in the file.
func (t tensor) encodeRow(to []byte, row int) {
	for p := range t.planes {
		out := to[p*floatBytes:]
		for b, x := range t.data[row*t.stride+p*t.plane:][:t.blocks] {
			binary.LittleEndian.PutUint32(out[b*t.planes*floatBytes:], math.Float32bits(x))
		}
	}
}

func (t tensor) decode(r io.Reader) error {
	length := t.rowBytes()
	buffered := bufio.NewReaderSize(r, max(chunkBytes, length))
	from := make([]byte, length)
	for row := range t.rows {
		if _, err := io.ReadFull(buffered, from); err != nil {
			return fmt.Errorf("tensor %s is cut short: %w", t.name, err)
		}
		for p := range t.planes {
			in := from[p*floatBytes:]
			to := t.data[row*t.stride+p*t.plane:][:t.blocks]
			for b := range to {
				to[b] = math.Float32frombits(binary.LittleEndian.Uint32(in[b*t.planes*floatBytes:]))
			}
		}
	}
	return nil
}

// digestOf is the SHA-256 over names, shapes and floats of the tensors, sorted by name.
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

// digestOfFile is the SHA-256 over the digest of the tensors and all metadata but the file's own digest.
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
	file     *os.File
	entries  map[string]header
	metadata map[string]string
	data     int64 // where the floats start
}

func openTensors(path string) (*tensorFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &CheckpointError{path, err}
	}
	f := &tensorFile{path: path, file: file}
	if err := f.readHeader(); err != nil {
		file.Close()
		return nil, &CheckpointError{path, fmt.Errorf("is no safetensors file: %w", err)}
	}
	return f, nil
}

func (f *tensorFile) Close() error { return f.file.Close() }

func (f *tensorFile) readHeader() error {
	var length uint64
	if err := binary.Read(f.file, binary.LittleEndian, &length); err != nil {
		return fmt.Errorf("no header length: %w", err)
	}
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if length > maxHeader || int64(length) > info.Size() {
		return fmt.Errorf("header length %d is beyond the file's %d bytes", length, info.Size())
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(f.file, text); err != nil {
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
	return nil
}

// read fills the tensors, all of which must be in the file with the expected shape.
func (f *tensorFile) read(tensors []tensor) error {
	for _, t := range tensors {
		h, ok := f.entries[t.name]
		if !ok {
			return &CheckpointError{f.path, fmt.Errorf("tensor %s is missing", t.name)}
		}
		if h.Type != "F32" || !slices.Equal(h.Shape, t.shape) || h.Offsets[1]-h.Offsets[0] != int64(t.size())*floatBytes {
			return &CheckpointError{f.path, fmt.Errorf("tensor %s is %s %v, want F32 %v", t.name, h.Type, h.Shape, t.shape)}
		}
		section := io.NewSectionReader(f.file, f.data+h.Offsets[0], h.Offsets[1]-h.Offsets[0])
		if err := t.decode(section); err != nil {
			return &CheckpointError{f.path, err}
		}
	}
	return nil
}

// verify compares the digest in the metadata with that of the tensors read and the metadata.
func (f *tensorFile) verify(tensors []tensor) error {
	want := f.metadata[fileDigest]
	if want == "" {
		return &CheckpointError{f.path, fmt.Errorf("has no %s, so nothing says that it is whole: train again", fileDigest)}
	}
	if got := digestOfFile(tensors, f.metadata); got != want {
		return &CheckpointError{f.path, fmt.Errorf("%s is %q, but its content has %s: the file is damaged; restore it or train again", fileDigest, want, got)}
	}
	return nil
}
