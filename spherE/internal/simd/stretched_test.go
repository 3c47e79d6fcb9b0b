package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// TestStretchedRows compares the kernels over many points and rows with those over one of each, on every path.
func TestStretchedRows(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	simdtest.Each(t, true, Select, func(t *testing.T, k *Kernels) {
		for _, vectors := range []int{1, 3} {
			n := Lanes * vectors
			const points, rows = 5, 7
			table := func(count, planes int) []float32 {
				x := make([]float32, count*planes*n)
				fill(r, x, false)
				return x
			}
			queries, all := table(points, 4), table(rows, 3)
			point := func(i int) []float32 { return queries[i*4*n:][:4*n] }
			own := func(e int) []float32 { return all[e*3*n:][:3*n] }

			const pitch = rows + 2
			dst := make([]float32, points*pitch)
			k.Stretched.Rows(dst, pitch, queries, all, 4*n)
			for i := range points {
				for e := range pitch {
					want := float32(0) // between two queries
					if e < rows {
						want = k.StretchNorm3(point(i), own(e))
					}
					if got := dst[i*pitch+e]; got != want || e < rows && got == 0 {
						t.Fatalf("%s: Rows %d, %d: %g, want %g", k.Name, i, e, got, want)
					}
				}
			}

			numbers := []int32{3, 0, 6, 3}
			near := make([]float32, len(numbers))
			k.Stretched.Gather(near, nil, point(2), all, numbers)
			weight := []float32{.5, 0, -2, 1}
			got, want := table(1, 4), make([]float32, 4*n)
			copy(want, got)
			k.Stretched.GatherPush(got, point(2), all, numbers, numbers, weight, nil)
			for j, e := range numbers {
				if pair := k.Stretched.Pair(point(2), own(int(e))); near[j] != pair || pair != dst[2*pitch+int(e)] {
					t.Fatalf("%s: Gather %d: %g, want %g", k.Name, j, near[j], pair)
				}
				if weight[j] != 0 {
					pushPoint(k, want, point(2), own(int(e)), weight[j])
				}
			}
			equalRows(t, k.Name+" GatherPush", got, want)

			got, want = table(1, 3), make([]float32, 3*n)
			copy(want, got)
			pulls := []uint64{Pull(4, .5), PullWhole(1), Pull(0, 0), Pull(PullPlain(2), .25), Pull(3, -1), PullWhole(0),
				Pull(2, 1)}
			k.Stretched.OwnPush(got, own(5), queries, pulls[:6]) // the last one comes next
			k.PushStretched3(want, point(4), own(5), .5)
			k.Add(want, point(1)[:3*n])
			k.Block3.Push(want, point(2)[:3*n], own(5), .25)
			k.PushStretched3(want, point(3), own(5), -1)
			k.Add(want, point(0)[:3*n])
			equalRows(t, k.Name+" OwnPush", got, want)
		}
	})
}

// TestStretchedEqualsPlainGo compares the vector kernels over many points or rows with plain Go.
func TestStretchedEqualsPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for vectors := range 8 {
			for seed := range uint64(96) {
				got := stretchedCase(t, path, vectors, seed)
				want := stretchedCase(t, plain, vectors, seed)
				for i := range want {
					for j := range want[i] {
						if !same32(got[i][j], want[i][j]) {
							t.Fatalf("%s: vectors %d seed %d output %d[%d]: %g, plain Go %g", path.Name, vectors, seed,
								i, j, got[i][j], want[i][j])
						}
					}
				}
			}
		}
	})
}

// stretchedCase runs k on the input of a seed and returns everything that it wrote, including guard words.
func stretchedCase(t *testing.T, k *Kernels, vectors int, seed uint64) (written [][]float32) {
	r := rand.New(rand.NewPCG(seed, uint64(vectors)))
	n, special, offset := Lanes*vectors, seed%3 > 0, int(seed)%Lanes
	var all []guarded
	floats := func(size int, special bool) []float32 {
		g := newGuarded(size, offset)
		fill(r, g.row, special)
		all = append(all, g)
		return g.row
	}
	const count = 6
	points, rows := floats(count*4*n, special), floats(count*3*n, special)
	for i := range count {
		point, own := points[i*4*n:][:4*n], rows[i*3*n:][:3*n]
		if r.IntN(2) == 0 { // equal blocks: lengths of exactly 0
			copy(point, own)
			for j := 3 * n; j < 4*n; j += 2 {
				point[j] = 1
			}
		}
	}
	var numbers []int32
	var weight []float32
	var pull []uint64
	for range 12 {
		e, w := int32(r.IntN(count)), number(r, special)
		if r.IntN(4) == 0 {
			w = float32(math.Copysign(0, float64(r.IntN(2))-0.5))
		}
		numbers, weight = append(numbers, e), append(weight, w)
		switch r.IntN(3) {
		case 0:
			pull = append(pull, PullWhole(e))
		case 1:
			pull = append(pull, Pull(PullPlain(e), w))
		default:
			pull = append(pull, Pull(e, w))
		}
	}
	use := r.IntN(len(numbers) + 1)
	numbers, weight, pull = numbers[:use], weight[:use], pull[:use]
	dst, g, h := floats(use, false), floats(4*n, false), floats(3*n, false)
	k.Stretched.Gather(dst, nil, points[:4*n], rows, numbers)
	k.Stretched.GatherPush(g, points[4*n:8*n], rows, numbers, numbers, weight, nil)
	k.Stretched.OwnPush(h, rows[3*n:6*n], points, pull)
	for _, x := range all {
		x.check(t, k.Name)
		written = append(written, x.all)
	}
	return written
}

func equalRows(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !same32(got[i], want[i]) {
			t.Fatalf("%s: float %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}
