package retrieve

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Set is the exact answer set of one query in numbers alone. Its slices are reused by the call that fills it, so a
// Set that is filled again and again stops allocating.
type Set struct {
	Query    kg.Query
	Cut      float32   // an entity is in the set if and only if its value <= Cut
	Entities []int32   // by value, then id
	Values   []float32 // of those entities
}

// Set answers q like Answer, without names, facts and near misses, and without Options.Limit. After the first calls it
// does not allocate as long as into has room. The error is ctx's, or says that q has ids that the graph does not have.
func (r *Retriever) Set(ctx context.Context, q kg.Query, into *Set) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.checkQuery(q); err != nil {
		return err
	}
	w, cut := r.measure(q)
	into.Query, into.Cut = q, cut
	w.collect(into)
	r.rows.Put(w)
	return nil
}

// Sets answers a batch: into[i] becomes the set of queries[i], the same as Set gives. Queries are compared with an
// entity's row in blocks and on Options.Threads threads, so a batch costs less than its queries one by one. When ctx
// ends, its error is returned and some sets are not filled.
func (r *Retriever) Sets(ctx context.Context, queries []kg.Query, into []Set) error {
	if len(into) != len(queries) {
		return fmt.Errorf("retrieve: %d queries need as many sets, got %d", len(queries), len(into))
	}
	return r.inBlocks(ctx, queries, func(w *row, i int, dist []float32) {
		s := &into[i]
		s.Query, s.Cut = queries[i], r.cut(queries[i], dist, w.values)
		w.collect(s)
	})
}

// Scores writes the score s = gamma - d of every entity as an answer to every query into dst, row-major
// len(queries) x entities; d is that of training and of sphere.CriterionMargin, and larger is better. Errors are
// those of Sets.
func (r *Retriever) Scores(ctx context.Context, queries []kg.Query, dst []float32) error {
	n := r.model.Entities()
	if len(dst) != len(queries)*n {
		return fmt.Errorf("retrieve: the scores of %d queries and %d entities are %d numbers, got room for %d",
			len(queries), n, len(queries)*n, len(dst))
	}
	gamma := float32(r.model.Settings().Gamma)
	return r.inBlocks(ctx, queries, func(_ *row, i int, dist []float32) {
		scores := dst[i*n:][:n]
		r.model.Values(sphere.CriterionMargin, queries[i], dist, scores)
		for e, d := range scores {
			scores[e] = gamma - d
		}
	})
}

// inBlocks computes the distances of all queries, block by block on several threads, and hands each query's row to
// each, which is called once per query and from several goroutines.
func (r *Retriever) inBlocks(ctx context.Context, queries []kg.Query, each func(w *row, i int, dist []float32)) error {
	for _, q := range queries {
		if err := r.checkQuery(q); err != nil {
			return err
		}
	}
	n := r.model.Entities()
	blocks := (len(queries) + queryBlock - 1) / queryBlock
	var next atomic.Int64
	work := func() {
		w := r.blocks.Get().(*row)
		defer r.blocks.Put(w)
		for ctx.Err() == nil {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			from, to := b*queryBlock, min((b+1)*queryBlock, len(queries))
			r.distances(w, queries[from:to]...)
			for i := from; i < to; i++ {
				each(w, i, w.dist[(i-from)*n:][:n])
			}
		}
	}
	threads := r.options.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var group sync.WaitGroup
	for range min(threads, blocks) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return ctx.Err()
}

func (r *Retriever) checkQuery(q kg.Query) error {
	if q.Side != kg.HeadSide && q.Side != kg.TailSide {
		return fmt.Errorf("retrieve: %v is no side of a query", q.Side)
	}
	return r.check(q.Relation, q.Known)
}

// collect lists the entities of w.values that belong to the set. Value and id are packed into one number per entity,
// so that sorting compares integers.
func (w *row) collect(s *Set) {
	keys := w.keys[:0]
	for e, v := range w.values {
		if v <= s.Cut {
			b := math.Float32bits(v + 0) // -0 is tied with 0
			if b>>31 != 0 {
				b = ^b
			} else {
				b |= 1 << 31
			}
			keys = append(keys, uint64(b)<<32|uint64(uint32(e)))
		}
	}
	w.keys = keys
	slices.Sort(keys)
	s.Entities, s.Values = s.Entities[:0], s.Values[:0]
	for _, k := range keys {
		e := int32(uint32(k))
		s.Entities, s.Values = append(s.Entities, e), append(s.Values, w.values[e])
	}
}
