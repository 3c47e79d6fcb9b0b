package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// manyNorms lists the norms for rows of any number of planes.
func manyNorms() []manyNorm {
	all := []manyNorm{{"Taxicab", 5, false, func(k *Kernels) Norm { return k.Taxicab }}}
	for _, planes := range []int{1, 2, 5, 10, 20} {
		all = append(all,
			manyNorm{fmt.Sprint("Blocks", planes), planes, true, func(k *Kernels) Norm { return k.Blocks(planes) }},
			manyNorm{fmt.Sprint("Hinged", planes), planes + 1, false, func(k *Kernels) Norm { return k.Hinged(planes, .9) }})
	}
	return all
}

type manyNorm struct {
	name   string
	planes int
	keeps  bool
	of     func(k *Kernels) Norm
}

// TestManyPlanesEqualPlainGo compares the vector kernels with plain Go, also for zeros, infinities and NaN.
func TestManyPlanesEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for _, n := range manyNorms() {
			t.Run(n.name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(13, uint64(n.planes)))
				for vectors := range 4 {
					for seed := range uint64(24) {
						c := newTableCase(r, n.planes, vectors, int(seed)%Lanes, seed%3 > 0)
						of, spec := n.of(path), n.of(plain)
						got := c.run(t, n.name, &of, n.keeps, seed)
						want := c.run(t, n.name, &spec, n.keeps, seed)
						for i := range want {
							for j := range want[i] {
								if !same32(got[i][j], want[i][j]) {
									t.Fatalf("vectors %d seed %d output %d[%d]: %g, plain Go %g", vectors, seed, i, j,
										got[i][j], want[i][j])
								}
							}
						}
					}
				}
			})
		}
	})
}

// TestReflectionsEqualPlainGo compares both kernels of reflections with plain Go.
func TestReflectionsEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		r := rand.New(rand.NewPCG(3, 1))
		for _, planes := range []int{1, 5, 10, 20} {
			for vectors := range 4 {
				for seed := range 24 {
					n := vectors * Lanes
					var rows, same [4]guarded
					for i := range rows {
						rows[i], same[i] = newGuarded(n*planes, seed%Lanes), newGuarded(n*planes, seed%Lanes)
						fill(r, rows[i].row, seed%3 > 0)
						copy(same[i].row, rows[i].row)
					}
					path.Reflect(rows[0].row, rows[3].row, n)
					plain.Reflect(same[0].row, same[3].row, n)
					path.ReflectBoth(rows[2].row, rows[0].row, rows[1].row, rows[3].row, n)
					plain.ReflectBoth(same[2].row, same[0].row, same[1].row, same[3].row, n)
					for i := range rows {
						rows[i].check(t, "reflection")
						for j := range rows[i].all {
							if !same32(rows[i].all[j], same[i].all[j]) {
								t.Fatalf("%d planes, seed %d, row %d[%d]: %g, plain Go %g", planes, seed, i, j,
									rows[i].all[j], same[i].all[j])
							}
						}
					}
				}
			}
		}
	})
}

// TestManyPlanesAreWhatTheySay compares plain Go, the specification of the others, with the formulas in float64.
func TestManyPlanesAreWhatTheySay(t *testing.T) {
	t.Parallel()
	k := Go()
	const n, planes, share = Lanes, 5, .9
	r := rand.New(rand.NewPCG(5, 2))
	row := func(scale float64) []float32 {
		x := make([]float32, n*(planes+1))
		for i := range x {
			x[i] = float32(r.NormFloat64() * scale)
		}
		return x
	}
	for range 50 {
		q, c := row(.3), row(.3)
		sum, blocks, gaps := 0.0, 0.0, 0.0
		wantC, wantQ := make([]float64, len(q)), make([]float64, len(q))
		for j := range n {
			square := 0.0
			for p := range planes {
				d := float64(c[p*n+j]) - float64(q[p*n+j])
				sum += math.Abs(d)
				square += d * d
			}
			length := math.Sqrt(square)
			blocks += length
			gap := length - float64(q[planes*n+j]) - share*float64(c[planes*n+j])
			if gap <= 0 {
				continue
			}
			gaps += gap
			for p := range planes {
				d := float64(c[p*n+j]) - float64(q[p*n+j])
				wantC[p*n+j], wantQ[p*n+j] = 2*d/length, -2*d/length
			}
			wantC[planes*n+j], wantQ[planes*n+j] = -2*share, -2
		}
		close := func(name string, got float32, want float64) {
			if math.Abs(float64(got)-want) > 1e-4 {
				t.Fatalf("%s: %g, want %g", name, got, want)
			}
		}
		close("Taxicab", k.Taxicab.Pair(q[:n*planes], c[:n*planes]), sum)
		close("Blocks", k.Blocks(planes).Pair(q[:n*planes], c[:n*planes]), blocks)
		hinged := k.Hinged(planes, share)
		close("Hinged", hinged.Pair(q, c), gaps)
		byC, byQ := make([]float32, len(q)), make([]float32, len(q))
		hinged.Push(byC, q, c, 2)
		hinged.GatherPush(byQ, q, c, []int32{0}, []int32{0}, []float32{2}, nil)
		for i := range byC {
			close("gradient by c", byC[i], wantC[i])
			close("gradient by q", byQ[i], wantQ[i])
		}
	}
}
