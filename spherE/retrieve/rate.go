package retrieve

import (
	"context"
	"sync/atomic"

	"github.com/spherelab/spherelab/spherE/kg"
)

// RetrieveRate is the share of facts whose answer is in the set, over their head and tail queries: a number from 0 to
// 1, 0 without facts. Errors are those of Sets.
func (r *Retriever) RetrieveRate(ctx context.Context, facts []kg.Triple) (float64, error) {
	queries, answers := make([]kg.Query, 0, 2*len(facts)), make([]int32, 0, 2*len(facts))
	for _, t := range facts {
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			queries, answers = append(queries, t.Query(side)), append(answers, t.Answer(side))
		}
	}
	if len(queries) == 0 {
		return 0, ctx.Err()
	}
	var found atomic.Int64
	err := r.inBlocks(ctx, queries, func(w *row, i int, dist []float32) {
		if b := r.border(w, queries[i], dist); b.holds(w.values[answers[i]], answers[i]) {
			found.Add(1)
		}
	})
	return float64(found.Load()) / float64(len(queries)), err
}
