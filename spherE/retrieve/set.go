package retrieve

import (
	"context"
	"fmt"
	"slices"

	"github.com/spherelab/spherelab/spherE/internal/order"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Set is the exact answer set of one query in numbers alone. The call that fills it reuses its slices, so filling the
// same Set again and again stops allocating.
type Set struct {
	Query     kg.Query
	Threshold float32   // no value exceeds it; every smaller value is in the set
	Entities  []int32   // by value, then depth, then id
	Values    []float32 // of those entities
}

// Set answers q like Answer, without names, facts and near misses, and without Options.Limit. After the first calls it
// does not allocate as long as into has room. It returns the errors of Answer.
func (r *Retriever) Set(ctx context.Context, q kg.Query, into *Set) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.checkQuery(q); err != nil {
		return err
	}
	w, b := r.measure(q)
	into.Query = q
	w.collect(into, b)
	r.rows.Put(w)
	return nil
}

// Sets answers a batch: into[i] becomes the set of queries[i], as Set returns it. Queries are compared with an entity's
// row in blocks and on Options.Threads threads, so a batch costs less than its queries one by one. When ctx ends, its
// error is returned and some sets are not filled.
func (r *Retriever) Sets(ctx context.Context, queries []kg.Query, into []Set) error {
	if len(into) != len(queries) {
		return fmt.Errorf("retrieve: %d queries need the same number of sets, got %d", len(queries), len(into))
	}
	return r.inBlocks(ctx, queries, func(w *row, i int, dist []float32) {
		into[i].Query = queries[i]
		w.collect(&into[i], r.border(w, queries[i], dist))
	})
}

// Slacks writes the slack, threshold - value, of every entity as an answer to every query into dst, row-major
// len(queries) x entities: >= 0 inside the set, NaN where the value is NaN. By sphere.CriterionMargin it is the score
// gamma - d of the training. Errors are those of Sets.
func (r *Retriever) Slacks(ctx context.Context, queries []kg.Query, dst []float32) error {
	n := r.model.Entities()
	if len(dst) != len(queries)*n {
		return fmt.Errorf("retrieve: the slacks of %d queries and %d entities are %d numbers, got room for %d",
			len(queries), n, len(queries)*n, len(dst))
	}
	return r.inBlocks(ctx, queries, func(w *row, i int, dist []float32) {
		slacks(r.border(w, queries[i], dist), w.values, dst[i*n:][:0])
	})
}

// slacks appends the slack of every entity to dst.
func slacks(b border, values, dst []float32) []float32 {
	dst = slices.Grow(dst, len(values))
	for e, v := range values {
		dst = append(dst, b.slack(v, int32(e)))
	}
	return dst
}

// inBlocks computes the distances of all queries, block by block on several threads. It calls each once per query with
// the query's distances, from several goroutines.
func (r *Retriever) inBlocks(ctx context.Context, queries []kg.Query, each func(w *row, i int, dist []float32)) error {
	for _, q := range queries {
		if err := r.checkQuery(q); err != nil {
			return err
		}
	}
	n := r.model.Entities()
	blocks := (len(queries) + queryBlock - 1) / queryBlock
	return parallel.For(ctx, r.options.Threads, blocks, func() func(int) {
		return func(block int) {
			w := r.blocks.Get().(*row)
			defer r.blocks.Put(w)
			from, to := block*queryBlock, min((block+1)*queryBlock, len(queries))
			r.distances(w, queries[from:to]...)
			for i := from; i < to; i++ {
				each(w, i, w.dist[(i-from)*n:][:n])
			}
		}
	})
}

func (r *Retriever) checkQuery(q kg.Query) error {
	if q.Side != kg.HeadSide && q.Side != kg.TailSide {
		return fmt.Errorf("retrieve: %v is not a side of a query", q.Side)
	}
	return r.check(q.Relation, q.Known)
}

// collect lists the entities of w.values that belong to the set.
func (w *row) collect(s *Set, b border) {
	s.Threshold, s.Entities, s.Values = b.threshold, s.Entities[:0], s.Values[:0]
	for _, k := range w.sort(b) {
		e := order.Entity(k)
		s.Entities, s.Values = append(s.Entities, e), append(s.Values, w.values[e])
	}
}

// sort orders the entities of w.values that belong to the set, by value, then depth, then id: the order of depths has
// that of values in it. The result is valid until the next call.
func (w *row) sort(b border) []uint64 {
	keys, by := w.keys[:0], w.order()
	for e, v := range w.values {
		if b.holds(v, int32(e)) {
			keys = append(keys, order.Key(by[e], int32(e)))
		}
	}
	w.keys = keys
	slices.Sort(keys)
	return keys
}

// smallest orders the n entities of smallest value, then depth, then id, of those that belong to a set; fewer if it has
// fewer. A NaN never belongs to it. The result is valid until the next call.
func (w *row) smallest(n int, belongs func(value float32, entity int32) bool) []uint64 {
	return w.selection.Among(w.order(), n, func(e int32) bool {
		v := w.values[e]
		return v == v && belongs(v, e)
	})
}

// entitiesOf are the ids of keys.
func entitiesOf(keys []uint64) []int32 {
	ids := make([]int32, len(keys))
	for i, k := range keys {
		ids[i] = order.Entity(k)
	}
	return ids
}
