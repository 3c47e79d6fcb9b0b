package stack

import (
	"cmp"
	"math"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/order"
	"github.com/spherelab/spherelab/spherE/kg"
)

// featureCount is the number of features of a stack of that many models: 1; for every model the score s, the crowd,
// ln(rank) and 1/rank; then ln(1 + n) for the training answers of the query, the training facts of the relation, those
// of them with the entity on the asked side, and the training facts of the entity.
//
// A rank is 1 plus the entities of greater score that are not training answers of the query. The crowd is the tenth
// greatest score of such entities: if many are close, each of them is less likely. The score is minus the value of
// criterion margin.
func featureCount(models int) int { return 1 + perModel*models + counts }

const (
	perModel   = 4
	counts     = 4
	crowdPlace = 10
	block      = 32 // queries whose distances are computed at once
)

// FeatureNames returns the names of the features, for models with these names.
func FeatureNames(models []string) []string {
	names := []string{"1"}
	for _, m := range models {
		names = append(names, "score of "+m, "crowd of "+m, "ln rank of "+m, "1/rank of "+m)
	}
	return append(names, "ln(1 + answers of the query)", "ln(1 + facts of the relation)",
		"ln(1 + facts of the relation with the entity)", "ln(1 + facts of the entity)")
}

// tabulate makes the tables of ln(i) and 1/i for i up to n; ln(0) is not used.
func (s *Stack) tabulate(n int) {
	s.logs, s.inverse = make([]float32, n+1), make([]float32, n+1)
	for i := 1; i <= n; i++ {
		s.logs[i], s.inverse[i] = float32(exact.Log(float64(i))), 1/float32(i)
	}
}

// lnCount is the feature of a count.
func (s *Stack) lnCount(n int) float32 {
	if s.isCountless {
		return 0
	}
	return s.ln(1 + n)
}

func (s *Stack) ln(n int) float32 {
	if n < len(s.logs) {
		return s.logs[n]
	}
	return float32(exact.Log(float64(n)))
}

// row holds the features of all entities for one query, and buffers for a block of queries. It belongs to one worker.
type row struct {
	*Stack
	query  kg.Query
	batch  []kg.Query
	dist   [][]float32 // by model: queries x entities
	values [][]float32 // by model: entities
	rank   [][]int32   // by model: entities
	crowd  []float32   // by model
	best   []float32   // by model: the greatest score of an entity that is not a training answer
	tree   []float32   // features of one entity for trees
	sorted [][]uint64  // by model: value and entity of those that are not NaN, smallest first
	known  []bool      // by entity: a training answer of the query
	fixed  [2]float32  // the counts that do not depend on the entity
	with   []float32   // by entity: ln(1 + facts of the relation with the entity on the asked side)
	withOf kg.Query    // the side and relation that with is for; Known is -1 before it is for any
	spare  []uint64    // while sorting
	odds   []float64   // by entity
	x      []float64

	typicalMean, typicalMost []float32 // by entity
	typicalOf                kg.Query  // the side and relation that they are for; Known is -1 before
}

func newRow(s *Stack) *row {
	n, k := s.Entities(), len(s.models)
	w := &row{Stack: s, batch: make([]kg.Query, 0, block), crowd: make([]float32, k), best: make([]float32, k),
		known: make([]bool, n),
		with:  make([]float32, n), withOf: kg.Query{Known: -1}, spare: make([]uint64, n), odds: make([]float64, n),
		x: make([]float64, featureCount(k)), typicalMean: make([]float32, n), typicalMost: make([]float32, n),
		typicalOf: kg.Query{Known: -1}}
	for range k {
		w.dist, w.values = append(w.dist, make([]float32, block*n)), append(w.values, make([]float32, n))
		w.rank, w.sorted = append(w.rank, make([]int32, n)), append(w.sorted, make([]uint64, 0, n))
	}
	return w
}

// each prepares the features of every query in turn and calls do with the query's index.
func (w *row) each(queries []kg.Query, do func(i int, q kg.Query)) {
	n := w.Entities()
	for lo := 0; lo < len(queries); lo += block {
		w.batch = append(w.batch[:0], queries[lo:min(lo+block, len(queries))]...)
		for k, m := range w.models {
			m.Distances(w.batch, w.dist[k][:len(w.batch)*n])
		}
		for i, q := range w.batch {
			answers := w.train.Answers(q)
			for _, a := range answers {
				w.known[a] = true
			}
			w.query = q
			w.fixed = [2]float32{w.lnCount(len(answers)), w.lnCount(w.train.Triples(q.Relation))}
			w.count(q)
			for k, m := range w.models {
				m.Values(sphere.CriterionMargin, q, w.dist[k][i*n:(i+1)*n], w.values[k])
				w.order(k)
			}
			do(lo+i, q)
			for _, a := range answers {
				w.known[a] = false
			}
		}
	}
}

// count counts facts of the query's relation, unless the query before had the same one and the same side.
func (w *row) count(q kg.Query) {
	of := kg.Query{Side: q.Side, Relation: q.Relation}
	if w.withOf == of {
		return
	}
	w.withOf = of
	q.Side = kg.HeadSide + kg.TailSide - q.Side
	for e := range w.with {
		q.Known = int32(e)
		w.with[e] = w.lnCount(len(w.train.Answers(q)))
	}
}

// order sorts the entities by the values of model k, and finds ranks and crowd. Entities of equal values share a rank.
func (w *row) order(k int) {
	keys, values, rank := w.sorted[k][:0], w.values[k], w.rank[k]
	for e, v := range values {
		if v == v {
			keys = append(keys, order.Key(v, int32(e)))
		}
	}
	order.Sort(keys, w.spare)
	w.sorted[k], w.crowd[k], w.best[k] = keys, 0, 0
	free := 0
	before, tied, last := int32(0), int32(0), float32(math.Inf(-1))
	for _, x := range keys {
		e := order.Entity(x)
		v := values[e]
		if v != last {
			before, tied, last = before+tied, 0, v
		}
		rank[e] = before + 1
		if w.known[e] {
			continue
		}
		if tied++; before+tied <= crowdPlace && v-v == 0 {
			w.crowd[k] = -v
		}
		if v-v == 0 {
			if free++; free == 1 {
				w.best[k] = -v
			}
		}
	}
}

// logOdds returns the weighted sums of the features of all entities. Terms are added in the order of FeatureNames. The
// result is valid until the next call. If a model's value is NaN, the sum is NaN.
func (w *row) logOdds(at []float64) []float64 {
	for e := range w.odds {
		w.odds[e] = at[0]
	}
	for k, values := range w.values {
		at := at[1+perModel*k:][:perModel]
		crowd, rank := float64(at[1]*float64(w.crowd[k])), w.rank[k]
		for e, v := range values {
			r := rank[e]
			z := (w.odds[e] + float64(at[0]*-float64(v))) + crowd
			w.odds[e] = (z + float64(at[2]*float64(w.logs[r]))) + float64(at[3]*float64(w.inverse[r]))
		}
	}
	at = at[1+perModel*len(w.values):]
	answers, facts := float64(at[0]*float64(w.fixed[0])), float64(at[1]*float64(w.fixed[1]))
	for e, z := range w.odds {
		z = ((z + answers) + facts) + float64(at[2]*float64(w.with[e]))
		w.odds[e] = z + float64(at[3]*float64(w.degree[e]))
	}
	return w.odds
}

// features returns the features of an entity, each with the precision of a float32. The result is valid until the next
// call. If a model's value is NaN, features of it are NaN.
func (w *row) features(e int32) []float64 {
	x := append(w.x[:0], 1)
	for k, values := range w.values {
		r := w.rank[k][e]
		x = append(x, -float64(values[e]), float64(w.crowd[k]), float64(w.logs[r]), float64(w.inverse[r]))
	}
	return append(x, float64(w.fixed[0]), float64(w.fixed[1]), float64(w.with[e]), float64(w.degree[e]))
}

// queries returns the distinct head queries of facts, then the tail queries, each ordered by relation and known entity.
func queries(facts []kg.Triple) []kg.Query {
	var all []kg.Query
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for _, t := range facts {
			all = append(all, t.Query(side))
		}
	}
	slices.SortFunc(all, func(a, b kg.Query) int {
		return cmp.Or(cmp.Compare(a.Side, b.Side), cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Known, b.Known))
	})
	return slices.Compact(all)
}

// sample returns n of the queries of each side in their order, see draw.Sample.
func sample(all []kg.Query, n int) []kg.Query {
	heads, _ := slices.BinarySearchFunc(all, kg.TailSide, func(q kg.Query, side kg.Side) int {
		return cmp.Compare(q.Side, side)
	})
	var chosen []kg.Query
	for side, queries := range [][]kg.Query{all[:heads], all[heads:]} {
		for _, at := range draw.Sample(side, len(queries), n) {
			chosen = append(chosen, queries[at])
		}
	}
	return chosen
}
