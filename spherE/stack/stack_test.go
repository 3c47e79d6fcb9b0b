package stack

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// grid is a model whose distances are small whole numbers, so that many are equal; some are NaN or infinite. About half
// of the facts of the graph are closer than they would be.
type grid struct {
	g      *kg.Graph
	salt   uint32
	broken bool
}

func (m *grid) Entities() int  { return m.g.Entities.Len() }
func (m *grid) Relations() int { return m.g.Relations.Len() }
func (m *grid) Digest() string { return strings.Repeat("a", 1+int(m.salt)) }

func (m *grid) distance(q kg.Query, e int32) float32 {
	t := q.Triple(e)
	h := m.salt + 1
	for _, x := range []int32{t.Head, t.Relation, t.Tail} {
		h = (h ^ uint32(x)) * 16777619
		h ^= h >> 13
	}
	d := float32(h%41) - 3
	switch all := m.g.Index(kg.Train, kg.Valid, kg.Test); {
	case m.broken && h%97 == 0:
		return float32(math.NaN())
	case m.broken && h%89 == 0:
		return float32(math.Inf(1))
	case all.Has(t) && h%2 == 0:
		d -= 12
	}
	return d
}

func (m *grid) Distances(queries []kg.Query, dst []float32) {
	n := m.Entities()
	for i, q := range queries {
		for e := range n {
			dst[i*n+e] = m.distance(q, int32(e))
		}
	}
}

func (m *grid) Values(_ sphere.Criterion, _ kg.Query, dist, dst []float32) float32 {
	copy(dst, dist)
	return 1
}

// small is a graph of 40 entities, so that a fit leaves no candidate out. Relation r2 has no validation fact.
func small(t *testing.T) *kg.Graph {
	t.Helper()
	var splits [3][][3]string
	for h := range 40 {
		for r := range 3 {
			for _, step := range []int{1 + r, 7 * (r + 1)} {
				to := 0
				if n := (h*31 + r*17 + step*5) % 10; n > 6 {
					to = n - 7
				}
				if r == 2 && to == 1 {
					to = 0
				}
				fact := [3]string{fmt.Sprintf("e%02d", h), fmt.Sprintf("r%d", r), fmt.Sprintf("e%02d", (h+step)%40)}
				splits[min(to, 2)] = append(splits[min(to, 2)], fact)
			}
		}
	}
	g, err := kg.New("small", splits[0], splits[1], splits[2])
	expect.NoError(t, err)
	return g
}

func models(g *kg.Graph) []Model {
	return []Model{&grid{g: g, salt: 1, broken: true}, &grid{g: g, salt: 2}}
}

func mustFit(t *testing.T, g *kg.Graph, threads int) *Stack {
	t.Helper()
	s, err := Fit(context.Background(), models(g), g, Settings{Threads: threads})
	expect.NoError(t, err)
	return s
}

// plain are the features of a candidate, by loops over all entities.
func plain(g *kg.Graph, list []Model, q kg.Query, e int32) []float64 {
	train := g.Index(kg.Train)
	known := train.Answers(q)
	x := []float64{1}
	for _, m := range list {
		value := m.(*grid).distance
		rank, free := 1.0, []float64(nil)
		for other := range int32(m.Entities()) {
			v := value(q, other)
			if slices.Contains(known, other) {
				continue
			}
			if v < value(q, e) {
				rank++
			}
			if v-v == 0 {
				free = append(free, float64(v))
			}
		}
		slices.Sort(free)
		x = append(x, -float64(value(q, e)), -free[min(len(free), 10)-1], math.Log(rank), 1/rank)
	}
	relation, with, of := 0, 0, 0
	for _, f := range g.Train {
		if f.Relation == q.Relation {
			relation++
			if f.Answer(q.Side) == e {
				with++
			}
		}
		if f.Head == e || f.Tail == e {
			of++
		}
	}
	for _, n := range []int{len(known), relation, with, of} {
		x = append(x, math.Log(float64(1+n)))
	}
	return x
}

func dot(w, x []float64) float64 {
	z := 0.0
	for j := range w {
		z += w[j] * x[j]
	}
	return z
}

// TestStackIsPlain compares values with weights times features, all computed by loops, for queries of every kind, and
// with the weights of the halves for validation queries of the crossed stack.
func TestStackIsPlain(t *testing.T) {
	t.Parallel()
	g := small(t)
	list, s := models(g), mustFit(t, g, 1)
	valid := queries(g.Valid)
	n := g.Entities.Len()
	nan := 0
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for known := range int32(n) {
			q := kg.Query{Side: side, Known: known, Relation: known % 3}
			all, crossed := make([]float32, n), make([]float32, n)
			s.Distances([]kg.Query{q}, all)
			s.Crossed().DistancesAt(q, []int32{0}, crossed)
			own := s.fitted.All
			if i := slices.Index(valid, q); i >= 0 {
				own = s.fitted.Halves[i%2]
			}
			for e := range n {
				x := plain(g, list, q, int32(e))
				for _, c := range []struct {
					w    Weights
					have float32
				}{{s.fitted.All, all[e]}, {own, crossed[e]}} {
					want := -dot(*c.w.side(side), x)
					if math.IsNaN(want) {
						nan++
						if c.have == c.have {
							t.Fatalf("%v, entity %d: %v, want NaN", q, e, c.have)
						}
						continue
					}
					if !(math.Abs(float64(c.have)-want) <= 1e-4*(1+math.Abs(want))) && !math.IsInf(want, 0) {
						t.Fatalf("%v, entity %d: value %v, want %v", q, e, c.have, want)
					}
				}
			}
		}
	}
	if nan == 0 {
		t.Error("no model had a NaN")
	}
}

// TestFitHasNoSlope: at the weights the derivatives of the penalized likelihood vanish, over all candidates of all
// validation queries, and for the halves over those of the other half alone.
func TestFitHasNoSlope(t *testing.T) {
	t.Parallel()
	g := small(t)
	s := mustFit(t, g, 1)
	noSlope(t, g, s, queries(g.Valid), func(kg.Query, int32) bool { return false })
	dropping, err := Fit(context.Background(), models(g), g, Settings{DropItself: true})
	expect.NoError(t, err)
	if dropping.Digest() == s.Digest() {
		t.Error("without the asked entity the weights are the same")
	}
	noSlope(t, g, dropping, queries(g.Valid), func(q kg.Query, e int32) bool {
		return e == q.Known && !g.Loops()[q.Relation]
	})
}

// TestSampledFit: the weights are those of the queries that an evaluation with the same sample answers, each without
// its half.
func TestSampledFit(t *testing.T) {
	t.Parallel()
	g := small(t)
	const n = 8
	report, err := eval.Run(t.Context(), mustFit(t, g, 1), g, eval.Settings{Split: kg.Valid,
		Truth: []kg.Split{kg.Train, kg.Valid}, Sample: n, KeepRecords: true})
	expect.NoError(t, err)
	var sampled []kg.Query
	for i, r := range report.Records.Relation {
		side := kg.HeadSide
		if i >= report.Records.HeadQueries {
			side = kg.TailSide
		}
		sampled = append(sampled, kg.Query{Side: side, Relation: r, Known: report.Records.Given[i]})
	}
	if len(sampled) != 2*n || len(queries(g.Valid)) <= 2*n {
		t.Fatalf("%d of %d queries are a sample", len(sampled), len(queries(g.Valid)))
	}
	s, err := Fit(t.Context(), models(g), g, Settings{Sample: n})
	expect.NoError(t, err)
	noSlope(t, g, s, sampled, func(kg.Query, int32) bool { return false })
	all, err := Fit(t.Context(), models(g), g, Settings{Sample: len(g.Valid)})
	expect.NoError(t, err)
	if all.Digest() != mustFit(t, g, 3).Digest() {
		t.Error("a sample of all queries has other weights")
	}
}

// noSlope checks the derivatives over the sampled queries, where dropped candidates do not count.
func noSlope(t *testing.T, g *kg.Graph, s *Stack, sampled []kg.Query, dropped func(q kg.Query, e int32) bool) {
	t.Helper()
	list, train, right := models(g), g.Index(kg.Train), g.Index(kg.Train, kg.Valid)
	for _, c := range []struct {
		w       Weights
		without int
	}{{s.fitted.All, -1}, {s.fitted.Halves[0], 0}, {s.fitted.Halves[1], 1}} {
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			w := *c.w.side(side)
			slope, moved, rights := make([]float64, len(w)), 0.0, 0
			for j, x := range w {
				center, penalty := 0.0, ridge
				switch {
				case j == 0:
					penalty = interceptRidge
				case j == 4 || j == 8: // 1/rank
					center = 1
				}
				slope[j] = penalty * (x - center)
			}
			for i, q := range queries(g.Valid) {
				if q.Side != side || i%2 == c.without || !slices.Contains(sampled, q) {
					continue
				}
				for e := range int32(g.Entities.Len()) {
					x := plain(g, list, q, e)
					if dropped(q, e) || train.Has(q.Triple(e)) || math.IsNaN(dot(w, x)) || math.IsInf(dot(w, x), 0) {
						continue
					}
					p := 1 / (1 + math.Exp(-dot(w, x)))
					if right.Has(q.Triple(e)) {
						p--
						rights++
					}
					for j := range slope {
						slope[j] += p * x[j]
						moved += math.Abs(p * x[j])
					}
				}
			}
			least := 5
			if len(sampled) < len(queries(g.Valid)) {
				least = 3
			}
			if rights < least {
				t.Fatalf("%d right candidates", rights)
			}
			for j, x := range slope {
				if math.Abs(x) > 1e-3*moved {
					t.Errorf("without half %d, %v side: slope of feature %d is %v", c.without, side, j, x)
				}
			}
		}
	}
}

// TestStackHasTheSameBits for any number of threads and of queries at once; other weights have another digest.
func TestStackHasTheSameBits(t *testing.T) {
	t.Parallel()
	g := small(t)
	s, three := mustFit(t, g, 1), mustFit(t, g, 3)
	if s.Digest() != three.Digest() || len(s.Digest()) != 64 {
		t.Errorf("digests %s and %s", s.Digest(), three.Digest())
	}
	var list []kg.Query
	for i := range int32(2*block + 3) {
		list = append(list, kg.Query{Side: kg.Side(i % 2), Known: i % 40, Relation: i % 3})
	}
	n := g.Entities.Len()
	together, one := make([]float32, len(list)*n), make([]float32, n)
	three.Distances(list, together)
	for i, q := range list {
		s.Distances([]kg.Query{q}, one)
		for e, v := range one {
			if other := together[i*n+e]; math.Float32bits(v) != math.Float32bits(other) && v == v {
				t.Fatalf("%v, entity %d: %v and %v", q, e, v, other)
			}
		}
	}
	f := s.Fitted()
	f.All.Head = slices.Clone(f.All.Head)
	f.All.Head[3] = math.Nextafter(f.All.Head[3], 9)
	changed, err := New(models(g), g, f)
	if err != nil || changed.Digest() == s.Digest() {
		t.Errorf("a changed weight has the digest %s, %v", changed.Digest(), err)
	}
}

func TestRefusedStacks(t *testing.T) {
	t.Parallel()
	g, ctx := small(t), context.Background()
	f := mustFit(t, g, 1).Fitted()
	short := f
	short.Halves[1].Tail = f.All.Tail[1:]
	wrong := f
	wrong.All.Tail = slices.Clone(f.All.Tail)
	wrong.All.Tail[2] = math.NaN()
	bundled, err := kg.Bundled()
	expect.NoError(t, err)
	bare := *small(t)
	bare.Valid = nil
	for want, err := range map[string]error{
		"12 weights do not fit 2 models, which have 13 features": second(New(models(g), g, short)),
		"a weight is NaN":                              second(New(models(g), g, wrong)),
		"a stack needs at least two models, got 1":     second(New(models(g)[:1], g, f)),
		"a model has 40 entities and 3 relations, and": second(Fit(ctx, models(g), bundled, Settings{})),
		"graph small has no validation facts":          second(Fit(ctx, models(g), &bare, Settings{})),
		"threads must not be negative, got -1":         second(Fit(ctx, models(g), g, Settings{Threads: -1})),
		"the sample must not be negative, got -2":      second(Fit(ctx, models(g), g, Settings{Sample: -2})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Fit(ended, models(g), g, Settings{}); err != context.Canceled {
		t.Errorf("an interrupted fit: %v", err)
	}
	if names := FeatureNames([]string{"a", "b"}); len(names) != featureCount(2) {
		t.Errorf("%d names of %d features", len(names), featureCount(2))
	}
}

func second(_ *Stack, err error) error { return err }
