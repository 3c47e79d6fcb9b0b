package sphere

import (
	"sync/atomic"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/table"
	"github.com/spherelab/spherelab/spherE/kg"
)

// batch is what the first sweep of a step leaves for the second. For positive i of B, with N negatives:
//
//	positive[i], negative[i*N+j]
//	rows            four points: q = r(head), p = r^-1(tail), gradient of the head through q, of the tail through p
//	weight[i*(N+1)] coefficient of the positive, then of its negatives; 0 where the hinge is closed
//	pull            the same before distance.coefficient: dL/d(dist); the same slice where that changes nothing
//	headRadius, tailRadius  gradient of rho of head and tail, without the negatives' own radii
//	loss            of the positive and its negatives
type batch struct {
	negatives, point int

	positive     []kg.Triple
	negative     []kg.Negative
	rows         []float32
	weight, pull []float32
	headRadius   []float32
	tailRadius   []float32
	loss         []float64

	side      kg.Side // on which positives are answers
	relations *relationSum
	order     order
	next      atomic.Int64 // next unit of work of the running sweep

	positiveWeight float64   // of each positive in the loss, 1/(2 B)
	share          []float64 // the same where positives have weights of their own; otherwise nil
	size           []float64 // with a regularizer: the sum of the norms of each unit of entities
}

// Rows of a positive in batch.rows.
const (
	rowQ = iota
	rowP
	rowHead
	rowTail
	rowsPerPositive
)

func newBatch(m *Model, t Training, workers int) batch {
	b, n := t.Batch, t.Negatives
	pull := make([]float32, b*(n+1))
	weight := pull
	if m.distance.isWhole {
		weight = make([]float32, b*(n+1))
	}
	var share, size []float64
	if t.Subsample {
		share = make([]float64, b)
	}
	if t.Regularizer > 0 {
		size = make([]float64, (m.entities+entityUnit-1)/entityUnit)
	}
	return batch{
		negatives: n, point: m.point, share: share, size: size,
		positive: make([]kg.Triple, b), negative: make([]kg.Negative, b*n),
		rows:   table.Make(b*rowsPerPositive*m.point, 3),
		weight: weight, pull: pull,
		headRadius: make([]float32, b), tailRadius: make([]float32, b),
		loss:           make([]float64, b),
		relations:      newRelationSum(m.relations, m.rotation.width()*m.blocks, len(m.shared), b, workers),
		order:          newOrder(m, t, workers),
		positiveWeight: 1 / float64(2*b),
	}
}

// row returns one of the rows of positive i. A row has the length of a point; gradients of entities fill its beginning.
func (b *batch) row(i, which int) []float32 {
	return b.rows[(i*rowsPerPositive+which)*b.point:][:b.point:b.point]
}

// weightOf returns the weight of positive i in the loss.
func (b *batch) weightOf(i int) float64 {
	if b.share == nil {
		return b.positiveWeight
	}
	return b.share[i]
}

// mean returns the mean loss of the batch, summed in batch order.
func (b *batch) mean() float64 {
	sum := 0.0
	if b.share != nil {
		for i, l := range b.loss {
			sum += float64(l * b.share[i])
		}
		return sum
	}
	for _, l := range b.loss {
		sum += l
	}
	return float64(sum * b.positiveWeight)
}

// scratch is the memory of one worker, small enough for its first-level cache.
type scratch struct {
	gradQ, gradP []float32 // points
	candidate    []int32   // entities of a unit of positives: N+1 each, those compared with q first
	slot         []int32   // of each: 0 is the positive, 1+j its negative j
	drawn        int       // number of positives in the unit
	relation     []float32 // the unit's slot in relationSum; not memory of the worker
	shared       []float32 // the same for the gradient of shared parameters
	countQ       []int32   // per positive of the unit, the number of candidates compared with q
	keeps        bool      // whether length holds the blocks of all candidates of a positive, or of one at a time
	spreads      bool      // whether GatherPush prefetches rows of the next positive
	length       []float32
	pull         []uint64  // candidates and weights where lengths are not kept; at most 2(N+1)
	norm, push   []float32 // N+1: distance and weight of a positive's candidates, in candidate order
	gradient     []float32 // row of an entity
	origin       []float32 // a row of zeros
	radius       []float32 // gradients of the raw radii of one unit of work
	distance     []float32 // N+1
	score        []float64 // N+1: -s of the positive, s' of the negatives
	softplus     []float64
	sigmoid      []float64
	attention    []float64 // N: p_j of self-adversarial sampling
}

// keptLengthBytes bounds the size of a positive's candidate rows plus the lengths of their blocks. It is half of a
// common second-level cache. Above it only the rows fit into the cache, and computing the lengths again is cheaper.
const keptLengthBytes = 512 << 10

func newScratch(m *Model, t Training) scratch {
	// Capacities are whole lines, of which kernels compute several numbers side by side.
	reals := func(n int) []float64 { return make([]float64, n, simd.Padded(n)) }
	n := t.Negatives
	keeps := 4*(n+1)*(m.stride+m.blocks) <= keptLengthBytes
	length := m.blocks
	if keeps {
		length *= n + 1
	}
	return scratch{
		gradQ: make([]float32, m.point), gradP: make([]float32, m.point),
		candidate: make([]int32, positiveUnit*(n+1)+1), slot: make([]int32, positiveUnit*(n+1)+1),
		countQ: make([]int32, positiveUnit), keeps: keeps, length: make([]float32, length),
		spreads: keeps && m.distance.norm.Prefetches && m.distance.normQ.Prefetches,
		pull:    make([]uint64, 2*(n+1)),
		norm:    make([]float32, n+1), push: make([]float32, n+1),
		gradient: make([]float32, m.stride), origin: make([]float32, m.stride),
		radius: make([]float32, entityUnit), distance: make([]float32, n+1),
		score: reals(n + 1), softplus: reals(n + 1), sigmoid: reals(n + 1), attention: reals(n),
	}
}

const (
	positiveUnit = 16             // positives per unit of work
	entityUnit   = 4 * simd.Lanes // entities; whole vectors of radii
	relationUnit = 1
)

// take returns the next unit of work of size unit below n, or false when there is none.
func (b *batch) take(unit, n int) (from, to int, ok bool) {
	from = int(b.next.Add(int64(unit))) - unit
	return from, min(from+unit, n), from < n
}
