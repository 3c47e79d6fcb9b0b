package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// rows3 has six rows of nine planes each. A kernel takes as many planes as it needs.
type rows3 struct {
	n   int
	row [6][]float32
}

func (r rows3) planes(row, k int) []float32 { return r.row[row][: k*r.n : k*r.n] }

var kernels3 = []struct {
	name string
	run  func(k *Kernels, r rows3, w float32) float32
}{
	{"BlockNorm3", func(k *Kernels, r rows3, _ float32) float32 {
		return k.Block3.Pair(r.planes(0, 3),
			r.planes(1, 3))
	}},
	{"PushBlock3", func(k *Kernels, r rows3, w float32) float32 {
		k.Block3.Push(r.planes(0, 3), r.planes(1, 3), r.planes(2, 3), w)
		return 0
	}},
	{"StretchNorm3", func(k *Kernels, r rows3, _ float32) float32 {
		return k.StretchNorm3(r.planes(0, 4),
			r.planes(1, 3))
	}},
	{"GatherPush of one row", func(k *Kernels, r rows3, w float32) float32 {
		pushPoint(k, r.planes(0, 4), r.planes(1, 4), r.planes(2, 3), w)
		return 0
	}},
	{"PushStretched3", func(k *Kernels, r rows3, w float32) float32 {
		k.PushStretched3(r.planes(0, 3), r.planes(1, 4), r.planes(2, 3), w)
		return 0
	}},
	{"Rotate3", func(k *Kernels, r rows3, _ float32) float32 {
		k.Rotate3(r.planes(0, 3), r.planes(1, 3), r.planes(2, 9))
		return 0
	}},
	{"Rotate3 in place", func(k *Kernels, r rows3, _ float32) float32 {
		k.Rotate3(r.planes(0, 3), r.planes(0, 3), r.planes(2, 9))
		return 0
	}},
	{"Unrotate3", func(k *Kernels, r rows3, _ float32) float32 {
		k.Unrotate3(r.planes(0, 3), r.planes(1, 3), r.planes(2, 9))
		return 0
	}},
	{"Unrotate3 in place", func(k *Kernels, r rows3, _ float32) float32 {
		k.Unrotate3(r.planes(0, 3), r.planes(0, 3), r.planes(2, 9))
		return 0
	}},
	{"Scale3", func(k *Kernels, r rows3, _ float32) float32 {
		k.Scale3(r.planes(0, 3), r.planes(1, 3), r.planes(2, 1))
		return 0
	}},
	{"Scale3 in place", func(k *Kernels, r rows3, _ float32) float32 {
		k.Scale3(r.planes(0, 3), r.planes(0, 3), r.planes(2, 1))
		return 0
	}},
	{"Torque3", func(k *Kernels, r rows3, _ float32) float32 {
		k.Torque3(r.planes(0, 3), r.planes(1, 3), r.planes(2, 3), r.planes(3, 3), r.planes(4, 3), r.planes(5, 9))
		return 0
	}},
	{"Torque3 of points", func(k *Kernels, r rows3, _ float32) float32 {
		k.Torque3(r.planes(0, 3), r.planes(1, 3), r.planes(2, 3), r.planes(3, 4), r.planes(4, 4), r.planes(5, 9))
		return 0
	}},
	{"Stretch3", func(k *Kernels, r rows3, _ float32) float32 {
		k.Stretch3(r.planes(0, 1), r.planes(1, 3), r.planes(2, 3), r.planes(3, 1), r.planes(4, 9))
		return 0
	}},
}

// pushPoint is GatherPush of one row.
func pushPoint(k *Kernels, g, point, c []float32, w float32) {
	k.Stretched.GatherPush(g, point, c, []int32{0}, []int32{0}, []float32{w}, nil)
}

// TestVectorKernels3EqualPlainGo compares the other vector kernels for blocks of three with plain Go.
func TestVectorKernels3EqualPlainGo(t *testing.T) {
	t.Parallel()
	const planes = 9
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for _, kernel := range kernels3 {
			t.Run(kernel.name, func(t *testing.T) {
				compareWithPlain(t, path, 8, 6, 7, func(vectors int) int { return planes * Lanes * vectors },
					func(row, before []float32) {
						copy(row, before)
						for j := len(row) / planes * 3; j < len(row)/planes*4; j += 2 { // factors of 1
							row[j], before[j] = 1, 1
						}
					},
					func(k *Kernels, rows [][]float32, w float32) float32 {
						return kernel.run(k, rows3{n: len(rows[0]) / planes, row: [6][]float32(rows)}, w)
					})
			})
		}
	})
}

// vector3 is a block of three planes.
type vector3 [3]float64

func cross3(a, b vector3) vector3 {
	return vector3{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func inner3(a, b vector3) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// TestKernels3AreWhatTheySay compares the plain kernels with their comments in float64, block by block.
func TestKernels3AreWhatTheySay(t *testing.T) {
	t.Parallel()
	const n, w = 2 * Lanes, 0.375
	k := Go()
	r := rand.New(rand.NewPCG(3, 3))
	in := rows3{n: n}
	for i := range in.row {
		in.row[i] = make([]float32, 9*n)
		fill(r, in.row[i], false)
	}
	at := func(row, j int) vector3 {
		x := in.row[row]
		return vector3{float64(x[j]), float64(x[n+j]), float64(x[2*n+j])}
	}
	times := func(row, j int, v vector3, transposed bool) (out vector3) {
		for i := range 3 {
			for c := range 3 {
				m := float64(in.row[row][(3*i+c)*n+j])
				if transposed {
					out[c] += m * v[i]
				} else {
					out[i] += m * v[c]
				}
			}
		}
		return out
	}
	apart := func(row, j int) vector3 { // s*c - p of point row and candidate row 2
		p, c, s := at(row, j), at(2, j), float64(in.row[row][3*n+j])
		return vector3{s*c[0] - p[0], s*c[1] - p[1], s*c[2] - p[2]}
	}
	near := func(name string, got float32, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 1e-6+1e-5*math.Abs(want) {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	vectors := func(name string, dst []float32, start int, want func(j int) vector3) {
		t.Helper()
		for j := range n {
			v := want(j)
			for i := range 3 {
				x := float64(0)
				if start >= 0 {
					x = at(start, j)[i]
				}
				near(fmt.Sprintf("%s block %d coordinate %d", name, j, i), dst[i*n+j], x+v[i])
			}
		}
	}
	clone := func(row, planes int) []float32 { return append([]float32(nil), in.planes(row, planes)...) }

	plainNorm, stretched := 0.0, 0.0
	for j := range n {
		a, b := at(1, j), at(2, j)
		d := vector3{b[0] - a[0], b[1] - a[1], b[2] - a[2]}
		plainNorm += math.Sqrt(inner3(d, d))
		d = apart(1, j)
		stretched += math.Sqrt(inner3(d, d))
	}
	near("BlockNorm3", k.Block3.Pair(in.planes(1, 3), in.planes(2, 3)), plainNorm)
	near("StretchNorm3", k.StretchNorm3(in.planes(1, 4), in.planes(2, 3)), stretched)

	g := clone(0, 3)
	k.Block3.Push(g, in.planes(1, 3), in.planes(2, 3), w)
	vectors("PushBlock3", g, 0, func(j int) vector3 {
		a, b := at(1, j), at(2, j)
		d := vector3{b[0] - a[0], b[1] - a[1], b[2] - a[2]}
		l := w / math.Sqrt(inner3(d, d))
		return vector3{d[0] * l, d[1] * l, d[2] * l}
	})
	g = clone(0, 4)
	pushPoint(k, g, in.planes(1, 4), in.planes(2, 3), w)
	vectors("GatherPush", g, 0, func(j int) vector3 {
		d := apart(1, j)
		l := -w / math.Sqrt(inner3(d, d))
		return vector3{d[0] * l, d[1] * l, d[2] * l}
	})
	for j := range n {
		d := apart(1, j)
		near("GatherPush factor", g[3*n+j], float64(in.row[0][3*n+j])+w*inner3(d, at(2, j))/math.Sqrt(inner3(d, d)))
	}
	g = clone(0, 3)
	k.PushStretched3(g, in.planes(1, 4), in.planes(2, 3), w)
	vectors("PushStretched3", g, 0, func(j int) vector3 {
		d := apart(1, j)
		l := w * float64(in.row[1][3*n+j]) / math.Sqrt(inner3(d, d))
		return vector3{d[0] * l, d[1] * l, d[2] * l}
	})

	compareTurns3(t, k, in, at, times, near, vectors)
}

// compareTurns3 compares the kernels that turn rows, of in.n blocks, with their comments.
func compareTurns3(t *testing.T, k *Kernels, in rows3, at func(row, j int) vector3, times func(row, j int, v vector3,
	transposed bool) vector3, near func(string, float32, float64), vectors func(string, []float32, int,
	func(int) vector3)) {
	t.Helper()
	n := in.n
	dst := make([]float32, 3*n)
	k.Rotate3(dst, in.planes(1, 3), in.planes(5, 9))
	vectors("Rotate3", dst, -1, func(j int) vector3 { return times(5, j, at(1, j), false) })
	k.Unrotate3(dst, in.planes(1, 3), in.planes(5, 9))
	vectors("Unrotate3", dst, -1, func(j int) vector3 { return times(5, j, at(1, j), true) })
	k.Scale3(dst, in.planes(1, 3), in.planes(2, 1))
	vectors("Scale3", dst, -1, func(j int) vector3 {
		v, f := at(1, j), float64(in.row[2][j])
		return vector3{f * v[0], f * v[1], f * v[2]}
	})
	k.Torque3(dst, in.planes(1, 3), in.planes(2, 3), in.planes(3, 4), in.planes(4, 4), in.planes(5, 9))
	vectors("Torque3", dst, -1, func(j int) vector3 {
		a, b := cross3(at(1, j), at(2, j)), times(5, j, cross3(at(3, j), at(4, j)), false)
		return vector3{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
	})
	one := make([]float32, n)
	k.Stretch3(one, in.planes(1, 3), in.planes(2, 3), in.planes(3, 1), in.planes(5, 9))
	for j := range n {
		near("Stretch3", one[j], inner3(times(5, j, at(1, j), false), at(2, j))+float64(in.row[3][j]))
	}
}

func BenchmarkKernel3(b *testing.B) {
	for _, path := range Paths() {
		for _, n := range []int{208, 1024} {
			r := rand.New(rand.NewPCG(1, 1))
			rows := rows3{n: n}
			for i := range rows.row {
				rows.row[i] = make([]float32, 9*n)
				fill(r, rows.row[i], false)
			}
			for _, kernel := range kernels3 {
				b.Run(fmt.Sprintf("%s/%s/n=%d", kernel.name, path.Name, n), func(b *testing.B) {
					for b.Loop() {
						kernel.run(path, rows, 1e-6)
					}
				})
			}
		}
	}
}
