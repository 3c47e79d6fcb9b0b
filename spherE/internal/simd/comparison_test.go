package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// comparison is one kernel that compares rows of so many planes, of which the last may be radii.
type comparison struct {
	name   string
	planes int
	run    func(k *Kernels, dst []float32, pitch int, queries, rows []float32, stride int)
}

func comparisons() (all []comparison) {
	plain := func(name string, of func(k *Kernels) Compare) {
		for _, planes := range []int{1, 2} {
			all = append(all, comparison{name, planes,
				func(k *Kernels, dst []float32, pitch int, queries, rows []float32, stride int) {
					of(k)(dst, pitch, queries, rows, stride)
				}})
		}
	}
	plain("Taxicab", func(k *Kernels) Compare { return k.Taxicab.Rows })
	plain("DotRows", func(k *Kernels) Compare { return k.DotRows })
	plain("Products", func(k *Kernels) Compare { return k.Products })
	for _, planes := range []int{1, 2, 5, 10, 20} {
		all = append(all,
			comparison{fmt.Sprintf("Blocks of %d", planes), planes,
				func(k *Kernels, dst []float32, pitch int, queries, rows []float32, stride int) {
					k.Blocks(planes).Rows(dst, pitch, queries, rows, stride)
				}},
			comparison{fmt.Sprintf("Hinged of %d", planes), planes + 1,
				func(k *Kernels, dst []float32, pitch int, queries, rows []float32, stride int) {
					k.Hinged(planes, 0.9).Rows(dst, pitch, queries, rows, stride)
				}})
	}
	return all
}

// TestComparisonsEqualPlainGo compares the vector kernels with plain Go, at every alignment, for numbers of queries and
// rows around the tiles of the kernels, and with floats of dst that must not change.
func TestComparisonsEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for _, c := range comparisons() {
			t.Run(fmt.Sprintf("%s, %d planes", c.name, c.planes), func(t *testing.T) {
				r := rand.New(rand.NewPCG(31, uint64(c.planes)))
				for vectors := 1; vectors < 8; vectors++ {
					for offset := range Lanes {
						stride, special := c.planes*vectors*Lanes, offset%3 > 0
						queries, rows := r.IntN(7), r.IntN(10)
						table := func(n int) guarded {
							g := newGuarded(n*stride, offset)
							fill(r, g.row, special)
							return g
						}
						q, all := table(queries), table(rows)
						if queries > 0 && rows > 0 { // lengths of exactly 0
							copy(q.row[:stride/2], all.row[:stride/2])
						}
						pitch := rows + offset%3
						got := newGuarded(queries*pitch, offset)
						fill(r, got.row, false)
						want := append([]float32(nil), got.row...)
						c.run(path, got.row, pitch, q.row, all.row, stride)
						c.run(plain, want, pitch, q.row, all.row, stride)
						for _, g := range []guarded{q, all, got} {
							g.check(t, path.Name)
						}
						for i := range want {
							if !same32(got.row[i], want[i]) {
								t.Fatalf("vectors %d offset %d, %d queries, %d rows [%d]: %g (%x), plain Go %g (%x)",
									vectors, offset, queries, rows, i, got.row[i], math.Float32bits(got.row[i]),
									want[i], math.Float32bits(want[i]))
							}
						}
					}
				}
			})
		}
	})
}

// TestProductsAreDotRows: blocks change no bit.
func TestProductsAreDotRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(37, 41))
	simdtest.Each(t, true, Select, func(t *testing.T, k *Kernels) {
		for range 50 {
			queries, rows, stride := r.IntN(12), r.IntN(12), (1+r.IntN(5))*Lanes
			q, c := make([]float32, queries*stride), make([]float32, rows*stride)
			fill(r, q, false)
			fill(r, c, false)
			a, b := make([]float32, queries*rows), make([]float32, queries*rows)
			k.Products(a, rows, q, c, stride)
			k.DotRows(b, rows, q, c, stride)
			equalRows(t, "Products", a, b)
		}
	})
}

// TestPlainComparisons compares the specification with sums in float64 as the formulas have them.
func TestPlainComparisons(t *testing.T) {
	t.Parallel()
	const plane, planes, tolerance = 3 * Lanes, 5, 0.1
	r := rand.New(rand.NewPCG(43, 47))
	q, c := make([]float32, (planes+1)*plane), make([]float32, (planes+1)*plane)
	fill(r, q, false)
	fill(r, c, false)
	for j := range plane { // some tolerances above, some below
		c[planes*plane+j] *= 3
	}
	var absolute, dot, length, hinged float64
	clipped := 0
	for j := range plane {
		square := 0.
		for p := range planes {
			x, y := float64(q[p*plane+j]), float64(c[p*plane+j])
			absolute += math.Abs(x - y)
			dot += x * y
			square += (x - y) * (x - y)
		}
		rho := float64(c[planes*plane+j])
		// As the authors' code has it.
		depth := math.Sqrt(square) - float64(q[planes*plane+j]) - rho
		if depth < -tolerance*rho {
			depth = -tolerance * rho
			clipped++
		}
		length += math.Sqrt(square)
		hinged += depth + tolerance*rho
	}
	if clipped == 0 || clipped == plane {
		t.Fatalf("%d of %d blocks are clipped", clipped, plane)
	}
	k := Go()
	const whole, rows = (planes + 1) * plane, planes * plane
	for _, x := range []struct {
		name string
		run  func(dst []float32)
		want float64
	}{
		{"Taxicab", func(d []float32) { k.Taxicab.Rows(d, 1, q[:rows], c[:rows], rows) }, absolute},
		{"DotRows", func(d []float32) { k.DotRows(d, 1, q[:rows], c[:rows], rows) }, dot},
		{"Products", func(d []float32) { k.Products(d, 1, q[:rows], c[:rows], rows) }, dot},
		{"Blocks", func(d []float32) { k.Blocks(planes).Rows(d, 1, q[:rows], c[:rows], rows) }, length},
		{"Hinged", func(d []float32) { k.Hinged(planes, 1-tolerance).Rows(d, 1, q, c, whole) }, hinged},
	} {
		var got [1]float32
		x.run(got[:])
		if math.Abs(float64(got[0])-x.want) > 1e-5*(1+math.Abs(x.want)) {
			t.Errorf("%s: %g, want %g", x.name, got[0], x.want)
		}
	}
	// Two planes of blocks are those of Norm.
	var got [1]float32
	k.Blocks(2).Rows(got[:], 1, q[:2*plane], c[:2*plane], 2*plane)
	if want := blockNorm2(q[:2*plane], c[:2*plane]); got[0] != want {
		t.Errorf("Blocks of 2 planes %g, Block2 %g", got[0], want)
	}
	k.Blocks(3).Rows(got[:], 1, q[:3*plane], c[:3*plane], 3*plane)
	if want := blockNorm3(q[:3*plane], c[:3*plane]); got[0] != want {
		t.Errorf("Blocks of 3 planes %g, Block3 %g", got[0], want)
	}
}
