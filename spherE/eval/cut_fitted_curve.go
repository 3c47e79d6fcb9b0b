package eval

import (
	"math"
	"slices"
)

// maxCandidates bounds the thresholds that are tried per relation and side, and per side. A relation whose right
// answers have fewer distinct values is fitted exactly.
const maxCandidates = 2048

// thin sorts values, drops repeats and keeps at most maxCandidates of them, evenly spaced by rank, including the first
// and the last.
func thin(values []float32) []float32 {
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) <= maxCandidates {
		return values
	}
	few := make([]float32, maxCandidates)
	for i := range few {
		few[i] = values[i*(len(values)-1)/(maxCandidates-1)]
	}
	return few
}

// below is the greatest float32 less than x, for finite x.
func below(x float32) float32 {
	bits := math.Float32bits(x)
	switch {
	case x == 0:
		return math.Float32frombits(1<<31 | 1)
	case x > 0:
		bits--
	default:
		bits++
	}
	return math.Float32frombits(bits)
}

// candidates finds the first of ascending thresholds that is not below a value, in constant time for most values: a
// table of buckets says where the search begins.
type candidates struct {
	threshold []float32
	start     []int32 // per bucket, the first threshold in it or in a later one
	low       float32
	inverse   float32 // buckets per unit of value
}

// newCandidates takes ascending thresholds. The first one may be nothing. Buckets then begin at the second one.
func newCandidates(threshold []float32) candidates {
	buckets := 4 * len(threshold)
	low, high := threshold[0], threshold[len(threshold)-1]
	if low == nothing {
		low = threshold[min(1, len(threshold)-1)]
	}
	c := candidates{threshold: threshold, low: low, start: make([]int32, buckets+1)}
	if width := high - low; width > 0 && float32(buckets)/width <= math.MaxFloat32 {
		c.inverse = float32(buckets) / width
	}
	next := 0
	for b := range c.start {
		for next < len(threshold) && c.bucket(threshold[next]) < b {
			next++
		}
		c.start[b] = int32(next)
	}
	return c
}

// bucket never falls as v rises, so that thresholds of an earlier bucket are below v.
func (c *candidates) bucket(v float32) int {
	x := (v - c.low) * c.inverse
	if !(x > 0) {
		return 0
	}
	return int(min(x, float32(len(c.start)-1)))
}

// first is the position of the first threshold that is at least v, len(threshold) if all are below v or v is NaN.
func (c *candidates) first(v float32) int {
	last := len(c.threshold) - 1
	if !(v <= c.threshold[last]) {
		return last + 1
	}
	k := int(c.start[c.bucket(v)])
	for c.threshold[k] < v {
		k++
	}
	return k
}

// curve has, per candidate, the sums over queries of the objectives times the query's triples.
type curve [objectives][]float64

func newCurve(n int) *curve {
	var c curve
	for o := range c {
		c[o] = make([]float64, n)
	}
	return &c
}

func (c *curve) add(other *curve) {
	for o := range c {
		for k, x := range other[o] {
			c[o][k] += x
		}
	}
}

// gains has what a query's set gains at each candidate threshold.
type gains struct{ size, hits, known []int32 }

func (g *gains) reset(n int) {
	for _, column := range []*[]int32{&g.size, &g.hits, &g.known} {
		if cap(*column) < n {
			*column = make([]int32, n)
		}
		*column = (*column)[:n]
		clear(*column)
	}
}

// addQuery adds a query to the curve, at every candidate.
func (c *curve) addQuery(at *candidates, g *gains, q query, values []float32) {
	n := len(at.threshold)
	g.reset(n + 1)
	for _, v := range values {
		g.size[at.first(v)]++
	}
	for _, a := range q.truth {
		g.hits[at.first(values[a])]++
	}
	for _, a := range q.known {
		g.known[at.first(values[a])]++
	}
	w := float64(len(q.own))
	truth, known := int32(len(q.truth)), int32(len(q.known))
	var size, hits, found int32 // found: of the known answers
	for k := range n {
		size, hits, found = size+g.size[k], hits+g.hits[k], found+g.known[k]
		c[plain][k] += float64(w * f1(hits, size, truth))
		if truth > known {
			c[novel][k] += float64(w * f1(hits-found, size-found, truth-known))
		}
		c[union][k] += float64(w * f1(hits-found+known, size-found+known, truth))
	}
}

// best returns the threshold with the greatest sum among those at the given ascending positions, the smallest of
// equally good ones.
func best(threshold []float32, sum []float64, positions []int32) float32 {
	at := positions[0]
	for _, k := range positions[1:] {
		if sum[k] > sum[at] {
			at = k
		}
	}
	return threshold[at]
}
