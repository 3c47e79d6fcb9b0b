package eval

import "slices"

// Records hold what was counted for every distinct query. All metrics, intervals and comparisons are computed
// from them. Columns are parallel to each other: element i belongs to query i.
type Records struct {
	HeadQueries int `json:"head_queries"` // the first so many queries ask for heads, the others for tails

	Relation []int32 `json:"relation"`
	Known    []int32 `json:"known"`   // the given entity
	Triples  []int32 `json:"triples"` // of the split that ask this query: its weight in per-triple averages
	Truth    []int32 `json:"truth"`   // number of answers in the ground truth
	Old      []int32 `json:"old"`     // number of those that are known already
	NN       []bool  `json:"nn"`      // the relation is n-to-n

	Cuts []CutRecord `json:"cuts"`

	// Rank2 has twice the realistic rank of every triple's own answer, query after query (Triples says how
	// many each has), in ascending order of the answer. Twice, because the mean of two ranks may end in one
	// half. Nil without ranking.
	Rank2   []int32 `json:"rank2,omitempty"`
	RankNaN int64   `json:"rank_nan"` // values that were NaN while ranking, over all queries
}

// CutRecord holds the counts of one way to cut the entities into retrieved and not retrieved.
type CutRecord struct {
	Name string  `json:"name"`
	Size []int32 `json:"size"` // retrieved entities
	Hits []int32 `json:"hits"` // retrieved entities in the ground truth
	Old  []int32 `json:"old"`  // retrieved entities that are known answers
	Own  []int32 `json:"own"`  // triples of the split whose own answer is retrieved
	NaN  int64   `json:"nan"`  // values that were NaN, over all queries
}

// count is one query's entry of a CutRecord.
type count struct {
	size, hits, old, own, nan int32
}

func (c *CutRecord) set(i int, n count) {
	c.Size[i], c.Hits[i], c.Old[i], c.Own[i] = n.size, n.hits, n.old, n.own
}

func newCutRecord(name string, queries int) CutRecord {
	columns := make([]int32, 4*queries)
	part := func(i int) []int32 { return columns[i*queries : (i+1)*queries : (i+1)*queries] }
	return CutRecord{Name: name, Size: part(0), Hits: part(1), Old: part(2), Own: part(3)}
}

// side is 0 for a head query and 1 for a tail query.
func (r *Records) side(query int) int {
	if query < r.HeadQueries {
		return 0
	}
	return 1
}

// cut returns the index of the named cut, or -1.
func (r *Records) cut(name string) int {
	for i := range r.Cuts {
		if r.Cuts[i].Name == name {
			return i
		}
	}
	return -1
}

// sameQueries reports whether two records are about the same queries with the same ground truth.
func (r *Records) sameQueries(o *Records) bool {
	return r.HeadQueries == o.HeadQueries && slices.Equal(r.Relation, o.Relation) && slices.Equal(r.Known, o.Known) &&
		slices.Equal(r.Triples, o.Triples) && slices.Equal(r.Truth, o.Truth) && slices.Equal(r.Old, o.Old) && slices.Equal(r.NN, o.NN)
}
