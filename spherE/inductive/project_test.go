package inductive

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestProjectEqualsReference compares what fuzzy sets lead to with the network in float64, on graphs of which a set
// reaches few entities and all.
func TestProjectEqualsReference(t *testing.T) {
	t.Parallel()
	for name, reach := range map[string]int{"dense": 0, "long": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := graphOf(t, 7, 70, 4, 120, reach)
			tensors := randomTensors(17, 32, 2, 3)
			m, err := networkOf(t, tensors).On("random", g)
			expect.NoError(t, err)
			compareProjections(t, m, tensors, g)
		})
	}
}

// TestUltraQuery reads the public weights for fuzzy sets.
func TestUltraQuery(t *testing.T) {
	t.Parallel()
	file := graphtest.File(t, "ultra/ultraquery.pth")
	n, err := Open(file)
	expect.NoError(t, err)
	g := graphOf(t, 13, 50, 4, 120, 0)
	m, err := n.On(sphere.UltraQuery, g)
	expect.NoError(t, err)
	if !m.OnSets() || n.Parameters() != 168_705 {
		t.Errorf("answers from sets: %v; %d parameters", m.OnSets(), n.Parameters())
	}
	compareProjections(t, m, tensorsOf(t, file), g)
}

func compareProjections(t *testing.T, m *Model, tensors map[string]Tensor, g *kg.Graph) {
	t.Helper()
	ref := reference{tensors: tensors, width: m.network.width}
	from := map[int32]float64{4: .75, 5: 1, 31: .25, 46: .0625}
	entities, degrees := []int32{4, 5, 31, 46}, []float32{.75, 1, .25, .0625}
	alone := map[int32]float64{5: 1}
	for i, side := range []kg.Side{kg.TailSide, kg.HeadSide, kg.HeadSide} {
		heads, q := []Heads{Inverse, Direct, Both}[i], kg.Query{Side: side, Relation: int32(i)}
		want := func(set map[int32]float64) []float64 {
			by := func(h Heads) []float64 {
				return ref.scoresFrom(m.entities, m.relations, g.Train, g.Train, set, q, h)
			}
			if heads != Both {
				return by(heads)
			}
			list, other := by(Inverse), by(Direct)
			for e := range list {
				list[e] = (list[e] + other[e]) / 2
			}
			return list
		}
		got := make([]float32, m.entities)
		expect.NoError(t, m.WithHeads(heads).Project(context.Background(), entities, degrees, side, q.Relation, got))
		crisp, apart := want(alone), 0.
		for e, x := range want(from) {
			if math.Abs(float64(got[e])-x) > 1e-4*(1+math.Abs(x)) {
				t.Fatalf("%v, heads %s: score of entity %d is %g, want %g", q, heads, e, got[e], x)
			}
			apart = max(apart, math.Abs(x-crisp[e]))
		}
		if apart < .05 {
			t.Errorf("%v: scores differ from those of one entity by at most %g: too alike to tell", q, apart)
		}
	}
}

// TestProjectionOfOneIsQuery: a set of one certain entity gives the bits of a query, on every SIMD path. A set that is
// not ascending is refused.
func TestProjectionOfOneIsQuery(t *testing.T) {
	t.Parallel()
	g := graphOf(t, 19, 60, 3, 110, 3)
	n := networkOf(t, randomTensors(23, 32, 2, 3))
	var first []float32
	simdtest.Each(t, true, simd.Select, func(t *testing.T, k *simd.Kernels) {
		path := k.Name
		m, err := n.on("random", g, path)
		expect.NoError(t, err)
		q := kg.Query{Side: kg.TailSide, Known: 20, Relation: 1}
		one, several := make([]float32, m.entities), make([]float32, m.entities)
		ask := func(entities []int32, degrees []float32, dst []float32) error {
			return m.Project(context.Background(), entities, degrees, q.Side, q.Relation, dst)
		}
		expect.NoError(t, ask([]int32{20}, []float32{1}, one))
		if want := scoresOf(t, m, []kg.Query{q}, 1)[0]; !slices.Equal(one, want) {
			t.Errorf("%s: the set of one entity differs from the query", path)
		}
		expect.NoError(t, ask([]int32{3, 20, 41}, []float32{.3, .7, .1}, several))
		if first == nil {
			first = several
		}
		if !slices.Equal(first, several) || slices.Equal(one, several) {
			t.Errorf("%s: scores of a set differ from those of another path, or are those of one entity", path)
		}
		if ask([]int32{20, 3}, []float32{1, 1}, one) == nil || ask([]int32{60}, []float32{1}, one) == nil {
			t.Error("wrong sets were accepted")
		}
	})
}
