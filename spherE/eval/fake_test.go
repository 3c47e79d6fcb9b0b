package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// fake is a model whose distances are a hash of the query and the entity's name. levels makes ties: distances
// are multiples of 8/levels. nan and inf are the shares (of 256) of such distances.
type fake struct {
	g        *kg.Graph
	levels   uint64
	nan, inf uint64
	gamma    float32
	salt     uint64
	open     bool // margin values may be negative, so they are not tied at 0
}

func mix(x uint64) uint64 {
	x ^= x >> 31
	x *= 0x7fb5d329728ea185
	x ^= x >> 27
	x *= 0x81dadef4bc2dd44d
	return x ^ x>>33
}

func hash(salt uint64, words ...string) uint64 {
	h := mix(salt + 1)
	for _, w := range words {
		for _, c := range []byte(w) {
			h = mix(h ^ uint64(c))
		}
		h = mix(h + 0x9e37)
	}
	return h
}

func (f *fake) Entities() int { return f.g.Entities.Len() }

func (f *fake) Relations() int { return f.g.Relations.Len() }

func (f *fake) DefaultCriterion() sphere.Criterion { return sphere.CriterionMargin }

func (f *fake) radius(e int32) float32 {
	return float32(hash(f.salt, "radius", f.g.Entities.Name(e))%8) / 8
}

func (f *fake) Distances(queries []kg.Query, dst []float32) {
	n := f.Entities()
	for i, q := range queries {
		for e := range n {
			h := hash(f.salt, q.Side.String(), f.g.Relations.Name(q.Relation), f.g.Entities.Name(q.Known),
				f.g.Entities.Name(int32(e)))
			d := float32(h%f.levels) * 8 / float32(f.levels)
			switch class := h >> 56; {
			case class < f.nan:
				d = float32(math.NaN())
			case class < f.nan+f.inf:
				d = float32(math.Inf(1))
			}
			dst[i*n+e] = d
		}
	}
}

func (f *fake) DistancesAt(q kg.Query, entities []int32, dst []float32) { listed(f, q, entities, dst) }

// listed is Model.DistancesAt by Distances. It spoils what it need not fill.
func listed(
	m interface {
		Entities() int
		Distances(queries []kg.Query, dst []float32)
	}, q kg.Query, entities []int32, dst []float32,
) {
	row := make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, row)
	for e := range dst {
		dst[e] = -1000
	}
	for _, e := range entities {
		dst[e] = row[e]
	}
}

func (f *fake) Values(c sphere.Criterion, q kg.Query, dist, dst []float32) float32 {
	known := f.radius(q.Known)
	for e, d := range dist {
		switch c {
		case sphere.CriterionMargin:
			d -= known + f.radius(int32(e))
			if d < 0 && !f.open {
				d = 0
			}
		default:
			d -= f.radius(int32(e))
		}
		dst[e] = d
	}
	switch c {
	case sphere.CriterionMargin:
		return f.gamma
	case sphere.CriterionIntersect:
		return known
	}
	return known + f.gamma
}

// facts are a graph's triples by name.
type facts struct{ train, valid, test [][3]string }

// withOtherTests replaces the tails of the test facts.
func (f facts) withOtherTests() facts {
	test := f.test
	f.test = nil
	for _, x := range test {
		f.test = append(f.test, [3]string{x[0], x[1], f.train[0][0]})
	}
	return f
}

// randomFacts draws a small graph. Relations differ in how many heads and tails they use, so all categories
// occur; leak is the share (of 100) of evaluated facts that are repeated from another split.
func randomFacts(r *rand.Rand, entities, relations, leak int) facts {
	name := func(i int) string { return fmt.Sprintf("e%02d", i) }
	fact := func() [3]string {
		rel := r.IntN(relations)
		h, t := r.IntN(entities), r.IntN(entities)
		switch rel % 4 {
		case 1:
			h = rel % entities
		case 2:
			t = rel % entities
		case 3:
			t = (h*7 + rel) % entities
		}
		return [3]string{name(h), fmt.Sprintf("r%d", rel), name(t)}
	}
	var f facts
	seen := make(map[[3]string]bool)
	draw := func(n int) [][3]string {
		var list [][3]string
		for try := 0; len(list) < n && try < 50*n; try++ {
			x := fact()
			if seen[x] {
				continue
			}
			seen[x] = true
			list = append(list, x)
		}
		return list
	}
	f.train, f.valid, f.test = draw(3*entities), draw(entities), draw(entities)
	for _, x := range f.train {
		if r.IntN(100) < leak {
			f.valid = append(f.valid, x)
		}
		if r.IntN(100) < leak {
			f.test = append(f.test, x)
		}
	}
	for _, x := range f.valid[:len(f.valid)/2] {
		if r.IntN(100) < leak && !member(f.test, x) {
			f.test = append(f.test, x)
		}
	}
	return f
}

func member(list [][3]string, x [3]string) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

func (f facts) graph(t testing.TB) *kg.Graph {
	t.Helper()
	g, err := kg.New("random", f.train, f.valid, f.test)
	expect.NoError(t, err)
	return g
}

// defaultCut is the cut of the model's own criterion, and every is that and all criteria.
var (
	defaultCut = []Cut{Criterion("")}
	every      = append(defaultCut, Criterion(sphere.CriterionMargin), Criterion(sphere.CriterionIntersect),
		Criterion(sphere.CriterionSphere))
)

// with lists cuts with others behind them.
func with(cuts []Cut, others ...Cut) []Cut { return slices.Concat(cuts, others) }

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// near reports whether two numbers agree to 1e-12: the twin adds in another order.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a), math.Abs(b)) }

var _ Model = (*sphere.Model)(nil)
