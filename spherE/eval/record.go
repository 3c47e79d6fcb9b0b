package eval

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Records hold what was counted for every distinct query. All metrics, intervals and comparisons are computed from
// them. Columns are parallel to each other: element i belongs to query i.
type Records struct {
	HeadQueries int `json:"head_queries"` // this many head queries come first, then the tail queries

	Relation []int32 `json:"relation"`
	Given    []int32 `json:"known"`   // the given entity
	Triples  []int32 `json:"triples"` // of the split with this query: its weight in averages over triples
	Truth    []int32 `json:"truth"`   // answers in the ground truth
	Known    []int32 `json:"old"`     // known answers
	NN       []bool  `json:"nn"`      // the relation is n-to-n

	Cuts []CutRecord `json:"cuts"`

	// Rank2 has twice the realistic rank of every triple's own answer, query after query (Triples says how many each
	// has), in ascending order of the answer. It is doubled because the mean of two ranks may end in one half. Nil
	// without ranking.
	Rank2   []int32 `json:"rank2,omitempty"`
	RankNaN int64   `json:"rank_nan"` // values that were NaN while ranking, over all queries
}

// CutRecord holds the counts of one cut.
type CutRecord struct {
	Name  string  `json:"name"`
	Size  []int32 `json:"size"` // retrieved entities
	Hits  []int32 `json:"hits"` // retrieved entities in the ground truth
	Known []int32 `json:"old"`  // retrieved entities that are known answers
	Own   []int32 `json:"own"`  // triples of the split whose own answer is retrieved
	NaN   int64   `json:"nan"`  // values that were NaN, over all queries

	// PerTriple is set if the sets of a query's triples differ in the triple's own answer, as under protocol released.
	// Size and Hits are those of a set without it. A set with it has one more hit and, if Grows is set, one more
	// entity.
	PerTriple bool `json:"per_triple,omitempty"`
	Grows     bool `json:"grows,omitempty"`

	// Tied2 is set under protocol tie only. It is twice the number of tied answers in the sets of the query's triples,
	// summed over these. Hits is then 0. If Grows is set, Size counts the wrong entities, and a set with the triple's
	// own answer has all answers besides them. Otherwise every set has Size entities.
	Tied2 []int64 `json:"tied_2,omitempty"`
}

// with returns size and hits of a set of query i that has the triple's own answer, where PerTriple is set.
func (c *CutRecord) with(i int) (size, hits int32) {
	size, hits = c.Size[i], c.Hits[i]+1
	if c.Grows {
		size++
	}
	return size, hits
}

// sumF1 is the sum of the F1 of the triples of query i.
func (c *CutRecord) sumF1(r *Records, i int) float64 {
	if c.Tied2 != nil {
		return c.tiedSums(r, i).f1
	}
	f := f1(c.Hits[i], c.Size[i], r.Truth[i])
	if !c.PerTriple {
		return float64(float64(r.Triples[i]) * f)
	}
	size, hits := c.with(i)
	own := float64(c.Own[i])
	return float64(own*f1(hits, size, r.Truth[i])) + float64((float64(r.Triples[i])-own)*f)
}

// sumRR is the sum of the retrieve rates of the triples of query i.
func (c *CutRecord) sumRR(r *Records, i int) float64 {
	if c.Tied2 != nil {
		return c.tiedSums(r, i).rr
	}
	return float64(c.Own[i])
}

// count is one query's entry of a CutRecord.
type count struct {
	size  int32
	of    [3]int32 // members of query.answers
	tied2 int64    // see CutRecord.Tied2
}

func (c *CutRecord) set(i int, n count) {
	c.Size[i], c.Hits[i], c.Known[i], c.Own[i] = n.size, n.of[0], n.of[1], n.of[2]
	if c.Tied2 != nil {
		c.Tied2[i] = n.tied2
	}
}

// records returns the queries' records, with room for the counts of cuts.
func (e *Evaluator) records(cuts []prepared) *Records {
	n := len(e.queries)
	columns := make([]int32, (5+4*len(cuts))*n)
	column := func() []int32 {
		var c []int32
		c, columns = columns[:n:n], columns[n:]
		return c
	}
	r := &Records{Relation: column(), Given: column(), Triples: column(), Truth: column(), Known: column(),
		NN: make([]bool, n)}
	for i, q := range e.queries {
		if q.Side == kg.HeadSide {
			r.HeadQueries++
		}
		r.Relation[i], r.Given[i] = q.Relation, q.Known
		r.Triples[i], r.Truth[i], r.Known[i] = int32(len(q.own)), int32(len(q.truth)), int32(len(q.known))
		r.NN[i] = e.category[q.Relation] == kg.NToN
	}
	for _, c := range cuts {
		record := CutRecord{Name: c.name, Size: column(), Hits: column(), Known: column(), Own: column(),
			PerTriple: c.perTriple, Grows: c.grows}
		if c.isTied {
			record.Tied2 = make([]int64, n)
		}
		r.Cuts = append(r.Cuts, record)
	}
	if !e.settings.SkipRanking {
		r.Rank2 = make([]int32, 2*e.triples)
	}
	return r
}

// side is 0 for a head query and 1 for a tail query.
func (r *Records) side(query int) int {
	if query < r.HeadQueries {
		return 0
	}
	return 1
}

// sameQueries reports whether two records are about the same queries with the same ground truth.
func (r *Records) sameQueries(o *Records) bool {
	return r.HeadQueries == o.HeadQueries &&
		slices.Equal(r.Relation, o.Relation) && slices.Equal(r.Given, o.Given) && slices.Equal(r.Triples, o.Triples) &&
		slices.Equal(r.Truth, o.Truth) && slices.Equal(r.Known, o.Known) && slices.Equal(r.NN, o.NN)
}
