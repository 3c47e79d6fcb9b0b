package scorefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

// dictionary finds the entries of the header of an array, a literal of Python.
var dictionary = regexp.MustCompile(`'descr': '([^']*)', 'fortran_order': False, 'shape': \((\d+),(?: (\d+))?\)`)

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
	if len(raw) < 10 || string(raw[:6]) != "\x93NUMPY" || raw[6] != 1 {
		return nil, errors.New("is not an array of .npy version 1; write it by numpy.save")
	}
	start := 10 + int(binary.LittleEndian.Uint16(raw[8:]))
	found := dictionary.FindSubmatch(raw[10:min(start, len(raw))])
	if found == nil {
		return nil, errors.New("is not a row-major array of one or two dimensions; write it by numpy.ascontiguousarray")
	}
	width := map[string]int{"<i4": 4, "<i8": 8}[string(found[1])]
	if width == 0 {
		return nil, fmt.Errorf("holds %q; write int32 or int64", found[1])
	}
	if len(found[3]) == 0 {
		found[3] = []byte("1")
	}
	if start > len(raw) {
		return nil, errors.New("is cut short in its header")
	}
	n, errRows := strconv.Atoi(string(found[2]))
	k, errColumns := strconv.Atoi(string(found[3]))
	raw = raw[start:]
	if errRows != nil || errColumns != nil || k == 0 || k > len(raw) || len(raw)%(k*width) != 0 ||
		len(raw)/(k*width) != n {
		return nil, fmt.Errorf("has %d bytes, which is not what its shape (%s, %s) needs", len(raw), found[2],
			found[3])
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
