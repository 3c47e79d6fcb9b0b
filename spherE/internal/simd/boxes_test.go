package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// boxesCase runs Boxes of k on the input of a seed and returns everything that it wrote, including guard words.
func boxesCase(t *testing.T, k *Kernels, vectors int, seed uint64) (written [][]float32) {
	r := rand.New(rand.NewPCG(seed, uint64(vectors)))
	n, special, offset := Lanes*vectors, seed%3 > 0, int(seed)%Lanes
	var all []guarded
	floats := func(size int, special bool) []float32 {
		g := newGuarded(size, offset)
		fill(r, g.row, special)
		all = append(all, g)
		return g.row
	}
	const count, pitch = 6, 9
	points, rows := floats(count*2*n, special), floats(count*n, special)
	for i := range count {
		for j := range n { // widths
			points[i*2*n+n+j] = abs(points[i*2*n+n+j])
		}
		if r.IntN(2) == 0 { // distances of 0
			copy(points[i*2*n:][:n], rows[i*n:][:n])
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
		if r.IntN(3) == 0 {
			pull = append(pull, PullWhole(e))
		} else {
			pull = append(pull, Pull(e, w))
		}
	}
	use := r.IntN(len(numbers) + 1)
	numbers, weight, pull = numbers[:use], weight[:use], pull[:use]
	boxes := k.Boxes(.375)
	dst, many, g, h := floats(use, false), floats(count*pitch, false), floats(2*n, false), floats(n, false)
	if n > 0 {
		boxes.Rows(many, pitch, points, rows, 2*n)
	}
	boxes.Gather(dst, nil, points[:2*n], rows, numbers)
	boxes.GatherPush(g, points[2*n:4*n], rows, numbers, numbers, weight, nil)
	boxes.OwnPush(h, rows[3*n:4*n], points, pull)
	for _, x := range all {
		x.check(t, k.Name)
		written = append(written, x.all)
	}
	return written
}

// TestBoxesEqualPlainGo compares the vector kernels with plain Go, also for zeros, infinities and NaN.
func TestBoxesEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for vectors := range 6 {
			for seed := range uint64(96) {
				got, want := boxesCase(t, path, vectors, seed), boxesCase(t, plain, vectors, seed)
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

// TestBoxesAreWhatTheySay compares plain Go with the formula in float64, its gradients with differences, and the
// kernels over many rows with those over two.
func TestBoxesAreWhatTheySay(t *testing.T) {
	t.Parallel()
	const n, unit, dx = 2 * Lanes, .375, 1e-6
	boxes := Go().Boxes(unit)
	r := rand.New(rand.NewPCG(8, 2))
	value := func(point, c []float64) float64 {
		sum := 0.0
		for j, x := range c {
			x, w := math.Abs(x-point[j]), 1+point[n+j]
			if x <= unit*(w-1)/2 {
				sum += x / w
			} else {
				sum += x*w - unit*(w-1)/2*(w-1/w)
			}
		}
		return sum
	}
	for range 50 {
		point, c := make([]float64, 2*n), make([]float64, n)
		for j := range c {
			point[j], point[n+j], c[j] = r.NormFloat64(), math.Abs(r.NormFloat64())*4, r.NormFloat64()
		}
		narrow := func(x []float64) []float32 {
			y := make([]float32, len(x))
			for i := range x {
				y[i] = float32(x[i])
				x[i] = float64(y[i])
			}
			return y
		}
		p, own := narrow(point), narrow(c)
		want := value(point, c)
		pair, rows, near := boxes.Pair(p, own), make([]float32, 1), make([]float32, 1)
		boxes.Rows(rows, 1, p, own, 2*n)
		boxes.Gather(near, nil, p, own, []int32{0})
		if math.Abs(float64(pair)-want) > 1e-5*want || rows[0] != pair || near[0] != pair {
			t.Fatalf("Pair %g, Rows %g, Gather %g, want %g", pair, rows[0], near[0], want)
		}
		const w = .5
		byRow, same, byPoint := make([]float32, n), make([]float32, n), make([]float32, 2*n)
		boxes.Push(byRow, p, own, w)
		boxes.OwnPush(same, own, p, []uint64{Pull(0, w)})
		boxes.GatherPush(byPoint, p, own, []int32{0}, nil, []float32{w}, nil)
		check := func(what string, got float32, x []float64, j int) {
			x[j] += dx
			above := value(point, c)
			x[j] -= 2 * dx
			below := value(point, c)
			x[j] += dx
			if want := w * (above - below) / (2 * dx); math.Abs(float64(got)-want) > 1e-3*(1+math.Abs(want)) {
				t.Fatalf("gradient by %s %d: %g, difference %g", what, j, got, want)
			}
		}
		for j := range c {
			check("row", byRow[j], c, j)
			if same[j] != byRow[j] {
				t.Fatalf("OwnPush %d: %g, Push %g", j, same[j], byRow[j])
			}
		}
		for j := range point {
			check("point", byPoint[j], point, j)
		}
	}
}
