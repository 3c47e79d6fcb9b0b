package sphere

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestRelationSumKeepsBatchOrder adds numbers of very different sizes, whose sum depends on their order. One worker
// stops until the others must wait for it.
func TestRelationSumKeepsBatchOrder(t *testing.T) {
	t.Parallel()
	const workers, units, width, relations = 3, 50, simd.Lanes, 4
	r := rand.New(rand.NewPCG(1, 2))
	positives := make([]kg.Triple, units*positiveUnit-5)
	rows := make([]float32, len(positives)*width)
	for i := range positives {
		positives[i].Relation = int32(r.IntN(relations))
	}
	for i := range rows {
		rows[i] = float32(r.NormFloat64()) * float32(uint64(1)<<r.IntN(40))
	}
	add := simd.Go().Add
	want := make([]float32, relations*width)
	for i, x := range positives {
		add(want[int(x.Relation)*width:][:width], rows[i*width:][:width])
	}

	sum := newRelationSum(relations, width, width, len(positives), workers)
	for step := range 3 {
		sum.begin()
		var next, placed atomic.Int64
		full := make(chan struct{}) // the other workers have filled the ring
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for {
					unit := int(next.Add(1)) - 1
					if unit >= units {
						return
					}
					place, shared := sum.reserve(unit)
					if placed.Add(1) == int64(step+len(sum.ready)) {
						close(full)
					}
					if unit == step {
						<-full
					}
					from := unit * positiveUnit * width
					copy(place, rows[from:min(from+positiveUnit*width, len(rows))])
					copy(shared, rows[from:][:width])
					sum.add(unit, positives, add)
				}
			})
		}
		all.Wait()
		shared := make([]float32, width) // of the first positive of each unit
		for unit := range units {
			add(shared, rows[unit*positiveUnit*width:][:width])
		}
		if !slices.Equal(sum.shared, shared) {
			t.Fatalf("step %d: shared %v, in batch order %v", step, sum.shared, shared)
		}
		for i := range want {
			if sum.gradient[i] != want[i] {
				t.Fatalf("step %d: float %d is %g, in batch order %g", step, i, sum.gradient[i], want[i])
			}
		}
	}
}
