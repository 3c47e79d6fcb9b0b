package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// tpe draws near the good points and away from the bad ones: the tree-structured Parzen estimator of Bergstra et al.
// (NeurIPS 2011), with each dimension on its own. The trials are divided by score; each part gives a density, and of
// some candidates drawn by the good one, that with the greatest ratio of good to bad is taken.
type tpe struct {
	space Space
	seed  uint64
	first drawer // of the points before there is something to learn from
	start int
}

const (
	tpeGood       = .25 // share of the trials that count as good
	tpeCandidates = 32
	tpeExplores   = 5 // every fifth point is drawn evenly, so that no early luck decides
)

func newTPE(s Space, seed uint64) *tpe {
	t := &tpe{space: s, seed: seed, first: random{len(s), seed}, start: max(8, 3*len(s))}
	if len(s) <= sobolDimensions {
		t.first = newSobol(len(s), seed)
	}
	return t
}

// Draw implements drawer.
func (t *tpe) Draw(i int, seen []seenPoint) []float64 {
	if len(seen) < t.start || i%tpeExplores == 0 {
		return t.first.Draw(i, nil)
	}
	sorted := slices.Clone(seen)
	slices.SortStableFunc(sorted, func(a, b seenPoint) int { return cmp.Compare(b.Score, a.Score) })
	n := max(2, int(math.Ceil(tpeGood*float64(len(sorted)))))
	source := stream(t.seed, i)
	u := make([]float64, len(t.space))
	for k, d := range t.space {
		good, bad := newDensity(d.count(), column(sorted[:n], k)), newDensity(d.count(), column(sorted[n:], k))
		best := math.Inf(-1)
		for range tpeCandidates {
			x := good.draw(source)
			if ratio := math.Log(good.at(x)) - math.Log(bad.at(x)); ratio > best {
				best, u[k] = ratio, x
			}
		}
	}
	return u
}

func column(trials []seenPoint, k int) []float64 {
	list := make([]float64, len(trials))
	for i, t := range trials {
		list[i] = t.U[k]
	}
	return list
}

// density is a density on [0, 1): of a discrete dimension the counts of its values, of a range normal kernels around
// the points, cut off at the ends. Both include an even part of the weight of one point, so nothing is impossible.
type density struct {
	count   []float64 // nil for a range
	points  []float64
	width   []float64 // of each point's kernel
	measure []float64 // of each kernel inside [0, 1)
}

// fewValues is the largest number of values of a dimension whose values are counted; more are a range.
const fewValues = 16

func newDensity(values int, points []float64) *density {
	if values > 0 && values <= fewValues {
		count := make([]float64, values)
		for i := range count {
			count[i] = 1 / float64(values)
		}
		for _, x := range points {
			count[min(int(x*float64(values)), values-1)]++
		}
		return &density{count: count, points: points}
	}
	d := &density{points: slices.Sorted(slices.Values(points))}
	for i, x := range d.points {
		left, right := x, 1-x
		if i > 0 {
			left = x - d.points[i-1]
		}
		if i+1 < len(d.points) {
			right = d.points[i+1] - x
		}
		width := min(max(left, right), .5)
		width = max(width, 1/min(100, 1+float64(len(d.points))))
		d.width = append(d.width, width)
		d.measure = append(d.measure, normal((1-x)/width)-normal(-x/width))
	}
	return d
}

// normal is the standard normal distribution function.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func (d *density) at(x float64) float64 {
	total := float64(len(d.points)) + 1
	if d.count != nil {
		n := len(d.count)
		return d.count[min(int(x*float64(n)), n-1)] * float64(n) / total
	}
	sum := 1.0
	for i, center := range d.points {
		z := (x - center) / d.width[i]
		sum += math.Exp(-z*z/2) / (math.Sqrt(2*math.Pi) * d.width[i] * d.measure[i])
	}
	return sum / total
}

func (d *density) draw(source *rand.Rand) float64 {
	if d.count != nil {
		left := source.Float64() * (float64(len(d.points)) + 1)
		i := 0
		for ; i < len(d.count)-1 && left >= d.count[i]; i++ {
			left -= d.count[i]
		}
		return (float64(i) + .5) / float64(len(d.count))
	}
	i := source.IntN(len(d.points) + 1)
	if i == len(d.points) {
		return source.Float64()
	}
	for {
		if x := d.points[i] + d.width[i]*source.NormFloat64(); x >= 0 && x < 1 {
			return x
		}
	}
}
