package eval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestFindable counts by hand on a graph whose sides differ: two of three heads that training has get a new tail in
// validation, none of the tails does, and one entity that training does not have in the place.
func TestFindable(t *testing.T) {
	t.Parallel()
	triples := func(list ...[3]string) [][3]string { return list }
	g, err := kg.New("small", triples([3]string{"a", "r", "x"}, [3]string{"b", "r", "x"}, [3]string{"b", "r", "y"},
		[3]string{"c", "r", "x"}, [3]string{"x", "s", "y"}),
		triples([3]string{"a", "r", "y"}, [3]string{"a", "r", "z"}, [3]string{"c", "r", "z"}, [3]string{"z", "r", "z"}),
		triples([3]string{"b", "r", "z"}))
	expect.NoError(t, err)
	find := Findable(g)
	for _, c := range []struct {
		side            kg.Side
		known, relation string
		found, queries  float64 // of the relation and side, and of the side
		all, of         float64
	}{
		{kg.TailSide, "a", "r", 2, 3, 2, 4}, // a and c of a, b, c; s has x
		{kg.TailSide, "b", "r", 2, 3, 2, 4},
		{kg.TailSide, "z", "r", 1, 3, 1, 8}, // z of x, y, z; of s, which has five others, none
		{kg.TailSide, "x", "s", 0, 1, 2, 4},
		{kg.HeadSide, "y", "r", 1, 2, 1, 3},
		{kg.HeadSide, "z", "r", 1, 4, 1, 9},
	} {
		e, err := g.FindEntity(c.known)
		expect.NoError(t, err)
		r, err := g.FindRelation(c.relation)
		expect.NoError(t, err)
		want := (c.found + 10*c.all/c.of) / (c.queries + 10)
		if got := find(kg.Query{Side: c.side, Known: e, Relation: r}); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v %s %s: %g, want %g", c.side, c.known, c.relation, got, want)
		}
	}
}

// TestUnionSize compares the size with the best of all sizes, whose expected F1 is summed over every outcome.
func TestUnionSize(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	sizes := map[int]bool{}
	for range 300 {
		n, known := r.IntN(9), r.IntN(4)
		p := make([]float64, n)
		for i := range p {
			p[i] = float64(r.IntN(11)) / 10
		}
		slices.SortFunc(p, func(a, b float64) int { return int(100*b) - int(100*a) })
		expected := func(k int) (f float64) {
			for outcome := range 1 << n {
				chance, hits, right := 1.0, known, known
				for i, x := range p {
					if outcome>>i&1 == 0 {
						chance *= 1 - x
						continue
					}
					chance *= x
					if right++; i < k {
						hits++
					}
				}
				if k+known+right > 0 {
					f += chance * 2 * float64(hits) / float64(k+known+right)
				}
			}
			return f
		}
		got := unionSize(p, known)
		sizes[got] = true
		if got > 0 && got < n && p[got] == p[got-1] {
			t.Fatalf("%v: %d candidates are taken, and one as probable is not", p, got)
		}
		for k := range n + 1 {
			if (k == 0 || k == n || p[k] != p[k-1]) && expected(k) > expected(got)+1e-9 {
				t.Fatalf("%v with %d known: %d candidates have F1 %g, %d have %g", p, known, got, expected(got), k, expected(k))
			}
		}
	}
	if len(sizes) < 6 {
		t.Errorf("only %d sizes: the test shows little", len(sizes))
	}
	half, _ := PromisedPrecision(.5)
	if got := Size(half)([]float64{.8, .5, .3, .1}, 7); got != 3 {
		t.Errorf("precision .5 takes %d of .8, .5, .3, .1, want 3", got)
	}
}
