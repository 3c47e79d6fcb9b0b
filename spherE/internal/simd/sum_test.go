package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// TestSumsEqualPlainGo compares the vector kernels with plain Go at every alignment, with floats that must not change,
// for numbers of rows around the tiles of the kernels and for weights by row and by column.
func TestSumsEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		r := rand.New(rand.NewPCG(53, 59))
		for round := range 200 {
			stride, offset, special := (1+r.IntN(6))*Lanes, r.IntN(Lanes), round%3 > 0
			table := func(n int) guarded {
				g := newGuarded(n*stride, offset)
				fill(r, g.row, special)
				return g
			}
			dsts, count := r.IntN(11), r.IntN(9)
			dst, rows := table(dsts), table(count)
			weight := newGuarded(dsts*count, offset)
			fill(r, weight.row, special)
			perDst, perRow := count, 1
			if round%2 == 0 {
				perDst, perRow = 1, dsts
			}
			want := append([]float32(nil), dst.row...)
			path.Combine(dst.row, weight.row, perDst, perRow, rows.row, stride)
			plain.Combine(want, weight.row, perDst, perRow, rows.row, stride)
			dst.check(t, path.Name)
			equalRows(t, fmt.Sprintf("Combine of %d rows into %d", count, dsts), dst.row, want)

			g, x, w := table(1), table(1), number(r, special)
			want = append([]float32(nil), g.row...)
			path.AddScaled(g.row, x.row, w)
			plain.AddScaled(want, x.row, w)
			g.check(t, path.Name)
			equalRows(t, "AddScaled", g.row, want)

			p, v := table(1), table(1)
			for i, y := range v.row {
				v.row[i] = float32(math.Abs(float64(y)))
			}
			wantP, wantV := append([]float32(nil), p.row...), append([]float32(nil), v.row...)
			path.Adagrad(p.row, v.row, x.row, .1, 1e-8)
			plain.Adagrad(wantP, wantV, x.row, .1, 1e-8)
			p.check(t, path.Name)
			v.check(t, path.Name)
			equalRows(t, "Adagrad", p.row, wantP)
			equalRows(t, "squares of Adagrad", v.row, wantV)
		}
	})
}

// TestPlainSums compares the specification with the formulas in float64.
func TestPlainSums(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(61, 67))
	const stride, dsts, count = 2 * Lanes, 3, 5
	dst, rows, weight := make([]float32, dsts*stride), make([]float32, count*stride), make([]float32, dsts*count)
	for _, x := range [][]float32{dst, rows, weight} {
		fill(r, x, false)
	}
	want := make([]float64, len(dst))
	for i, x := range dst {
		want[i] = float64(x)
		for k := range count {
			want[i] += float64(weight[k*dsts+i/stride]) * float64(rows[k*stride+i%stride])
		}
	}
	k := Go()
	k.Combine(dst, weight, 1, dsts, rows, stride)
	for i, x := range dst {
		if math.Abs(float64(x)-want[i]) > 1e-5*(1+math.Abs(want[i])) {
			t.Errorf("Combine: float %d is %g, want %g", i, x, want[i])
		}
	}
	p, v := []float32{1, 2}, []float32{9, 0}
	k.Adagrad(p, v, []float32{4, 0}, .5, .25)
	if p[0] != 1-2/5.25 || p[1] != 2 || v[0] != 25 || v[1] != 0 {
		t.Errorf("Adagrad: parameters %v, squares %v", p, v)
	}
}

// TestDotNorm compares every method of the norm with products in float64.
func TestDotNorm(t *testing.T) {
	t.Parallel()
	simdtest.Each(t, true, Select, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(71, 73))
		const stride, rows = 2 * Lanes, 5
		q, table := make([]float32, stride), make([]float32, rows*stride)
		fill(r, q, false)
		fill(r, table, false)
		dot := func(e int32) (sum float64) {
			for j, x := range row(table, e, stride) {
				sum += float64(x) * float64(q[j])
			}
			return sum
		}
		near := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s: %g, want %g", what, got, want)
			}
		}
		number := []int32{4, 0, 2}
		gathered, all := make([]float32, 3), make([]float32, rows)
		k.Dot.Gather(gathered, nil, q, table, number)
		k.Dot.Rows(all, rows, q, table, stride)
		for i, e := range number {
			near("Pair", float64(k.Dot.Pair(q, row(table, e, stride))), dot(e))
			near("Gather", float64(gathered[i]), dot(e))
			near("Rows", float64(all[e]), dot(e))
		}
		g, own := make([]float32, stride), make([]float32, stride)
		k.Dot.GatherPush(g, q, table, number, number, []float32{2, 0, -3}, nil)
		k.Dot.OwnPush(own, q, table, []uint64{Pull(4, 2), Pull(1, 0), Pull(2, -3), PullWhole(3)})
		for j := range g {
			want := 2*float64(table[4*stride+j]) - 3*float64(table[2*stride+j])
			near("GatherPush", float64(g[j]), want)
			near("OwnPush", float64(own[j]), want+float64(table[3*stride+j]))
		}
		clear(g)
		k.Dot.Push(g, q, table[:stride], -2)
		for j := range g {
			near("Push", float64(g[j]), -2*float64(q[j]))
		}
	})
}
