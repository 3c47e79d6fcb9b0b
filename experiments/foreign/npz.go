package foreign

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
)

// maxArray limits the bytes of an array of an .npz file, which may be compressed.
const maxArray = 1 << 34

// readNPZ reads the arrays of numpy.savez by name. A complex array gets a last dimension of real and imaginary part.
func readNPZ(path string) (map[string]sphere.Tensor, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer z.Close()
	all := map[string]sphere.Tensor{}
	for _, f := range z.File {
		if f.UncompressedSize64 > maxArray {
			return nil, fmt.Errorf("%s: array %s has %d bytes, more than %d", path, f.Name, f.UncompressedSize64, maxArray)
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: array %s: %w", path, f.Name, err)
		}
		t, err := readNPY(r)
		_ = r.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("%s: array %s: %w", path, f.Name, err)
		}
		all[strings.TrimSuffix(f.Name, ".npy")] = t
	}
	return all, nil
}

// dictionary finds the three entries of the header of an array, a literal of Python.
var dictionary = regexp.MustCompile(`'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\)`)

func readNPY(r io.Reader) (t sphere.Tensor, err error) {
	start := make([]byte, 10)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:6]) != "\x93NUMPY" || start[6] > 1 {
		return t, errors.New("is not an array of .npy version 1")
	}
	header := make([]byte, binary.LittleEndian.Uint16(start[8:]))
	if _, err := io.ReadFull(r, header); err != nil {
		return t, err
	}
	found := dictionary.FindStringSubmatch(string(header))
	if found == nil || found[2] == "True" {
		return t, fmt.Errorf("has the header %.80q; write it row-major, by numpy.ascontiguousarray", header)
	}
	size := 1
	for n := range strings.SplitSeq(found[3], ",") {
		if n = strings.TrimSpace(n); n == "" {
			continue
		}
		length, err := strconv.Atoi(n)
		if err != nil || length < 1 || length > maxArray/size {
			return t, fmt.Errorf("has the shape (%s)", found[3])
		}
		t.Shape, size = append(t.Shape, length), size*length
	}
	if strings.HasPrefix(found[1], "<c") {
		t.Shape, size = append(t.Shape, 2), 2*size
	}
	width := map[string]int{"<f4": 4, "<f8": 8, "<c8": 4, "<c16": 8}[found[1]]
	if width == 0 {
		return t, fmt.Errorf("holds %q; write float32, float64, complex64 or complex128", found[1])
	}
	raw, err := io.ReadAll(io.LimitReader(r, int64(size)*int64(width)+1))
	if err != nil || len(raw) != size*width {
		return t, fmt.Errorf("has not the %d bytes that its shape needs", size*width)
	}
	t.Data = make([]float32, size)
	for i := range t.Data {
		if width == 4 {
			t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		} else {
			t.Data[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])))
		}
	}
	return t, nil
}
