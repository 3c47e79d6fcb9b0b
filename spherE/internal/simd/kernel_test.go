package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

const guard = 0x7fc0dead // a NaN that no kernel makes

// guarded returns a slice of n floats at the given offset from a vector boundary, between guard words.
type guarded struct{ all, row []float32 }

func newGuarded(n, offset int) guarded {
	all := make([]float32, n+2*Lanes+offset)
	for i := range all {
		all[i] = math.Float32frombits(guard)
	}
	return guarded{all, all[Lanes+offset : Lanes+offset+n : Lanes+offset+n]}
}

func (g guarded) check(t *testing.T, name string) {
	t.Helper()
	for i, x := range g.all {
		inside := &g.all[i:][0]
		if len(g.row) > 0 && uintptrOf(inside) >= uintptrOf(&g.row[0]) &&
			uintptrOf(inside) <= uintptrOf(&g.row[len(g.row)-1]) {
			continue
		}
		if math.Float32bits(x) != guard {
			t.Fatalf("%s wrote outside its row, word %d", name, i)
		}
	}
}

func same32(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

func same64(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// number draws an ordinary value or, if special is set, also zeros, subnormals, infinities and NaN.
func number(r *rand.Rand, special bool) float32 {
	if special {
		switch r.IntN(12) {
		case 0:
			return 0
		case 1:
			return float32(math.Copysign(0, -1))
		case 2:
			return math.Float32frombits(r.Uint32() & 0x807fffff)
		case 3:
			return float32(math.Inf(1 - 2*r.IntN(2)))
		case 4:
			return float32(math.NaN())
		case 5:
			return math.Float32frombits(r.Uint32())
		}
	}
	return float32(r.NormFloat64() * 0.1)
}

func fill(r *rand.Rand, row []float32, special bool) {
	for i := range row {
		row[i] = number(r, special)
	}
}

// rowKernels lists the kernels over rows. run returns the result of a kernel that returns one.
var rowKernels = []struct {
	name string
	run  func(k *Kernels, rows [5][]float32, w float32) float32
}{
	{"Block2.Pair", func(k *Kernels, r [5][]float32, _ float32) float32 { return k.Block2.Pair(r[0], r[1]) }},
	{"Block3.Pair", func(k *Kernels, r [5][]float32, _ float32) float32 { return k.Block3.Pair(r[0], r[1]) }},
	{"Whole.Pair", func(k *Kernels, r [5][]float32, _ float32) float32 { return k.Whole.Pair(r[0], r[1]) }},
	{"Block2.Push", func(k *Kernels, r [5][]float32, w float32) float32 {
		k.Block2.Push(r[0], r[1], r[2],
			w)
		return 0
	}},
	{"Block3.Push", func(k *Kernels, r [5][]float32, w float32) float32 {
		k.Block3.Push(r[0], r[1], r[2],
			w)
		return 0
	}},
	{"Whole.Push", func(k *Kernels, r [5][]float32, w float32) float32 { k.Whole.Push(r[0], r[1], r[2], w); return 0 }},
	{"Rotate2", func(k *Kernels, r [5][]float32, _ float32) float32 { k.Rotate2(r[0], r[1], r[2]); return 0 }},
	{"Rotate2 in place", func(k *Kernels, r [5][]float32, _ float32) float32 { k.Rotate2(r[0], r[0], r[2]); return 0 }},
	{"Unrotate2", func(k *Kernels, r [5][]float32, _ float32) float32 { k.Unrotate2(r[0], r[1], r[2]); return 0 }},
	{"Unrotate2 in place", func(k *Kernels, r [5][]float32,
		_ float32) float32 {
		k.Unrotate2(r[0], r[0], r[2])
		return 0
	}},
	{"Phase2", func(k *Kernels, r [5][]float32, _ float32) float32 {
		k.Phase2(r[0][:len(r[0])/2], r[1], r[2], r[3], r[4])
		return 0
	}},
	{"Add", func(k *Kernels, r [5][]float32, _ float32) float32 { k.Add(r[0], r[1]); return 0 }},
	{"Adam", func(k *Kernels, r [5][]float32, w float32) float32 {
		k.Adam(r[0], r[1], r[2], r[3], &Adam{
			Beta1: 0.9, OneMinusBeta1: 0.1, Beta2: 0.999, OneMinusBeta2: 0.001, Rate: w, InverseRoot: 1.25,
			Epsilon: 1e-8,
		}, 2*len(r[0]))
		return 0
	}},
}

// compareWithPlain runs a kernel of a path and that of plain Go on equal rows, of size floats for a number of
// vectors, at every alignment and with ordinary and special values. repeat makes some blocks of a row equal to those
// of the one before it: lengths of exactly 0.
func compareWithPlain(
	t *testing.T, path *Kernels, seed uint64, rows, vectors int, size func(vectors int) int,
	repeat func(row, before []float32), run func(k *Kernels, rows [][]float32, w float32) float32,
) {
	r := rand.New(rand.NewPCG(seed, 11))
	for vectors := range vectors {
		n := size(vectors)
		for offset := range Lanes {
			for _, special := range []bool{false, true, true} {
				ours, plain := make([]guarded, rows), make([][]float32, rows)
				a := make([][]float32, rows)
				for i := range ours {
					ours[i] = newGuarded(n, offset)
					a[i] = ours[i].row
					fill(r, a[i], special)
					if i > 0 && r.IntN(3) == 0 {
						repeat(a[i], a[i-1])
					}
				}
				for i := range plain {
					plain[i] = slices.Clone(a[i])
				}
				w := number(r, special)
				if x, y := run(path, a, w), run(Go(), plain, w); !same32(x, y) {
					t.Fatalf("n %d offset %d: %g (%08x), plain Go %g (%08x)",
						n, offset, x, math.Float32bits(x), y, math.Float32bits(y))
				}
				for i := range a {
					ours[i].check(t, path.Name)
					for j := range a[i] {
						if !same32(a[i][j], plain[i][j]) {
							t.Fatalf("n %d offset %d row %d[%d]: %g, plain Go %g", n, offset, i, j, a[i][j],
								plain[i][j])
						}
					}
				}
			}
		}
	}
}

// TestVectorKernelsEqualPlainGo compares every vector kernel for rows of two or three planes with plain Go.
func TestVectorKernelsEqualPlainGo(t *testing.T) {
	t.Parallel()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for _, kernel := range rowKernels {
			t.Run(kernel.name, func(t *testing.T) {
				compareWithPlain(t, path, 7, 5, 9, func(vectors int) int { return 6 * Lanes * vectors },
					func(row, before []float32) { copy(row[:len(row)/2], before) },
					func(k *Kernels, rows [][]float32, w float32) float32 {
						return kernel.run(k, [5][]float32(rows),
							w)
					})
			})
		}
	})
}

func TestVectorTranscendentalsEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	r := rand.New(rand.NewPCG(5, 6))
	draw := func() float64 {
		switch r.IntN(6) {
		case 0:
			return math.Float64frombits(r.Uint64())
		case 1:
			return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 709.79, -745.2, -744,
				5e-324}[r.IntN(9)]
		case 2:
			return r.Float64()*1500 - 750
		}
		return r.NormFloat64() * 4
	}
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for n := range 70 {
			for range 200 {
				x := make([]float64, n)
				for i := range x {
					x[i] = draw()
				}
				const guardWord = 12345.5
				var got, want [3][]float64
				for i := range got {
					got[i], want[i] = make([]float64, n+8), make([]float64, n+8)
					for j := range got[i] {
						got[i][j], want[i][j] = guardWord, guardWord
					}
				}
				path.Exp(got[0][:n], x)
				plain.Exp(want[0][:n], x)
				path.Logistic(got[1][:n], got[2][:n], x)
				plain.Logistic(want[1][:n], want[2][:n], x)
				inPlace := append([]float64(nil), x...)
				path.Exp(inPlace, inPlace)
				for j := range inPlace {
					if !same64(inPlace[j], want[0][j]) {
						t.Fatalf("%s Exp(%g) in place = %g, plain Go %g", path.Name, x[j], inPlace[j], want[0][j])
					}
				}
				for i, name := range []string{"Exp", "softplus", "sigmoid"} {
					for j := range got[i] {
						if !same64(got[i][j], want[i][j]) {
							at := math.NaN()
							if j < n {
								at = x[j]
							}
							t.Fatalf("%s %s(%g)[%d of %d] = %g, plain Go %g", path.Name, name, at, j, n, got[i][j],
								want[i][j])
						}
					}
				}
			}
		}
	})
}

func TestVectorTurnsEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	r := rand.New(rand.NewPCG(8, 9))
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for i := range 6000 {
			n := Lanes * (i % 4)
			raw := newGuarded(n, i%Lanes)
			fill(r, raw.row, i%3 > 0)
			scale := []float64{1, 314.159, 1 << 24, -1e300, math.Inf(1)}[i%5]
			got, want := newGuarded(2*n, i%Lanes), make([]float32, 2*n)
			path.Turn2(got.row, raw.row, scale)
			plain.Turn2(want, raw.row, scale)
			raw.check(t, "Turn2")
			got.check(t, "Turn2")
			for j := range want {
				if !same32(got.row[j], want[j]) {
					t.Fatalf("%s: Turn2 of %g times %g [%d of %d] = %g, plain Go %g", path.Name, raw.row[j%n], scale, j,
						2*n, got.row[j], want[j])
				}
			}
		}
	})
}

func TestReduceTree(t *testing.T) {
	t.Parallel()
	var s [Lanes]float32
	for l := range s {
		s[l] = float32(math.Ldexp(1, 3*l-20))
	}
	tree := s
	want := func() float32 {
		pair := func(a, b int) float32 { return tree[a] + tree[b] }
		quad := func(l int) float32 { return pair(l, l+8) + pair(l+4, l+12) }
		return (quad(0) + quad(2)) + (quad(1) + quad(3))
	}()
	if got := Reduce(&s); got != want {
		t.Errorf("Reduce = %g, want %g", got, want)
	}
}

func uintptrOf(p *float32) uintptr { return uintptr(unsafe.Pointer(p)) }
