package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// TestNetworkEqualsPlainGo compares the vector kernels with plain Go at every alignment, with floats that must not
// change, for numbers of rows around the tiles of the kernels.
func TestNetworkEqualsPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		r := rand.New(rand.NewPCG(83, 89))
		for round := range 200 {
			offset, special := r.IntN(Lanes), round%3 > 0
			table := func(n int) guarded {
				g := newGuarded(n, offset)
				fill(r, g.row, special)
				return g
			}
			both := func(what string, dst guarded, run func(k *Kernels, dst []float32)) {
				want := append([]float32(nil), dst.row...)
				run(path, dst.row)
				run(plain, want)
				dst.check(t, path.Name)
				equalRows(t, what, dst.row, want)
			}

			count, sources, kinds := r.IntN(9), 1+r.IntN(5), 1+r.IntN(3)
			start := []int32{0}
			var source, kind []int32
			for range count {
				for range r.IntN(4) {
					source, kind = append(source, int32(r.IntN(sources))), append(kind, int32(r.IntN(kinds)))
				}
				start = append(start, int32(len(source)))
			}
			x, w := table(sources*Lanes), table(kinds*Lanes)
			both(fmt.Sprintf("Messages of %d to %d", len(source), count), table(count*Lanes),
				func(k *Kernels, dst []float32) { k.Messages(dst, start, source, kind, x.row, w.row) })

			planes, lines := 1+r.IntN(3), 1+r.IntN(9)
			pitch, width := (count+r.IntN(3))*Lanes, lines*Lanes
			src, weight := table(planes*pitch), table(planes*Lanes*width)
			both(fmt.Sprintf("Linear of %d rows, %d planes, %d lines", count, planes, lines), table(count*width),
				func(k *Kernels, dst []float32) { k.Linear(dst, width, src.row, pitch, planes, weight.row) })

			dstPitch := (count + r.IntN(3)) * Lanes
			src, rows, gain, shift := table(lines*pitch), table(count*width), table(width), table(width)
			both("Normalize", table(lines*dstPitch), func(k *Kernels, dst []float32) {
				k.Normalize(dst, dstPitch, src.row, pitch, rows.row, gain.row, shift.row, 1e-5)
			})
			bias := number(r, special)
			both("Rectified", table(count), func(k *Kernels, dst []float32) {
				k.Rectified(dst, rows.row, gain.row, bias)
			})
		}
	})
}

// TestPlainNetwork compares the specification with the formulas in float64.
func TestPlainNetwork(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(97, 101))
	k := Go()
	near := func(what string, got float32, want float64) {
		t.Helper()
		if math.Abs(float64(got)-want) > 2e-5*(1+math.Abs(want)) {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	random := func(n int) []float32 {
		x := make([]float32, n)
		fill(r, x, false)
		return x
	}
	x, w, dst := random(3*Lanes), random(2*Lanes), random(2*Lanes)
	k.Messages(dst, []int32{0, 2, 3}, []int32{2, 0, 1}, []int32{0, 1, 1}, x, w)
	for l := range Lanes {
		near("message to row 0", dst[l], float64(x[2*Lanes+l])*float64(w[l])+float64(x[l])*float64(w[Lanes+l]))
		near("message to row 1", dst[Lanes+l], float64(x[Lanes+l])*float64(w[Lanes+l]))
	}

	const count, planes, pitch, lines = 3, 2, 5 * Lanes, 3
	const width = lines * Lanes
	src, weight, to := random(planes*pitch), random(planes*Lanes*width), random(count*width)
	before := append([]float32(nil), to...)
	k.Linear(to, width, src, pitch, planes, weight)
	for d := range count {
		for j := range width {
			want := float64(before[d*width+j])
			for p := range planes {
				for l := range Lanes {
					want += float64(src[p*pitch+d*Lanes+l]) * float64(weight[(p*Lanes+l)*width+j])
				}
			}
			near("a product", to[d*width+j], want)
		}
	}

	gain, shift, residual := random(width), random(width), random(lines*pitch)
	out := make([]float32, lines*4*Lanes)
	k.Normalize(out, 4*Lanes, residual, pitch, to, gain, shift, .5)
	negative := 0
	for d := range count {
		mean, variance := 0., 0.
		for _, x := range to[d*width:][:width] {
			mean += float64(x) / width
		}
		for _, x := range to[d*width:][:width] {
			variance += (float64(x) - mean) * (float64(x) - mean) / width
		}
		for j := range width {
			y := (float64(to[d*width+j])-mean)/math.Sqrt(variance+.5)*float64(gain[j]) + float64(shift[j])
			if y < 0 {
				negative++
			}
			at := d*Lanes + j%Lanes
			near("a normalized float", out[j/Lanes*4*Lanes+at], max(0, y)+float64(residual[j/Lanes*pitch+at]))
		}
	}
	if negative == 0 || negative == count*width {
		t.Errorf("%d of %d floats are below 0", negative, count*width)
	}

	score := make([]float32, count)
	k.Rectified(score, to, gain, .25)
	for d := range count {
		want := .25
		for j := range width {
			want += max(0, float64(to[d*width+j])) * float64(gain[j])
		}
		near("a score", score[d], want)
	}
}

// BenchmarkNetwork measures one layer on a graph of the size of FB15k-237, and what it takes per edge and row.
func BenchmarkNetwork(b *testing.B) {
	const rows, edges, kinds, width = 14541, 544230, 474, 64
	r := rand.New(rand.NewPCG(103, 107))
	random := func(n int) []float32 {
		x := make([]float32, n)
		fill(r, x, false)
		return x
	}
	start := make([]int32, rows+1)
	source, kind := make([]int32, edges), make([]int32, edges)
	for i := range edges {
		start[1+i*rows/edges] = int32(i + 1)
		source[i], kind[i] = int32(r.IntN(rows)), int32(r.IntN(kinds))
	}
	x, w, sum := random(rows*width), random(kinds*width), make([]float32, rows*width)
	weight, gain, to := random(width*width), random(width), make([]float32, 64*width)
	for _, k := range Paths() {
		b.Run("Messages/"+k.Name, func(b *testing.B) {
			for b.Loop() {
				for p := range width / Lanes {
					at := p * rows * Lanes
					k.Messages(sum[at:][:rows*Lanes], start, source, kind, x[at:], w[p*kinds*Lanes:])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/edges, "ns/edge")
		})
		b.Run("Linear/"+k.Name, func(b *testing.B) {
			for b.Loop() {
				for d := 0; d+64 <= rows; d += 64 {
					k.Linear(to, width, x[d*Lanes:], rows*Lanes, width/Lanes, weight)
					k.Linear(to, width, sum[d*Lanes:], rows*Lanes, width/Lanes, weight)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
		b.Run("Normalize/"+k.Name, func(b *testing.B) {
			for b.Loop() {
				for d := 0; d+64 <= rows; d += 64 {
					k.Normalize(sum[d*Lanes:], rows*Lanes, x[d*Lanes:], rows*Lanes, to, gain, gain, 1e-5)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
		})
	}
}
