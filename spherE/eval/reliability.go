package eval

import (
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Reliability counts entities by the probability that they are new answers: bin i has those whose odds have a logarithm
// from odds(i) up.
type Reliability struct {
	Entities []float64 `json:"entities"`
	Expected []float64 `json:"expected"` // sum of probabilities
	Right    []float64 `json:"right"`
	Squares  []float64 `json:"squares"` // sum of squared errors
}

// ReliabilityBySide is that of head queries and that of tail queries.
type ReliabilityBySide struct {
	Head Reliability `json:"head"`
	Tail Reliability `json:"tail"`
}

const (
	bins      = 512
	leastOdds = -13.815510557964274 // ln(1e-6): below it probabilities count as 0
	maxOdds   = 7
)

func newReliability() Reliability {
	sums := make([]float64, 4*bins)
	column := func(i int) []float64 { return sums[i*bins : (i+1)*bins : (i+1)*bins] }
	return Reliability{column(0), column(1), column(2), column(3)}
}

func newReliabilityBySide() ReliabilityBySide {
	return ReliabilityBySide{newReliability(), newReliability()}
}

// isWhole reports whether it has all bins.
func (r *Reliability) isWhole() bool {
	return len(r.Entities) == bins && len(r.Expected) == bins && len(r.Right) == bins && len(r.Squares) == bins
}

func (r *ReliabilityBySide) isWhole() bool { return r.Head.isWhole() && r.Tail.isWhole() }

// Side returns the reliability of the queries of one side.
func (r *ReliabilityBySide) Side(s kg.Side) *Reliability {
	if s == kg.HeadSide {
		return &r.Head
	}
	return &r.Tail
}

// Both returns the reliability of the queries of both sides taken together.
func (r *ReliabilityBySide) Both() Reliability {
	sum := newReliability()
	for i := range bins {
		sum.put(i, r.Head.at(i))
		sum.put(i, r.Tail.at(i))
	}
	return sum
}

// binned are the sums of one bin.
type binned struct{ entities, expected, right, squares float64 }

func (r *Reliability) at(bin int) binned {
	return binned{r.Entities[bin], r.Expected[bin], r.Right[bin], r.Squares[bin]}
}

// put adds n entities to a bin.
func (r *Reliability) put(bin int, b binned) {
	r.Entities[bin] += b.entities
	r.Expected[bin] += b.expected
	r.Right[bin] += b.right
	r.Squares[bin] += b.squares
}

// bin is the place of odds with this logarithm, odds that of the least ones in a bin. The first and the last bin have
// no end.
func bin(z float64) int {
	return int(math.Floor(max(0, min(bins-1, float64((z-leastOdds)*(bins/(maxOdds-leastOdds)))))))
}

func odds(bin int) float64 { return leastOdds + float64(float64(bin)*((maxOdds-leastOdds)/bins)) }

// add counts n entities of one value.
func (r *Reliability) add(s Sigmoid, value float32, n, right float64) {
	z, p := s.base-float64(s.slope*float64(value)), 0.0
	if z >= leastOdds {
		p = s.At(value)
	}
	r.put(bin(z), binned{n, float64(n * p), float64(n * right), float64(n * float64((p-right)*(p-right)))})
}

// kept is what a set of the entities from a bin up keeps.
func (r *Reliability) kept(from int) (k Kept) {
	all := r.sum(0, bins).right
	set := r.sum(from, bins)
	if set.entities > 0 {
		k.Precision = set.right / set.entities
	}
	if all > 0 {
		k.Recall = set.right / all
	}
	return k
}

// sum adds up the bins [lo, hi).
func (r *Reliability) sum(lo, hi int) (b binned) {
	for i := lo; i < hi; i++ {
		x := r.at(i)
		b = binned{b.entities + x.entities, b.expected + x.expected, b.right + x.right, b.squares + x.squares}
	}
	return b
}

// bandEdges are about where bands begin, after the first band, which begins at 0. A band begins with the bin that holds
// its edge.
var bandEdges = [...]float64{.01, .02, .05, .1, .2, .3, .4, .5, .6, .7, .8, .9}

// Band has the entities of a range of probabilities.
type Band struct {
	From     float64 `json:"from"` // probability
	To       float64 `json:"to"`
	Entities float64 `json:"entities"`
	Mean     float64 `json:"mean"`  // of their probabilities; 0 without entities
	Share    float64 `json:"share"` // that is right; 0 without entities

	// Low and High are a 95 % interval of the share (Wilson 1927), as if entities were drawn independently.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Bands returns the entities by probability. The first band, below .01, holds nearly all.
func (r *Reliability) Bands() []Band {
	list := make([]Band, 0, len(bandEdges)+1)
	from, lo := 0.0, 0
	for i := range len(bandEdges) + 1 {
		to, hi := 1.0, bins
		if i < len(bandEdges) {
			hi = edge(i)
			to = Sigmoid{base: odds(hi)}.At(0)
		}
		list = append(list, r.sum(lo, hi).band(from, to))
		from, lo = to, hi
	}
	return list
}

// edge is the bin at which band i+1 begins.
func edge(i int) int { return bin(exact.Log(bandEdges[i]) - exact.Log(1-bandEdges[i])) }

func (b binned) band(from, to float64) Band {
	out := Band{From: from, To: to, Entities: b.entities}
	if n := b.entities; n > 0 {
		out.Mean, out.Share = b.expected/n, b.right/n
		out.Low, out.High = wilson(out.Share, n)
	}
	return out
}

// wilson is the 95 % interval of a share of n.
func wilson(share, n float64) (low, high float64) {
	const z = 1.959963984540054
	square := z * z / n
	whole := 1 + square
	center := (share + float64(square/2)) / whole
	half := float64(z*math.Sqrt(float64(share*(1-share))/n+float64(square/n/4))) / whole
	return max(0, center-half), min(1, center+half)
}

// ECE is the expected calibration error over the entities of probability .01 and more: the mean distance between the
// mean probability of a band and its share of right answers, by entities. Score is the Brier score over the same
// entities, the mean squared error. The other entities are left out because they are nearly all entities: with them
// both numbers are almost 0 for any model. Both are 0 if there are no such entities.
func (r *Reliability) ECE() (ece, score float64) {
	all := r.sum(edge(0), bins)
	if all.entities == 0 {
		return 0, 0
	}
	for i := range bandEdges {
		hi := bins
		if i+1 < len(bandEdges) {
			hi = edge(i + 1)
		}
		b := r.sum(edge(i), hi)
		ece += math.Abs(b.expected - b.right)
	}
	return ece / all.entities, all.squares / all.entities
}

// probabilityNames are the names of the metrics of probabilities, without the side.
var probabilityNames = [...]string{"ece", "brier"}

// OfProbabilities reports whether a metric is ECE or Brier score of a side.
func OfProbabilities(metric string) bool {
	for _, prefix := range sidePrefix {
		if of, found := strings.CutPrefix(metric, prefix); found {
			return slices.Contains(probabilityNames[:], of)
		}
	}
	return false
}

// metrics calls add with ECE and Brier score of each side.
func (r *ReliabilityBySide) metrics(add func(metric string, value float64)) {
	for i, side := range []*Reliability{&r.Head, &r.Tail} {
		ece, score := side.ECE()
		add(sidePrefix[i]+probabilityNames[0], ece)
		add(sidePrefix[i]+probabilityNames[1], score)
	}
}

// LoggedMetrics returns ECE and Brier score of new answers per side, as a run logs them: "valid/head_ece". They are
// measured on the half of the validation queries that the promise was not fitted on.
func (c *Calibrated) LoggedMetrics() map[string]float64 {
	m := map[string]float64{}
	c.Promise.Measured.metrics(func(metric string, value float64) {
		m[Key{Split: kg.Valid.String(), Metric: metric}.String()] = value
	})
	return m
}

// judge counts the entities of queries by their probability. It belongs to one worker.
type judge struct {
	probability func(q kg.Query, values []float32) Sigmoid
	sums        Reliability // of the query
}

// judged are the sums of a query by bin.
type judged struct {
	side kg.Side
	bins []int32
	sums []binned
}

// of judges a query by the values of all entities. Known answers do not count, nor do queries without new ones. Sums
// are per query, so that they can be added in the order of queries.
func (j *judge) of(q query, values []float32) judged {
	out := judged{side: q.Side}
	if len(q.truth) == len(q.known) {
		return out
	}
	s, known, truth := j.probability(q.Query, values), q.known, q.truth
	for e, v := range values {
		isKnown, isTrue := next(&known, int32(e)), next(&truth, int32(e))
		if isKnown || v-v != 0 {
			continue
		}
		right := 0.0
		if isTrue {
			right = 1
		}
		j.sums.add(s, v, 1, right)
	}
	for b := range bins {
		if sum := j.sums.at(b); sum.entities > 0 {
			out.bins, out.sums = append(out.bins, int32(b)), append(out.sums, sum)
			j.sums.Entities[b], j.sums.Expected[b], j.sums.Right[b], j.sums.Squares[b] = 0, 0, 0, 0
		}
	}
	return out
}

// next removes e from an ascending list and reports whether it was there. Calls must be in ascending order.
func next(list *[]int32, e int32) bool {
	if len(*list) > 0 && (*list)[0] == e {
		*list = (*list)[1:]
		return true
	}
	return false
}

func (r *ReliabilityBySide) merge(list []judged) {
	for _, q := range list {
		side := r.Side(q.side)
		for i, b := range q.bins {
			side.put(int(b), q.sums[i])
		}
	}
}
