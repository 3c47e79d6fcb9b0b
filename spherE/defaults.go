package sphere

import (
	"cmp"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Numbers that are good for most graphs. Those that depend on the model are in recipeOf.
const (
	DefaultGamma    = 6.  // margin of a model of distances
	defaultEpsilon  = 2.  // of the initial range
	defaultTolerant = 0.1 // tau of variant released, alpha and beta of variant paper
	defaultN3       = 0.03

	maxAutoBatch, minAutoBatch = 512, 16
	minAutoSteps               = 4
	maxNegatives               = 32
)

// DefaultBatch returns the number of positives per step for a graph: a power of two from 16 to 512, such that an epoch
// has 4 steps or more where 16 or more positives allow it.
func DefaultBatch(g *kg.Graph) int {
	batch := maxAutoBatch
	for batch > minAutoBatch && len(g.Train)/batch < minAutoSteps {
		batch /= 2
	}
	return batch
}

// DefaultNegatives returns the number of negatives per positive for a graph: 32, or one less than the entities.
func DefaultNegatives(g *kg.Graph) int { return min(maxNegatives, g.Entities.Len()-1) }

// recipe is how a model is trained where nothing else is said.
type recipe struct {
	dimension         int
	epochs, patience  int
	temperature, rate float64
	epsilon           float64 // of Adam or Adagrad
}

// recipeOf returns the recipe of a model with a loss.
func recipeOf(model, loss string) recipe {
	r := recipe{dimension: 64, epochs: 300, patience: 5, temperature: 0.5, rate: 0.005, epsilon: 1e-8}
	switch model {
	case TransE, TransEL2, DistMult:
		r.dimension = 128
	case BoxE:
		r.dimension, r.temperature, r.rate = 128, 2, 0.001
	case HousE5D, SpherE5D:
		r.dimension = 25
	case HousE10D, SpherE10D:
		r.dimension = 12
	case HousE20D, SpherE20D:
		r.dimension = 6
	}
	if IsRegistered(model) {
		r.dimension = 128
	}
	if loss == OneVsAll {
		r.epochs, r.patience, r.rate, r.epsilon, r.temperature = 100, 2, 0.1, 1e-10, 2 // which it does not read
	}
	return r
}

// On returns the options with a value for every field that is 0 or "", as Train uses them. It changes no other field
// and checks none. Without a loss, a model whose scores are dot products gets OneVsAll with N3, and reciprocal
// relations; every other model gets SelfAdversarial.
func (o Options) On(g *kg.Graph) Options {
	s, t := &o.Settings, &o.Training
	s.Model = cmp.Or(s.Model, SpherE2D)
	if t.Loss == "" {
		t.Loss = SelfAdversarial
		if s.isProduct() && !s.isOutside() && !IsUntrained(s.Model) {
			t.Loss, s.Reciprocal = OneVsAll, true
			t.N3 = cmp.Or(t.N3, defaultN3)
		}
	}
	r := recipeOf(s.Model, t.Loss)
	s.Variant = cmp.Or(s.Variant, Clean)
	s.Dimension = cmp.Or(s.Dimension, r.dimension)
	s.Gamma = cmp.Or(s.Gamma, DefaultGamma)
	s.Epsilon = cmp.Or(s.Epsilon, defaultEpsilon)
	switch {
	case s.Variant == Released:
		s.Tau = cmp.Or(s.Tau, defaultTolerant)
	case s.Variant == Paper && s.Alpha == 0 && s.Beta == 0:
		s.Alpha, s.Beta = defaultTolerant, defaultTolerant
	}
	t.Epochs = cmp.Or(t.Epochs, r.epochs)
	t.Batch = cmp.Or(t.Batch, DefaultBatch(g))
	t.Negatives = cmp.Or(t.Negatives, DefaultNegatives(g))
	t.Sampling = cmp.Or(t.Sampling, string(kg.Bernoulli))
	t.Temperature = cmp.Or(t.Temperature, r.temperature)
	t.LearningRate = cmp.Or(t.LearningRate, r.rate)
	t.Beta1, t.Beta2 = cmp.Or(t.Beta1, 0.9), cmp.Or(t.Beta2, 0.999)
	t.AdamEpsilon = cmp.Or(t.AdamEpsilon, r.epsilon)
	o.Every = cmp.Or(o.Every, 10)
	if len(g.Valid) == 0 && o.Validate == nil {
		o.Every = -1
	}
	o.Patience = cmp.Or(o.Patience, r.patience)
	return o
}
