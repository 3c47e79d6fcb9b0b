package scorefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// dictionary finds the entries of the header of an array, a literal of Python.
var dictionary = regexp.MustCompile(`'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\)`)

// header is what an array is.
type header struct {
	kind  string // "<f4"
	shape []int
}

// readHeader reads the header of an array of numpy.save; size is how many bytes it has.
func readHeader(r io.Reader) (h header, size int64, err error) {
	start := make([]byte, 10)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:6]) != "\x93NUMPY" || start[6] != 1 {
		return h, 0, errors.New("is not an array of .npy version 1; write it by numpy.save")
	}
	text := make([]byte, binary.LittleEndian.Uint16(start[8:]))
	if _, err := io.ReadFull(r, text); err != nil {
		return h, 0, errors.New("is cut short in its header")
	}
	found := dictionary.FindStringSubmatch(string(text))
	if found == nil || found[2] == "True" {
		return h, 0, errors.New("is not a row-major array of numbers; write it by numpy.ascontiguousarray")
	}
	for n := range strings.SplitSeq(found[3], ",") {
		if n = strings.TrimSpace(n); n == "" {
			continue
		}
		length, err := strconv.Atoi(n)
		if err != nil || length < 1 || length > math.MaxInt32 {
			return h, 0, fmt.Errorf("has the shape (%s), of which each number is from 1 to %d", found[3], math.MaxInt32)
		}
		h.shape = append(h.shape, length)
	}
	h.kind = found[1]
	return h, int64(len(start) + len(text)), nil
}

// readIntegers reads an array [rows, columns], or [rows], of 32 or 64 bit integers as numpy.save writes it.
func readIntegers(path string) ([][]int64, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, err := parseIntegers(raw)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return rows, nil
}

func parseIntegers(raw []byte) ([][]int64, error) {
	h, start, err := readHeader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	width := map[string]int{"<i4": 4, "<i8": 8}[h.kind]
	if width == 0 {
		return nil, fmt.Errorf("holds %q; write int32 or int64", h.kind)
	}
	if len(h.shape) == 1 {
		h.shape = append(h.shape, 1)
	}
	if len(h.shape) != 2 {
		return nil, fmt.Errorf("has %d dimensions, and needs one or two", len(h.shape))
	}
	n, k := h.shape[0], h.shape[1]
	raw = raw[start:]
	if k > len(raw) || len(raw)%(k*width) != 0 || len(raw)/(k*width) != n {
		return nil, fmt.Errorf("has %d bytes, which is not what its shape (%d, %d) needs", len(raw), n, k)
	}
	rows := make([][]int64, n)
	for i := range rows {
		rows[i] = make([]int64, k)
		for j := range rows[i] {
			at := raw[(i*k+j)*width:]
			if width == 4 {
				rows[i][j] = int64(int32(binary.LittleEndian.Uint32(at)))
			} else {
				rows[i][j] = int64(binary.LittleEndian.Uint64(at))
			}
		}
	}
	return rows, nil
}
