package sphere

import (
	"fmt"
	"math"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Models and variants that New accepts.
const (
	RotatE   = "rotate"    // points, blocks in the plane
	Rotate3D = "rotate3d"  // points, blocks in space
	SpherE2D = "sphere-2d" // spheres, blocks in the plane
	SpherE3D = "sphere-3d" // spheres, blocks in space

	// Released is the configuration of the authors' code, which reproduces the paper's tables.
	Released = "released"
	// Paper is the configuration of the paper's equations.
	Paper = "paper"
	// Clean is spherelab's own: the released distance without the tolerance term, so that a triple is an answer from
	// its head's side if it is one from its tail's, up to rounding.
	Clean = "clean"
)

// Models lists all models in the order of the paper's tables.
func Models() []string { return []string{RotatE, Rotate3D, SpherE2D, SpherE3D} }

// Settings say what a model is. Dimension has no default; the other zero fields mean the paper's values, see
// Defaults. A factor that the variant does not use becomes 0; released with Tau = 0 is Clean.
type Settings struct {
	Model     string  // RotatE, Rotate3D, SpherE2D or SpherE3D
	Variant   string  // Released, Paper or Clean
	Dimension int     // D, blocks per entity
	Gamma     float64 // margin, in units of distance
	Epsilon   float64 // widens the initial range: (Gamma+Epsilon)/(k D) for entities with blocks of k numbers
	Tau       float64 // Released: weight of the tolerance term tau*rho_c
	Alpha     float64 // Paper: widens the head's radius for head queries
	Beta      float64 // Paper: widens the tail's radius for tail queries
}

// Defaults fills fields that are zero with the released code's values; Alpha and Beta with those of the paper's section 4.2.
// Tau, Alpha and Beta are filled where the variant uses them.
func (s Settings) Defaults() Settings {
	if s.Model == "" {
		s.Model = SpherE2D
	}
	if s.Variant == "" {
		s.Variant = Clean
	}
	if s.Gamma == 0 {
		s.Gamma = 6
	}
	if s.Epsilon == 0 {
		s.Epsilon = 2
	}
	switch {
	case s.Variant != Released:
		s.Tau = 0
	case s.Tau == 0:
		s.Tau = 0.1
	}
	switch {
	case s.Variant != Paper:
		s.Alpha, s.Beta = 0, 0
	case s.Alpha == 0 && s.Beta == 0:
		s.Alpha, s.Beta = 0.1, 0.1
	}
	return s
}

// HasRadii reports whether the model's entities are spheres.
func (s Settings) HasRadii() bool { return s.Model == SpherE2D || s.Model == SpherE3D }

// SettingError tells which setting is impossible, by its configuration key, and what is possible.
type SettingError struct {
	Key     string // "dimension", "train.batch" ...
	Value   any
	Message string
}

func (e *SettingError) Error() string { return fmt.Sprintf("%s: %v: %s", e.Key, e.Value, e.Message) }

// maxThreads is beyond any machine of today; each thread has memory of its own.
const maxThreads = 4096

// maxFloats bounds one tensor, so that lengths fit in 32-bit ids times row lengths without overflow.
const maxFloats = 1 << 36

// Validate returns a *SettingError for the first impossible field.
func (s Settings) Validate() error {
	if err := oneOf("model", s.Model, Models()...); err != nil {
		return err
	}
	if err := oneOf("variant", s.Variant, Released, Paper, Clean); err != nil {
		return err
	}
	if s.Dimension < 1 || s.Dimension > 1<<20 {
		return &SettingError{"dimension", s.Dimension, "must be between 1 and 1048576"}
	}
	for _, f := range []struct {
		key   string
		value float64
		least float64
	}{{"gamma", s.Gamma, 1e-6}, {"epsilon", s.Epsilon, 1e-6}, {"tau", s.Tau, 0}, {"alpha", s.Alpha, 0}, {"beta", s.Beta, 0}} {
		if !(f.value >= f.least && f.value <= 1e6) {
			return &SettingError{f.key, f.value, fmt.Sprintf("must be a number from %g to 1e+06", f.least)}
		}
	}
	return nil
}

func oneOf(key, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return &SettingError{key, value, "must be one of " + strings.Join(allowed, ", ")}
}

// Training says how a model is trained. Epochs, Steps, Batch and Negatives have no default; the other zero fields
// mean the released code's values, see Defaults.
type Training struct {
	Epochs    int // passes that are logged; a resumed run may have more than before
	Steps     int // optimiser steps per epoch
	Batch     int // positives per step, drawn with replacement
	Negatives int // negatives per positive

	Sampling     string  // "bernoulli" or "uniform", see kg.Sampling
	Temperature  float64 // T of self-adversarial negative sampling
	LearningRate float64
	Beta1, Beta2 float64 // Adam
	AdamEpsilon  float64
	Seed         uint64
	Threads      int    // 0: all processors; never changes a bit of the result
	SIMD         string // path of the kernels, "" for the fastest; never changes a bit of the result
}

// Defaults fills fields that are zero with the released code's values.
func (t Training) Defaults() Training {
	fill := func(f *float64, value float64) {
		if *f == 0 {
			*f = value
		}
	}
	if t.Sampling == "" {
		t.Sampling = string(kg.Bernoulli)
	}
	fill(&t.Temperature, 2)
	fill(&t.LearningRate, 2e-5)
	fill(&t.Beta1, 0.9)
	fill(&t.Beta2, 0.999)
	fill(&t.AdamEpsilon, 1e-8)
	return t
}

// Validate returns a *SettingError for the first impossible field; g may be nil, then sizes are not compared.
func (t Training) Validate(g *kg.Graph) error {
	for _, f := range []struct {
		key          string
		value, least int
	}{
		{"train.epochs", t.Epochs, 1}, {"train.steps", t.Steps, 1}, {"train.batch", t.Batch, 1},
		{"train.negatives", t.Negatives, 1}, {"threads", t.Threads, 0},
	} {
		if f.value < f.least || f.value > 1<<30 {
			return &SettingError{f.key, f.value, fmt.Sprintf("must be at least %d", f.least)}
		}
	}
	if t.Threads > maxThreads {
		return &SettingError{"threads", t.Threads, fmt.Sprintf("must be at most %d", maxThreads)}
	}
	if g != nil && t.Negatives > g.Entities.Len() {
		return &SettingError{"train.negatives", t.Negatives, fmt.Sprintf("graph %s has only %d entities", g.Name, g.Entities.Len())}
	}
	if int64(t.Batch)*int64(t.Negatives+3) > math.MaxInt32 { // the pulls of a step
		return &SettingError{"train.batch", t.Batch, fmt.Sprintf("times %d negatives is too large; make one smaller", t.Negatives)}
	}
	if t.Batch > simd.MaxPoints/rowsPerPositive {
		return &SettingError{"train.batch", t.Batch, fmt.Sprintf("must be at most %d", simd.MaxPoints/rowsPerPositive)}
	}
	if err := oneOf("train.sampling", t.Sampling, string(kg.Bernoulli), string(kg.Uniform)); err != nil {
		return err
	}
	for _, f := range []struct {
		key         string
		value       float64
		least, most float64
	}{
		{"train.temperature", t.Temperature, 1e-9, 1e6},
		{"train.learning_rate", t.LearningRate, 1e-12, 1e3},
		{"train.beta1", t.Beta1, 1e-9, 1 - 1e-7}, {"train.beta2", t.Beta2, 1e-9, 1 - 1e-7}, // below 1 as float32
		{"train.adam_epsilon", t.AdamEpsilon, 1e-30, 1},
	} {
		if !(f.value >= f.least && f.value <= f.most) {
			return &SettingError{f.key, f.value, fmt.Sprintf("must be a number from %g to %g", f.least, f.most)}
		}
	}
	return nil
}
