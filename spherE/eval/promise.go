package eval

import "math"

// Promise says what threshold on the probability of new answers gives what precision or recall: new answers of a split
// taken together.
type Promise struct {
	Calibration Calibration `json:"calibration"` // of new answers, fitted on every other validation query
	Fitted      Reliability `json:"fitted"`      // on the same queries
	Measured    Reliability `json:"measured"`    // on the other ones
}

// Reliability counts entities by the probability that they are new answers: bin i has those whose odds have a logarithm
// from odds(i) up.
type Reliability struct {
	Entities []float64 `json:"entities"`
	Expected []float64 `json:"expected"` // sum of probabilities
	Right    []float64 `json:"right"`
	Brier    float64   `json:"brier"` // sum of squared errors
}

const (
	bins      = 512
	leastOdds = -13.815510557964274 // ln(1e-6): below it probabilities count as 0
	mostOdds  = 7
)

func newReliability() Reliability {
	return Reliability{Entities: make([]float64, bins), Expected: make([]float64, bins), Right: make([]float64, bins)}
}

// bin is the place of odds with this logarithm, odds that of the least ones in a bin. The first and the last bin have
// no end.
func bin(z float64) int {
	return int(math.Floor(max(0, min(bins-1, float64((z-leastOdds)*(bins/(mostOdds-leastOdds)))))))
}

func odds(bin int) float64 { return leastOdds + float64(float64(bin)*((mostOdds-leastOdds)/bins)) }

// kept is what a set from a bin up keeps.
func (r *Reliability) kept(from int) (k Kept) {
	_, _, all := r.total()
	entities, right := 0.0, 0.0
	for i := from; i < len(r.Entities); i++ {
		entities, right = entities+r.Entities[i], right+r.Right[i]
	}
	if entities > 0 {
		k.Precision = right / entities
	}
	if all > 0 {
		k.Recall = right / all
	}
	return k
}

// Kept is the precision and the recall of new answers of a cut, all queries with such answers taken together.
func (r *Records) Kept(cut string) (k Kept, ok bool) {
	for _, c := range r.Cuts {
		if c.Name != cut {
			continue
		}
		var size, hits, all int64
		for i := range c.Size {
			if r.Truth[i] > r.Known[i] {
				size, hits = size+int64(c.Size[i]-c.Known[i]), hits+int64(c.Hits[i]-c.Known[i])
				all += int64(r.Truth[i] - r.Known[i])
			}
		}
		if size > 0 {
			k.Precision = float64(hits) / float64(size)
		}
		if all > 0 {
			k.Recall = float64(hits) / float64(all)
		}
		return k, true
	}
	return k, false
}

// ECE is the expected calibration error, the mean distance between the probabilities of a bin and its share of right
// answers, by entities. Score is Brier's, the mean squared error. Both are over all entities, most of which are surely
// wrong, so both are small numbers.
func (r *Reliability) ECE() (ece, score float64) {
	entities, _, _ := r.total()
	if entities == 0 {
		return 0, 0
	}
	for i := range r.Entities {
		ece += math.Abs(r.Expected[i] - r.Right[i])
	}
	return ece / entities, r.Brier / entities
}

func (r *Reliability) add(s Sigmoid, value float32, n, right float64) {
	z := s.base - float64(s.slope*float64(value))
	p := s.At(value)
	b := bin(z)
	r.Entities[b] += n
	r.Expected[b] += float64(n * p)
	r.Right[b] += float64(n * right)
	r.Brier += float64(n * float64((p-right)*(p-right)))
}

// measure counts chosen evidence by its probabilities.
func (c *calibrating) measure(by *Calibration, chosen func(*evidence) bool) Reliability {
	r := newReliability()
	for side, logits := range [][]Logit{by.Head, by.Tail} {
		for i := range c.evidence[side] {
			e := &c.evidence[side][i]
			if !chosen(e) || e.rights(newAnswer) == 0 {
				continue
			}
			l := logits[e.relation]
			s := Sigmoid{l.Intercept + float64(l.Count*e.count) + float64(l.Crowd*e.crowd), l.Value}
			e.each(newAnswer, func(v float32, n, right float64) { r.add(s, v, n, right) })
		}
	}
	return r
}

func (r *Reliability) total() (entities, expected, right float64) {
	for i := range r.Entities {
		entities, expected, right = entities+r.Entities[i], expected+r.Expected[i], right+r.Right[i]
	}
	return entities, expected, right
}
