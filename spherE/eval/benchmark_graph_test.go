package eval

import (
	"context"
	"math"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// blank is a model that retrieves nothing, at no cost.
type blank struct{ g *kg.Graph }

func (m blank) Entities() int                                                   { return m.g.Entities.Len() }
func (m blank) Relations() int                                                  { return m.g.Relations.Len() }
func (m blank) DefaultCriterion() sphere.Criterion                              { return sphere.CriterionMargin }
func (m blank) Distances([]kg.Query, []float32)                                 {}
func (m blank) DistancesAt(kg.Query, []int32, []float32)                        {}
func (m blank) Values(sphere.Criterion, kg.Query, []float32, []float32) float32 { return -1 }

func benchmarkGraph(t *testing.T, name string) *kg.Graph {
	t.Helper()
	g, err := kg.Load(graphtest.Folder(t, name))
	expect.NoError(t, err)
	return g
}

// TestLookupOfBenchmarks checks the lookup rows and the counts of the benchmark graphs against figures that an
// independent implementation measured.
func TestLookupOfBenchmarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		graph                         string
		triples, head, tail, nn       int
		trainHead, trainTail, trainNN float64
		knownHead, knownTail          float64
		meanHeads, meanTails          float64 // answers per query, weighted by test triple
	}{
		{"fb15k-237", 20466, 9113, 13737, 14796, .780, .638, .801, .819, .672, 435, 37.6},
		{"wn18rr", 3134, 0, 0, 1130, .582, .312, .529, .599, .319, 25.4, 6.6},
	} {
		t.Run(c.graph, func(t *testing.T) {
			g := benchmarkGraph(t, c.graph)
			r, err := Run(context.Background(), blank{g}, g,
				Settings{Cuts: defaultCut, SkipRanking: true, KeepRecords: true})
			expect.NoError(t, err)
			if r.Triples != c.triples || r.NNTriples != c.nn ||
				c.head > 0 && (r.HeadQueries != c.head || r.TailQueries != c.tail) {
				t.Errorf("%d triples, %d n-to-n, %d head and %d tail queries", r.Triples, r.NNTriples, r.HeadQueries,
					r.TailQueries)
			}
			train, _ := r.Cut("lookup-train")
			known, _ := r.Cut("lookup")
			for _, v := range []struct {
				what      string
				got, want float64
			}{
				{"train head", train.Head.F1, c.trainHead}, {"train tail", train.Tail.F1, c.trainTail},
				{"train n-n", train.NNF1, c.trainNN},
				{"known head", known.Head.F1, c.knownHead}, {"known tail", known.Tail.F1, c.knownTail},
				{"union head", known.Head.UnionF1, c.knownHead}, {"union tail", known.Tail.UnionF1, c.knownTail},
			} {
				if math.Abs(v.got-v.want) > .0005 {
					t.Errorf("%s F1 %.5f, want %.3f", v.what, v.got, v.want)
				}
			}
			if known.Head.RR != 0 || known.Tail.RR != 0 || known.Head.NovelF1 != 0 || known.Tail.NovelF1 != 0 {
				t.Error("lookup found something new")
			}
			var answers [2]float64
			for i, n := range r.Records.Truth {
				answers[r.Records.side(i)] += float64(n) * float64(r.Records.Triples[i]) / float64(r.Triples)
			}
			if math.Abs(answers[0]-c.meanHeads) > .5 || math.Abs(answers[1]-c.meanTails) > .05 {
				t.Errorf("%.2f heads and %.2f tails per query, want %v and %v", answers[0], answers[1], c.meanHeads,
					c.meanTails)
			}
		})
	}
}
