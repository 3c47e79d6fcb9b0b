package eval

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/order"
	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// choice finds sets by probabilities. It belongs to one worker.
//
// Let p be the probabilities of the candidates, falling, answers be independent, G the number of right candidates and H
// that of the first k. The expected F1 of the first k is E[2H / (k + G)]; no other set of k has a greater one (Lewis
// 1995). Where K known answers are in the set already, it is E[2(K + H) / (2K + k + G)]. It is computed exactly for as
// many candidates as can matter (Ye et al. 2012, section 3): with S(k, c) = E[1/(c + right candidates after the first
// k)], S(k-1, c) = p(k) S(k, c+1) + (1-p(k)) S(k, c), and the sum of P(H = h) 2(K + h) S(k, 2K + k + h) over h. If
// there are too many candidates for this, the rest count by the sum T of their probabilities: S(n, c) = 1/(c + T).
type choice struct {
	counts *simd.Counts

	keys    []uint64
	values  []float32
	p       []float64
	hits    []float64 // P(H = h) for the first k, by k(k+1)/2 + h
	inverse []float64 // S(k, 2K + j) by j
}

// maxExact bounds the candidates whose expected F1 is exact. A set of more than half of them is chosen by the quotient
// of means, 2(K + E[H]) / (2K + k + E[G]), which is a close approximation for that many answers.
const (
	leastExact = 32
	maxExact   = 256
)

// candidates lists values up to reach, smallest first, and their probabilities. Known entities are left out.
func (c *choice) candidates(s Sigmoid, values []float32, known []int32) {
	reach := s.reach(leastOdds)
	c.keys, c.values, c.p = newWithin(c.counts, c.keys[:0], values, reach, known), c.values[:0], c.p[:0]
	for _, k := range c.keys {
		v := values[order.Entity(k)]
		c.values, c.p = append(c.values, v), append(c.p, s.At(v))
	}
}

// best returns the size of the set of greatest expected F1, known answers being in it already. Entities of equal values
// are in it together. Of equally good sizes it returns the smallest.
func (c *choice) best(known int) int {
	fixed, twice, total := float64(known), float64(2*known), 0.0
	for _, p := range c.p {
		total += p
	}
	size, maximum, sum := 0, 0.0, 0.0
	if known > 0 {
		maximum = twice / (twice + total)
	}
	for k, p := range c.p {
		sum += p
		if f := 2 * (fixed + sum) / (twice + float64(k+1) + total); f > maximum && c.ends(k+1) {
			size, maximum = k+1, f
		}
	}
	if 2*size > maxExact {
		return size
	}
	n := min(len(c.p), max(2*size, leastExact))
	rest := 0.0
	for _, p := range c.p[n:] {
		rest += p
	}
	return c.exact(n, fixed, rest)
}

// ends reports whether no candidate after the first k has the value of the last of these.
func (c *choice) ends(k int) bool {
	return k == 0 || k == len(c.values) || c.values[k] != c.values[k-1]
}

// exact is best for the first n candidates. rest is the sum of the other probabilities.
func (c *choice) exact(n int, known, rest float64) int {
	c.hits = append(c.hits[:0], 1)
	for k := range n {
		last, p := c.hits[len(c.hits)-k-1:], c.p[k]
		for h := range k + 2 {
			x := 0.0
			if h <= k {
				x = float64((1 - p) * last[h])
			}
			if h > 0 {
				x += float64(p * last[h-1])
			}
			c.hits = append(c.hits, x)
		}
	}
	c.inverse = c.inverse[:0]
	twice := float64(2 * known)
	for j := range 2*n + 1 {
		x := 0.0
		if d := twice + float64(j) + rest; d > 0 {
			x = 1 / d
		}
		c.inverse = append(c.inverse, x)
	}
	size, maximum := 0, -1.0
	for k := n; ; k-- {
		hits, f := c.hits[k*(k+1)/2:][:k+1], 0.0
		for h, x := range hits {
			f += float64(float64(x*(known+float64(h))) * c.inverse[k+h])
		}
		if f >= maximum && c.ends(k) {
			size, maximum = k, f
		}
		if k == 0 {
			return size
		}
		p := c.p[k-1]
		for j := range 2*k - 1 {
			c.inverse[j] = float64(p*c.inverse[j+1]) + float64((1-p)*c.inverse[j])
		}
	}
}

// limit returns the value at which the set of the first size candidates ends.
func (c *choice) limit(size int) float32 {
	if size == 0 {
		return float32(math.Inf(-1))
	}
	return c.values[size-1]
}
