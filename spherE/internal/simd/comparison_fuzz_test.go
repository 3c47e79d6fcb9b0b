package simd

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// FuzzRows compares the vector kernels over many rows and those of Counts with plain Go on floats whose bits come from
// the fuzzer.
func FuzzRows(f *testing.F) {
	words := func(bits ...uint32) (b []byte) {
		for _, w := range bits {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	f.Add(words(0, 0x80000000, 0x3f800000), uint8(1), uint8(3), uint32(0x3f800000))
	f.Add(words(0x7f800000, 0xff800000, 0x7fc00000, 1), uint8(2), uint8(5), uint32(0x7f800000))
	f.Add(words(0x00000001, 0x807fffff, 0x7f7fffff), uint8(3), uint8(9), uint32(0x80000000))
	f.Add(words(0x3f000000, 0x3f000000, 0x3f000000, 0x3f000000, 0x40000000), uint8(4), uint8(14), uint32(0x7fc00000))
	plain, vector := Go(), simdtest.Vector(f, Select)
	all := comparisons()
	f.Fuzz(func(t *testing.T, data []byte, vectors, count uint8, limit uint32) {
		// The words of the fuzzer repeat with a period that is not a multiple of a row.
		floats := func(n, from int) []float32 {
			row := make([]float32, n)
			for i := range row {
				if len(data) >= 4 {
					at := (from + i + i*from/7) % (len(data) / 4)
					row[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*at:]))
				}
			}
			return row
		}
		queries, rows := int(count%6), int(count/6%8)
		for _, path := range vector {
			for _, c := range all {
				stride := c.planes * Lanes * (1 + int(vectors%5))
				q, table := floats(queries*stride, 1), floats(rows*stride, 5)
				got, want := make([]float32, queries*(rows+1)), make([]float32, queries*(rows+1))
				c.run(path, got, rows+1, q, table, stride)
				c.run(plain, want, rows+1, q, table, stride)
				for i := range want {
					if !same32(got[i], want[i]) {
						t.Fatalf("%s %s [%d] of %d: %08x, plain Go %08x", path.Name, c.name, i, len(want),
							math.Float32bits(got[i]), math.Float32bits(want[i]))
					}
				}
			}
			n := int(vectors) * int(count) % 700
			values, radius := floats(n, 2), floats(n, 3)
			to := math.Float32frombits(limit)
			got := countCase(&path.Counts, values, radius, to, make([]float32, Classes), make([]float32, n))
			want := countCase(&plain.Counts, values, radius, to, make([]float32, Classes), make([]float32, n))
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("%s, %d values, limit %g, result %d: %08x, plain Go %08x", path.Name, n, to, i, got[i],
						want[i])
				}
			}
		}
	})
}
