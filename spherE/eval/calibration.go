package eval

import (
	"math"

	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Calibration turns values of CriterionMargin into probabilities: Platt scaling (1999) by side and relation, with two
// features of the query next to the value. Calibrate fits it.
type Calibration struct {
	Head []Logit `json:"head"` // by relation, for head queries
	Tail []Logit `json:"tail"` // by relation, for tail queries
}

// Logit has the weights of the features. The weighted sum is the logarithm of the odds that an entity is a right
// answer.
type Logit struct {
	Intercept float64 `json:"intercept"`
	Value     float64 `json:"value"` // of minus the value; at least 0
	Count     float64 `json:"count"` // of ln(1 + training answers of the query)
	Crowd     float64 `json:"crowd"` // of the query's crowd, see features
}

// features is the number of features of an entity as an answer, in the order of Logit.
const features = 4

func logitOf(w []float64) Logit { return Logit{w[0], w[1], w[2], w[3]} }

// crowdPlace is the rank of the value that is a query's crowd: the tenth smallest, training answers left out. If many
// entities are close, each of them is less likely.
const crowdPlace = 10

// of returns the weights of a query.
func (c *Calibration) of(q kg.Query) Logit {
	if q.Side == kg.HeadSide {
		return c.Head[q.Relation]
	}
	return c.Tail[q.Relation]
}

// Sigmoid returns the probabilities of the entities of one query.
type Sigmoid struct{ base, slope float64 }

// of a query with this many training answers and this crowd.
func (l Logit) of(count int, crowd float32) Sigmoid {
	base := l.Intercept + float64(l.Count*exact.Log(float64(1+count)))
	return Sigmoid{base + float64(l.Crowd*float64(crowd)), l.Value}
}

// with returns the probabilities of a query's evidence.
func (l Logit) with(e *evidence) Sigmoid {
	return Sigmoid{l.Intercept + float64(l.Count*e.count) + float64(l.Crowd*e.crowd), l.Value}
}

// At returns the probability of an entity of this value, 0 if the value is not finite.
func (s Sigmoid) At(value float32) float64 {
	if value-value != 0 {
		return 0
	}
	_, p := exact.Logistic(s.base - float64(s.slope*float64(value)))
	return p
}

// reach is the greatest value at which the odds can be as large as exp(least). It may be below 0: values of dot
// products are.
func (s Sigmoid) reach(least float64) float32 {
	room := s.base - least
	if s.slope > 0 {
		return float32(max(-math.MaxFloat32, min(math.MaxFloat32, room/s.slope)))
	}
	if room < 0 {
		return -math.MaxFloat32
	}
	return math.MaxFloat32
}
