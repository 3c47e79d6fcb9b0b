package inductive

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/simd/simdtest"
	"github.com/spherelab/spherelab/spherE/kg"
)

// graphOf returns a graph of random facts. Relations differ in how many facts they have; with reach > 0 a fact joins
// entities whose numbers differ by at most reach, so that a question reaches few of them at once.
func graphOf(t testing.TB, seed uint64, entities, relations, facts, reach int) *kg.Graph {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	names := map[[3]string]bool{}
	for len(names) < facts {
		h := r.IntN(entities)
		o := r.IntN(entities)
		if reach > 0 {
			o = min(h+r.IntN(reach+1), entities-1)
		}
		k := min(r.IntN(relations), r.IntN(relations))
		names[[3]string{fmt.Sprintf("e%04d", h), fmt.Sprintf("r%02d", k), fmt.Sprintf("e%04d", o)}] = true
	}
	g, err := kg.New("random", slices.Collect(maps.Keys(names)), nil, nil)
	expect.NoError(t, err)
	return g
}

func networkOf(t testing.TB, tensors map[string]Tensor) *Network {
	t.Helper()
	n, err := New(tensors)
	expect.NoError(t, err)
	return n
}

// scoresOf answers queries with a model on one path.
func scoresOf(t testing.TB, m *Model, queries []kg.Query, threads int) [][]float32 {
	t.Helper()
	dst := make([][]float32, len(queries))
	for i := range dst {
		dst[i] = make([]float32, m.Entities())
	}
	expect.NoError(t, m.Scores(context.Background(), queries, dst, threads))
	return dst
}

// queriesOf are those of a graph's training facts, from an even spread of them.
func queriesOf(g *kg.Graph, most int) (queries []kg.Query) {
	step := max(1, 2*len(g.Train)/most)
	for i := 0; i < len(g.Train); i += step {
		queries = append(queries, g.Train[i].Query(kg.TailSide), g.Train[i].Query(kg.HeadSide))
	}
	return queries
}

// TestScoresEqualReference compares scores with the network in float64, for graphs on which questions reach all
// entities at once and on which they reach few.
func TestScoresEqualReference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                        string
		graph                       *kg.Graph
		width, relation, ofEntities int
	}{
		{"dense", graphOf(t, 3, 23, 5, 90, 0), 32, 3, 2},
		{"one plane", graphOf(t, 5, 40, 3, 70, 9), 16, 1, 3},
		{"long", graphOf(t, 7, 90, 4, 150, 2), 32, 2, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tensors := randomTensors(11, c.width, c.relation, c.ofEntities)
			m, err := networkOf(t, tensors).On("random", c.graph)
			expect.NoError(t, err)
			compareWithReference(t, m, tensors, c.graph, queriesOf(c.graph, 24))
		})
	}
}

func compareWithReference(t *testing.T, m *Model, tensors map[string]Tensor, g *kg.Graph, queries []kg.Query) {
	t.Helper()
	ref := reference{tensors: tensors, width: m.network.width}
	var least, most float64
	for i, scores := range scoresOf(t, m, queries, 2) {
		q := queries[i]
		for e, want := range ref.scores(m.entities, m.relations, g.Train, q) {
			if math.Abs(float64(scores[e])-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("%v: score of entity %d is %g, want %g", q, e, scores[e], want)
			}
			least, most = min(least, want), max(most, want)
		}
	}
	if most-least < .1 {
		t.Errorf("scores are from %g to %g: too alike to tell", least, most)
	}
}

// TestPublicCheckpoint compares a public checkpoint's scores with the network in float64.
func TestPublicCheckpoint(t *testing.T) {
	t.Parallel()
	file := graphtest.File(t, "ultra/ultra_3g.pth")
	n, err := Open(file)
	expect.NoError(t, err)
	if n.Parameters() != 168_705 || n.Width() != 64 || len(n.relation) != 6 || len(n.entity) != 6 {
		t.Fatalf("%d parameters, width %d, %d and %d layers", n.Parameters(), n.Width(), len(n.relation), len(n.entity))
	}
	g := graphOf(t, 13, 60, 4, 150, 0)
	m, err := n.On("ultra-3g", g)
	expect.NoError(t, err)
	compareWithReference(t, m, tensorsOf(t, file), g, queriesOf(g, 4))
}

// TestRelationGraph compares the graph of relations with all pairs of relations.
func TestRelationGraph(t *testing.T) {
	t.Parallel()
	for _, g := range []*kg.Graph{
		graphOf(t, 17, 30, 9, 60, 3), graphOf(t, 19, 200, 12, 150, 4), graphOf(t, 23, 9, 2, 30, 0),
	} {
		relations := g.Relations.Len()
		edges, err := newAdjacency(g.Entities.Len(), relations, g.Train)
		expect.NoError(t, err)
		meeting, err := newRelationGraph(edges, relations)
		expect.NoError(t, err)
		var got []referenceEdge
		for a := range meeting.nodes() {
			for i := meeting.start[a]; i < meeting.start[a+1]; i++ {
				got = append(got, referenceEdge{a, int(meeting.source[i]), int(meeting.kind[i])})
			}
		}
		want := referenceRelationGraph(relations, g.Train)
		if !slices.Equal(got, want) {
			t.Errorf("%d edges %v, want %d %v", len(got), got, len(want), want)
		}
	}
}

// TestSameBits asks on every path, alone and together, with one thread and several: the bits do not change. The graphs
// are such that questions share the background for no layer, for some, and for all.
func TestSameBits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		graph *kg.Graph
		deep  int // layers that share the background
	}{
		{"dense", graphOf(t, 29, 50, 4, 300, 0), 1},
		{"between", graphOf(t, 31, 150, 3, 600, 25), 3},
		{"long", graphOf(t, 37, 400, 3, 700, 2), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := networkOf(t, randomTensors(41, 32, 2, 4))
			queries := queriesOf(c.graph, 60)
			plain, err := n.on("random", c.graph, "go")
			expect.NoError(t, err)
			var want [][]float32
			for _, q := range queries { // alone: no background
				want = append(want, scoresOf(t, plain, []kg.Query{q}, 1)...)
			}
			if deep := deepest(plain, queries); deep != c.deep {
				t.Errorf("questions share %d layers, want %d", deep, c.deep)
			}
			simdtest.Each(t, true, func(path string) (string, error) {
				k, err := simd.Select(path)
				if err != nil {
					return "", err
				}
				return k.Name, nil
			}, func(t *testing.T, path string) {
				m, err := n.on("random", c.graph, path)
				expect.NoError(t, err)
				for _, threads := range []int{1, 3} {
					sameScores(t, scoresOf(t, m, queries, threads), want)
				}
				reversed := slices.Clone(queries)
				slices.Reverse(reversed)
				got := scoresOf(t, m, reversed, 1)
				slices.Reverse(got)
				sameScores(t, got, want)
			})
		})
	}
}

// deepest is after how many layers the background is wanted by questions of one relation.
func deepest(m *Model, queries []kg.Query) (deep int) {
	known := map[int32][]int32{}
	for _, q := range queries {
		asked, _ := askedFor(q, m.relations, m.heads)
		known[asked] = append(known[asked], q.Known)
	}
	p := newPass(m.network, m.kernels, m.edges)
	for _, list := range known {
		deep = max(deep, p.depth(list))
	}
	return deep
}

func sameScores(t *testing.T, got, want [][]float32) {
	t.Helper()
	for i := range want {
		for e := range want[i] {
			if math.Float32bits(got[i][e]) != math.Float32bits(want[i][e]) {
				t.Fatalf("query %d, entity %d: %g, want %g", i, e, got[i][e], want[i][e])
			}
		}
	}
}
