package simd

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// FuzzKernels compares every vector kernel with plain Go on rows whose bits come from the fuzzer.
func FuzzKernels(f *testing.F) {
	words := func(bits ...uint32) []byte {
		var b []byte
		for _, w := range bits {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	f.Add(words(0, 0x80000000, 0x3f800000), uint8(1), uint32(0x3f800000))
	f.Add(words(0x7f800000, 0xff800000, 0x7fc00000, 1), uint8(2), uint32(0x7f800000))
	f.Add(words(0x00000001, 0x807fffff, 0x7f7fffff), uint8(3), uint32(0x80000000))
	f.Add(words(0x3f000000, 0x3f000000, 0x3f000000, 0x3f000000, 0x40000000), uint8(4), uint32(0x33800000))
	plain, vector := Go(), simdtest.Vector(f, Select)
	f.Fuzz(func(t *testing.T, data []byte, vectors uint8, weight uint32) {
		// Rows of two planes and of three. The words of the fuzzer repeat with a period that is not a multiple of a
		// row.
		n := 6 * Lanes * int(vectors%5)
		word := func(i int) float32 {
			if len(data) < 4 {
				return 0
			}
			i %= len(data) / 4
			return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		rows := func() (r [5][]float32) {
			for i := range r {
				r[i] = make([]float32, n)
				for j := range r[i] {
					r[i][j] = word(i*n + j + i*j/7)
				}
			}
			return r
		}
		w := math.Float32frombits(weight)
		compare := func(path, kernel string, got, want []float32) {
			for j := range want {
				if !same32(got[j], want[j]) {
					t.Fatalf("%s %s [%d] of %d: %08x, plain Go %08x", path, kernel, j, len(want),
						math.Float32bits(got[j]), math.Float32bits(want[j]))
				}
			}
		}
		for _, path := range vector {
			for _, kernel := range rowKernels {
				a, b := rows(), rows()
				compare(path.Name, kernel.name, []float32{kernel.run(path, a, w)}, []float32{kernel.run(plain, b, w)})
				for i := range a {
					compare(path.Name, kernel.name, a[i], b[i])
				}
			}
			if n == 0 {
				continue
			}
			for _, norm := range norms {
				table := append(rows()[0], rows()[1]...)
				number, weights := []int32{1, 0, 1}, []float32{w, 0, -w}
				pull := []uint64{Pull(1, w), PullWhole(0), Pull(0, 0), Pull(0, word(1))}
				run := func(k *Norm) (out []float32) {
					r := rows()
					dst, length := make([]float32, 3), make([]float32, 3*n/norm.planes)
					k.Gather(dst, length, r[2], table, number)
					k.GatherPush(r[3], r[2], table, number, number, weights, length)
					k.OwnPush(r[4], r[2], table, pull)
					all := make([]float32, 4)
					k.Rows(all, 2, table, table, n)
					for _, x := range [][]float32{dst, r[3], r[4], all} {
						out = append(out, x...)
					}
					return out
				}
				compare(path.Name, norm.name, run(norm.of(path)), run(norm.of(plain)))
			}
		}
	})
}

// FuzzTranscendentals compares the kernels of float64 with plain Go.
func FuzzTranscendentals(f *testing.F) {
	for _, x := range []float64{0, 1, -1, 709.78, -745.13, 1e-320, 1 << 20, math.Inf(-1), math.NaN()} {
		f.Add(math.Float64bits(x), math.Float64bits(-x), uint32(3), uint8(5))
	}
	plain, vector := Go(), simdtest.Vector(f, Select)
	f.Fuzz(func(t *testing.T, a, b uint64, raw uint32, n uint8) {
		x := make([]float64, n%37)
		for i := range x {
			x[i] = math.Float64frombits([2]uint64{a, b}[i%2] + uint64(i/2))
		}
		angles := make([]float32, int(n%4)*Lanes)
		for i := range angles {
			angles[i] = math.Float32frombits(raw + uint32(i))
		}
		scale := math.Float64frombits(b)
		run := func(k *Kernels) (reals []float64, turn []float32) {
			e, s, g := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
			k.Exp(e, x)
			k.Logistic(s, g, x)
			turn = make([]float32, 2*len(angles))
			k.Turn2(turn, angles, scale)
			return append(append(e, s...), g...), turn
		}
		want, wantTurn := run(plain)
		for _, path := range vector {
			got, turn := run(path)
			for i := range want {
				if !same64(got[i], want[i]) {
					t.Fatalf("%s: Exp or Logistic [%d] of %d: %x, plain Go %x", path.Name, i, len(x), got[i], want[i])
				}
			}
			for i := range wantTurn {
				if !same32(turn[i], wantTurn[i]) {
					t.Fatalf("%s: Turn2 of %g times %g [%d]: %x, plain Go %x", path.Name, angles[i%len(angles)], scale,
						i, turn[i], wantTurn[i])
				}
			}
		}
	})
}
