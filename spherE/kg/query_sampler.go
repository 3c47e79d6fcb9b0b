package kg

import (
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/draw"
)

// QuerySampler draws the distinct queries of the training triples, each with all its training answers: every pass over
// them takes each query once, in an order of its own. A draw depends only on seed and step. A QuerySampler is safe for
// concurrent use.
type QuerySampler struct {
	index *Index
	seed  uint64
	batch int
}

// NewQuerySampler prepares drawing n queries per step from the training triples of g.
func NewQuerySampler(g *Graph, seed uint64, batch int) (*QuerySampler, error) {
	if len(g.Train) == 0 {
		return nil, fmt.Errorf("graph %s has no training triples", g.Name)
	}
	return &QuerySampler{index: g.Index(Train), seed: seed, batch: batch}, nil
}

// Len returns the number of distinct queries, those for tails and those for heads.
func (s *QuerySampler) Len() int { return s.index.Queries() }

// Answers returns the number of answers to all queries: two per distinct training triple.
func (s *QuerySampler) Answers() int { return 2 * s.index.Len() }

// Draw fills queries and answers, which have as many places as a step has queries. The answers are shared: do not
// modify them.
func (s *QuerySampler) Draw(step uint64, queries []Query, answers [][]int32) {
	n := uint64(s.Len())
	at := step * uint64(s.batch)
	pass := at / n
	order := draw.NewPermutation(s.seed, pass, uint32(n))
	for i := range queries {
		at := at + uint64(i)
		if at/n != pass { // the batch is filled from the next pass
			pass = at / n
			order = draw.NewPermutation(s.seed, pass, uint32(n))
		}
		queries[i], answers[i] = s.index.query(int(order.At(uint32(at % n))))
	}
}

// Queries returns the number of distinct queries of both sides that have answers.
func (ix *Index) Queries() int { return len(ix.tails.known) + len(ix.heads.known) }

// query returns a query by its number, and its answers: first those for tails, each side by (relation, known entity).
func (ix *Index) query(i int) (Query, []int32) {
	s, side := &ix.tails, TailSide
	if n := len(s.known); i >= n {
		s, side, i = &ix.heads, HeadSide, i-n
	}
	// The last relation whose first key is not behind i; relations without keys begin where the next one does.
	relation, _ := slices.BinarySearch(s.first, int32(i)+1)
	lo, hi := s.starts[i], s.starts[i+1]
	return Query{Side: side, Relation: int32(relation) - 1, Known: s.known[i]}, s.answers[lo:hi:hi]
}
