package simd

import (
	"math/rand/v2"
	"testing"
)

// TestStretchedRows holds the kernels over many points and rows against those over one of each, on every path.
func TestStretchedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, k := range Paths() {
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
			k.Stretched.GatherPush(got, point(2), all, numbers, weight, nil)
			for j, e := range numbers {
				if pair := k.Stretched.Pair(point(2), own(int(e))); near[j] != pair || pair != dst[2*pitch+int(e)] {
					t.Fatalf("%s: Gather %d: %g, want %g", k.Name, j, near[j], pair)
				}
				if weight[j] != 0 {
					k.PushPoint3(want, point(2), own(int(e)), weight[j])
				}
			}
			equalRows(t, k.Name+" GatherPush", got, want)

			got, want = table(1, 3), make([]float32, 3*n)
			copy(want, got)
			pulls := []uint64{Pull(4, .5), PullWhole(1), Pull(0, 0), Pull(3, -1), PullWhole(0), Pull(2, 1)}
			k.Stretched.OwnPush(got, own(5), queries, pulls[:5]) // the last one comes next
			k.PushStretched3(want, point(4), own(5), .5)
			k.Add(want, point(1)[:3*n])
			k.PushStretched3(want, point(3), own(5), -1)
			k.Add(want, point(0)[:3*n])
			equalRows(t, k.Name+" OwnPush", got, want)
		}
	}
}

func equalRows(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !same32(got[i], want[i]) {
			t.Fatalf("%s: float %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}
