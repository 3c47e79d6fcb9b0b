package sphere

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Variants of models. registry.go has the models.
const (
	// Released has the formulas of the authors' code, which reproduces the paper's tables.
	Released = "released"
	// Paper has the formulas of the paper's equations.
	Paper = "paper"
	// Clean is spherelab's own: the released distance without the tolerance term. Then a head query and a tail query
	// agree about a triple, up to rounding.
	Clean = "clean"
)

// Variants lists all variants.
func Variants() []string { return []string{Released, Paper, Clean} }

// Settings define a model. Every field has a range, see Validate. Tau, Alpha and Beta may also be 0 if the variant does
// not use them.
type Settings struct {
	Model     string  // one of Models
	Variant   string  // Released, Paper or Clean, if the model has it
	Dimension int     // D, blocks per entity
	Gamma     float64 // margin, in units of distance
	Epsilon   float64 // widens the initial range, which is proportional to (Gamma+Epsilon)/D
	Tau       float64 // Released: weight of the tolerance term tau*rho_c
	Alpha     float64 // Paper: widens the head's radius for head queries
	Beta      float64 // Paper: widens the tail's radius for tail queries
	// Reciprocal adds to head queries relation parameters of their own. Only for models whose scores are dot products.
	Reciprocal bool `json:",omitempty"`
}

// withoutUnused sets the factors that the variant does not use to 0, so that equal models have equal settings.
func (s Settings) withoutUnused() Settings {
	if s.Variant != Released {
		s.Tau = 0
	}
	if s.Variant != Paper {
		s.Alpha, s.Beta = 0, 0
	}
	return s
}

// SettingError is the error for a setting that is out of range. Its text is "KEY MESSAGE, not VALUE".
type SettingError struct {
	Key     string   // the configuration key, for example "dimension" or "Training.Batch"
	Value   any      // what it is: an int, a float64 or a string
	Message string   // what it must be, after Key: "must be a number from 1 to 65536"
	Allowed []string // all valid values of a setting that has a list of them, nil otherwise
	Other   string   // the Key of another setting that it conflicts with; "" if the value is wrong by itself
}

func (e *SettingError) Error() string {
	if text, ok := e.Value.(string); ok {
		return fmt.Sprintf("%s %s, not %q", e.Key, e.Message, text)
	}
	return fmt.Sprintf("%s %s, not %v", e.Key, e.Message, e.Value)
}

func settingError(key string, value any, format string, args ...any) *SettingError {
	return &SettingError{Key: key, Value: value, Message: fmt.Sprintf(format, args...)}
}

// misfit returns the error of a setting that conflicts with another one.
func misfit(key, other string, value any, format string, args ...any) *SettingError {
	err := settingError(key, value, format, args...)
	err.Other = other
	return err
}

const (
	// maxDimension keeps an entity row (3 planes of float32) below 1 MB, so that one fits in the second-level cache.
	maxDimension = 1 << 16
	// maxCount bounds epochs, steps and negatives, so that no product of two of them overflows.
	maxCount = 1 << 30
	// maxThreads is more than any machine has; each thread has memory of its own.
	maxThreads = 4096
	// maxBatch is the max number of positives whose points one call of simd.OwnPush can address.
	maxBatch = simd.MaxPoints / rowsPerPositive
	// maxFloats bounds one tensor, so that a 32-bit id times the length of a row does not overflow.
	maxFloats = 1 << 36
)

// Validate returns a *SettingError for the first field that is out of range. It is the only place that knows the
// ranges.
func (s Settings) Validate() error {
	if err := cmp.Or(
		oneOf("Settings.Model", s.Model, Models()...),
		oneOf("Settings.Variant", s.Variant, Variants()...),
		within("Settings.Dimension", s.Dimension, 1, maxDimension),
		within("Settings.Gamma", s.Gamma, 1e-6, 1e6),
		within("Settings.Epsilon", s.Epsilon, 1e-6, 1e6),
		within("Settings.Tau", s.Tau, 0, 1e6),
		within("Settings.Alpha", s.Alpha, 0, 1e6),
		within("Settings.Beta", s.Beta, 0, 1e6),
	); err != nil {
		return err
	}
	if k, _ := kindOf(s.Model); !slices.Contains(k.variants, s.Variant) {
		err := misfit("Settings.Variant", "Settings.Model", s.Variant, "must be %s for model %s",
			strings.Join(k.variants, " or "), s.Model)
		err.Allowed = k.variants
		return err
	}
	if s.Reciprocal && (!s.isProduct() || s.isOutside() || IsUntrained(s.Model)) {
		return misfit("Settings.Reciprocal", "Settings.Model", s.Reciprocal, "must be false for model %s", s.Model)
	}
	// A variant without its tolerance would be another model under the same name.
	switch {
	case s.Variant == Released && s.Tau == 0:
		return misfit("Settings.Tau", "Settings.Variant", s.Tau,
			"must be greater than 0 for variant released (variant clean has no tolerance)")
	case s.Variant == Paper && s.Alpha == 0 && s.Beta == 0:
		return misfit("Settings.Alpha", "Settings.Variant", s.Alpha, "must be greater than 0 for variant paper, unless beta is")
	}
	return nil
}

func oneOf(key, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	err := settingError(key, value, "must be one of %s", strings.Join(allowed, ", "))
	err.Allowed = allowed
	return err
}

// within refuses NaN too.
func within[T int | float64](key string, value, least, maximum T) error {
	if value >= least && value <= maximum {
		return nil
	}
	return settingError(key, value, "must be a number from %v to %v", least, maximum)
}

// The losses of trainings.
const (
	// SelfAdversarial compares a positive with some negatives, weighted by their scores.
	SelfAdversarial = "self-adversarial"
	// OneVsAll compares the answers of a query with all entities (Lacroix et al., ICML 2018).
	OneVsAll = "one-vs-all"
)

// Losses lists all losses.
func Losses() []string { return []string{SelfAdversarial, OneVsAll} }

// Training is how a model is trained. Every field has a range, see Validate. Steps and Threads may be 0.
type Training struct {
	Epochs    int // passes over the training set; may be raised when a run is resumed
	Steps     int // optimiser steps per epoch; 0: as many as fit in the training set, or its queries, once, at least 1
	Batch     int // positives per step, drawn with replacement; with OneVsAll distinct queries per step
	Negatives int // negatives per positive, fewer than there are entities

	Loss string  `json:",omitempty"` // one of Losses; "" is SelfAdversarial
	N3   float64 `json:",omitempty"` // OneVsAll: weight of the cubed lengths of blocks

	// RelationWeight is the weight of a second loss with OneVsAll and DistMult or ComplEx: that of predicting a fact's
	// relation from its entities (Chen et al., AKBC 2021).
	RelationWeight float64 `json:",omitempty"`

	Sampling string // "bernoulli", "uniform" or "alternate", see kg.Sampling
	// TypedNegatives is the share of negatives from the entities on the relation's own side, see kg.Sampler.Typed.
	TypedNegatives float64 `json:",omitempty"`

	Subsample    bool    // weight positives, and their negatives, by how rare their queries are; see kg.Sampler.Weight
	Temperature  float64 // T of self-adversarial negative sampling
	LearningRate float64
	WarmUp       int     // steps after which the rate drops to a tenth and Adam restarts, then at 2x, 4x; 0: never
	Regularizer  float64 // weight in the loss of the mean 2-norm of entities
	Beta1, Beta2 float64 // Adam
	AdamEpsilon  float64 // also that of Adagrad, which OneVsAll uses instead
	Seed         uint64
	Threads      int    // 0: all processors; never changes a bit of the result
	SIMD         string // path of the kernels, "" for the fastest; never changes a bit of the result
}

// Validate returns a *SettingError for the first field that is out of range on every graph. Together with On it is the
// only place that knows the ranges.
func (t Training) Validate() error {
	const nearlyOne = 1 - 1e-7 // must stay below 1 as a float32
	err := cmp.Or(
		within("Training.Epochs", t.Epochs, 1, maxCount),
		within("Training.Steps", t.Steps, 0, maxCount),
		within("Training.Batch", t.Batch, 1, maxBatch),
		within("Training.Negatives", t.Negatives, 1, maxCount),
		oneOf("Training.Loss", cmp.Or(t.Loss, SelfAdversarial), Losses()...),
		within("Training.N3", t.N3, 0, 1e6),
		within("Training.RelationWeight", t.RelationWeight, 0, 1e6),
		oneOf("Training.Sampling", t.Sampling, kg.Samplings()...),
		within("Training.TypedNegatives", t.TypedNegatives, 0, 1),
		within("Training.Temperature", t.Temperature, 1e-9, 1e6),
		within("Training.LearningRate", t.LearningRate, 1e-12, 1e3),
		within("Training.WarmUp", t.WarmUp, 0, maxCount),
		within("Training.Regularizer", t.Regularizer, 0, 1e6),
		within("Training.Beta1", t.Beta1, 1e-9, nearlyOne),
		within("Training.Beta2", t.Beta2, 1e-9, nearlyOne),
		within("Training.AdamEpsilon", t.AdamEpsilon, 1e-30, 1),
		within("Training.Threads", t.Threads, 0, maxThreads),
	)
	if err != nil {
		return err
	}
	if err := t.fitsLoss(); err != nil {
		return err
	}
	if maximum := math.MaxInt32 / (t.Negatives + 3); t.Batch > maximum && t.Loss != OneVsAll { // the pulls of a step
		return misfit("Training.Batch", "Training.Negatives", t.Batch, "must be at most %d with %d negatives", maximum,
			t.Negatives)
	}
	return nil
}

// fitsLoss refuses settings that the loss does not use, unless they are switched off.
func (t Training) fitsLoss() error {
	if t.Loss != OneVsAll {
		if t.N3 > 0 {
			return misfit("Training.N3", "Training.Loss", t.N3, "must be 0 unless the loss is %s", OneVsAll)
		}
		if t.RelationWeight > 0 {
			return misfit("Training.RelationWeight", "Training.Loss", t.RelationWeight,
				"must be 0 unless the loss is %s", OneVsAll)
		}
		return nil
	}
	const message = "must be %v with loss " + OneVsAll
	switch {
	case t.Regularizer > 0:
		return misfit("Training.Regularizer", "Training.Loss", t.Regularizer, message, 0)
	case t.WarmUp > 0:
		return misfit("Training.WarmUp", "Training.Loss", t.WarmUp, message, 0)
	case t.TypedNegatives > 0:
		return misfit("Training.TypedNegatives", "Training.Loss", t.TypedNegatives, message, 0)
	case t.Subsample:
		return misfit("Training.Subsample", "Training.Loss", t.Subsample, message, false)
	}
	return nil
}

// FitsModel returns a *SettingError for a setting that models with these settings cannot be trained by.
func (t Training) FitsModel(s Settings) error {
	if t.RelationWeight > 0 && (!s.isProduct() || s.Model == RESCAL) {
		return misfit("Training.RelationWeight", "Settings.Model", t.RelationWeight, "must be 0 with model %s", s.Model)
	}
	return nil
}

// On returns the training with the fields filled in that depend on the graph: Steps, and Loss if it is "". It returns
// the errors of Validate, and a *SettingError if there are more negatives than entities to replace one by.
func (t Training) On(g *kg.Graph) (Training, error) {
	if err := t.Validate(); err != nil {
		return t, err
	}
	t.Loss = cmp.Or(t.Loss, SelfAdversarial)
	if n := g.Entities.Len(); t.Negatives >= n && t.Loss != OneVsAll {
		return t, settingError("Training.Negatives", t.Negatives, "must be less than the %d entities of graph %s", n,
			g.Name)
	}
	if t.Steps == 0 {
		items := len(g.Train)
		if t.Loss == OneVsAll {
			items = g.Index(kg.Train).Queries()
		}
		t.Steps = max(1, items/t.Batch)
	}
	return t, nil
}
