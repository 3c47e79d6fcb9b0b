package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
)

// norms lists the three norms with the planes of their rows.
var norms = []struct {
	name   string
	planes int
	keeps  bool
	of     func(k *Kernels) *Norm
}{
	{"Block2", 2, true, func(k *Kernels) *Norm { return &k.Block2 }},
	{"Block3", 3, true, func(k *Kernels) *Norm { return &k.Block3 }},
	{"Whole", 1, false, func(k *Kernels) *Norm { return &k.Whole }},
}

// tableCase is the input of the kernels over many rows.
type tableCase struct {
	stride, blocks, rows int
	table, queries, own  []float32
	number               []int32 // with more behind its length
	next                 []int32 // rows to be prefetched
	weight               []float32
	pull                 []uint64
}

func newTableCase(r *rand.Rand, planes, vectors, offset int, special bool) *tableCase {
	c := &tableCase{blocks: vectors * Lanes, rows: r.IntN(7)}
	c.stride = c.blocks * planes
	row := func(rows int) []float32 {
		g := newGuarded(rows*c.stride, offset)
		fill(r, g.row, special)
		return g.row
	}
	c.table, c.queries, c.own = row(c.rows), row(r.IntN(4)), row(1)
	if c.rows > 0 && r.IntN(2) == 0 { // equal blocks: lengths of exactly 0
		copy(c.own[:c.stride/2], c.table[:c.stride/2])
	}
	if c.rows > 0 {
		for range r.IntN(12) {
			e, w := int32(r.IntN(c.rows)), number(r, special)
			if r.IntN(4) == 0 {
				w = float32(math.Copysign(0, float64(r.IntN(2))-0.5))
			}
			c.number, c.weight = append(c.number, e), append(c.weight, w)
			if r.IntN(3) == 0 {
				c.pull = append(c.pull, PullWhole(e))
			} else {
				c.pull = append(c.pull, Pull(e, w))
			}
		}
	}
	if n := len(c.number); n > 0 {
		n -= r.IntN(n)
		c.number, c.weight, c.pull = c.number[:n], c.weight[:n], c.pull[:n]
		c.next = slices.Clone(c.number)
		slices.Reverse(c.next)
	}
	return c
}

// run calls the kernels of one norm and returns everything that they wrote, including guard words.
func (c *tableCase) run(t *testing.T, name string, n *Norm, keeps bool, seed uint64) (written [][]float32) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3)) // the same gradients for every path
	out := func(size int, random bool) []float32 {
		g := newGuarded(size, int(seed)%Lanes)
		if random {
			fill(r, g.row, false)
		}
		written = append(written, g.all)
		t.Cleanup(func() { g.check(t, name) })
		return g.row
	}
	queries := 0
	if c.stride > 0 {
		queries = len(c.queries) / c.stride
		pitch := c.rows + int(seed%3)
		dst := out(queries*pitch, true)
		n.Rows(dst, pitch, c.queries, c.table, c.stride)
	}
	norm, length := out(len(c.number), true), []float32(nil)
	if keeps {
		length = out(len(c.number)*c.blocks, true)
	}
	n.Gather(norm, length, c.own, c.table, c.number)
	if keeps {
		n.Gather(out(len(c.number), true), out(c.blocks, true), c.own, c.table, c.number)
	}
	n.GatherPush(out(c.stride, true), c.own, c.table, c.number, c.next, c.weight, length)
	n.OwnPush(out(c.stride, true), c.own, c.table, c.pull)
	return written
}

// TestTableKernelsEqualPlainGo compares the vector kernels over many rows with plain Go.
func TestTableKernelsEqualPlainGo(t *testing.T) {
	t.Parallel()
	plain := Go()
	simdtest.Each(t, false, Select, func(t *testing.T, path *Kernels) {
		for _, n := range norms {
			t.Run(n.name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(13, uint64(n.planes)))
				for vectors := range 8 {
					for seed := range uint64(48) {
						c := newTableCase(r, n.planes, vectors, int(seed)%Lanes, seed%3 > 0)
						got := c.run(t, n.name, n.of(path), n.keeps, seed)
						want := c.run(t, n.name, n.of(plain), n.keeps, seed)
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

// TestManyRowsEqualPairs compares the plain kernels over many rows, which specify the others, with those over two.
func TestManyRowsEqualPairs(t *testing.T) {
	t.Parallel()
	plain := Go()
	r := rand.New(rand.NewPCG(17, 19))
	for _, n := range norms {
		k := n.of(plain)
		for range 200 {
			c := newTableCase(r, n.planes, 1+r.IntN(3), 0, false)
			queries := len(c.queries) / c.stride
			dst := make([]float32, queries*c.rows)
			k.Rows(dst, c.rows, c.queries, c.table, c.stride)
			for i := range queries {
				for e := range c.rows {
					if want := k.Pair(row(c.queries, int32(i), c.stride),
						row(c.table, int32(e), c.stride)); dst[i*c.rows+e] != want {
						t.Fatalf("%s: Rows %g, Pair %g", n.name, dst[i*c.rows+e], want)
					}
				}
			}
			got, want := make([]float32, c.stride), make([]float32, c.stride)
			for i, e := range c.number {
				if c.weight[i] != 0 {
					k.Push(want, row(c.table, e, c.stride), c.own, c.weight[i])
				}
			}
			norm := make([]float32, len(c.number))
			var length []float32
			if n.keeps {
				length = make([]float32, len(c.number)*c.blocks)
			}
			k.Gather(norm, length, c.own, c.table, c.number)
			k.GatherPush(got, c.own, c.table, c.number, c.next, c.weight, length)
			for i, e := range c.number {
				if p := k.Pair(c.own, row(c.table, e, c.stride)); norm[i] != p {
					t.Fatalf("%s: Gather %g, Pair %g", n.name, norm[i], p)
				}
			}
			for j := range want {
				if got[j] != want[j] {
					t.Fatalf("%s: GatherPush computes %g, Push one by one %g", n.name, got[j], want[j])
				}
			}
			clear(got)
			clear(want)
			for i, e := range c.number {
				switch {
				case c.pull[i] == PullWhole(e):
					plain.Add(want, row(c.table, e, c.stride))
				case c.weight[i] != 0:
					k.Push(want, row(c.table, e, c.stride), c.own, c.weight[i])
				}
			}
			k.OwnPush(got, c.own, c.table, c.pull)
			for j := range want {
				if got[j] != want[j] {
					t.Fatalf("%s: OwnPush computes %g, Push and Add one by one %g", n.name, got[j], want[j])
				}
			}
		}
	}
}
