package experiments

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// What the text options may say. The lists stand here so that a config is refused before anything is loaded.
var (
	modelNames     = sphere.Models()
	variantNames   = []string{sphere.Released, sphere.Paper, sphere.Clean}
	samplingNames  = []string{"bernoulli", "uniform"}
	criterionNames = []string{"default", string(sphere.CriterionMargin), string(sphere.CriterionIntersect), string(sphere.CriterionSphere)}
	// stopMetrics are the validation metrics that mid-training evaluation gives.
	stopMetrics = []string{
		"valid/mrr", "valid/mr", "valid/hits_1", "valid/hits_3", "valid/hits_10", "valid/head_f1", "valid/tail_f1",
		"valid/nn_f1", "valid/head_rr", "valid/tail_rr", "valid/head_mrr", "valid/tail_mrr",
	}
)

// Validate checks everything that can be checked without the graph. Errors are *ConfigError and name the key's origin.
func (c *Config) Validate() error {
	if err := c.ValidateValues(); err != nil {
		return err
	}
	if c.EarlyStop.Metric != "" && c.Eval.Every == 0 {
		return c.blame("early_stop.metric", "needs validations: set eval.every to a number of epochs")
	}
	// The model takes 0 for "the paper's value", so 0 here would silently become something else.
	if c.Variant == sphere.Released && c.Tau == 0 {
		return c.blame("tau", "must be greater than 0 for variant released; variant clean is the one without tolerance")
	}
	if c.Variant == sphere.Paper && c.Alpha == 0 && c.Beta == 0 {
		return c.blame("alpha", "and beta must not both be 0 for variant paper")
	}
	return c.adopt(c.Settings().Validate())
}

// ValidateValues is Validate as far as each key is concerned alone: keys that need another one's value may still wait
// for it.
func (c *Config) ValidateValues() error {
	oneOf := func(key, value string, list []string) error {
		if slices.Contains(list, value) {
			return nil
		}
		err := c.blame(key, "must be one of %s, not %s", strings.Join(list, ", "), quoted(value))
		if near := nearest(value, list); near != "" {
			err.(*ConfigError).Nearest = near
		}
		return err
	}
	atLeast := func(key string, value, least int) error {
		if value >= least {
			return nil
		}
		return c.blame(key, "must be at least %d, not %d", least, value)
	}
	finite := func(key string, value float64) error {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return c.blame(key, "must be a finite number, not %v", value)
		}
		return nil
	}
	positive := func(key string, value float64) error {
		if err := finite(key, value); err != nil {
			return err
		}
		if value <= 0 {
			return c.blame(key, "must be greater than 0, not %v", value)
		}
		return nil
	}
	notNegative := func(key string, value float64) error {
		if err := finite(key, value); err != nil {
			return err
		}
		if value < 0 {
			return c.blame(key, "must not be negative, not %v", value)
		}
		return nil
	}
	decay := func(key string, value float64) error {
		if value > 0 && value < 1 {
			return nil
		}
		return c.blame(key, "must be greater than 0 and less than 1, not %v", value)
	}
	checks := []error{
		oneOf("model", c.Model, modelNames),
		oneOf("variant", c.Variant, variantNames),
		atLeast("dimension", c.Dimension, 1),
		positive("gamma", c.Gamma),
		positive("epsilon", c.Epsilon),
		notNegative("tau", c.Tau),
		notNegative("alpha", c.Alpha),
		notNegative("beta", c.Beta),
		atLeast("threads", c.Threads, 0),
		atLeast("train.epochs", c.Train.Epochs, 1),
		atLeast("train.steps", c.Train.Steps, 0),
		atLeast("train.batch", c.Train.Batch, 1),
		atLeast("train.negatives", c.Train.Negatives, 1),
		oneOf("train.sampling", c.Train.Sampling, samplingNames),
		positive("train.temperature", c.Train.Temperature),
		positive("train.learning_rate", c.Train.LearningRate),
		decay("train.beta1", c.Train.Beta1),
		decay("train.beta2", c.Train.Beta2),
		positive("train.adam_epsilon", c.Train.AdamEpsilon),
		atLeast("train.save_every", c.Train.SaveEvery, 0),
		notNegative("early_stop.min_delta", c.EarlyStop.MinDelta),
		atLeast("early_stop.patience", c.EarlyStop.Patience, 1),
		atLeast("eval.every", c.Eval.Every, 0),
		oneOf("eval.criterion", c.Eval.Criterion, criterionNames),
		atLeast("eval.bootstrap", c.Eval.Bootstrap, 0),
	}
	for i, l := range c.Eval.TopL {
		checks = append(checks, atLeast("eval.top_l", l, 1))
		if slices.Contains(c.Eval.TopL[:i], l) {
			checks = append(checks, c.blame("eval.top_l", "has %d twice", l))
		}
	}
	if c.Dimension > 1<<16 {
		checks = append(checks, c.blame("dimension", "must be at most %d, not %d", 1<<16, c.Dimension))
	}
	if c.Data == "" {
		checks = append(checks, c.blame("data", `must name a graph, for example "bundled" or "fb15k-237"`))
	}
	if strings.ContainsAny(c.Name, "\n\r\x00") || len(c.Name) > 250 {
		checks = append(checks, c.blame("name", "must be one line of at most 250 bytes"))
	}
	if c.EarlyStop.Metric != "" {
		checks = append(checks, oneOf("early_stop.metric", c.EarlyStop.Metric, stopMetrics))
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

// validateOn checks what depends on the graph, and settles train.steps where the config leaves it open.
func (c *Config) validateOn(g *kg.Graph) error {
	if entities := g.Entities.Len(); c.Train.Negatives >= entities {
		return c.blame("train.negatives", "is %d but graph %s has only %d entities; use fewer", c.Train.Negatives, g.Name, entities)
	}
	if c.Train.Steps == 0 {
		c.Train.Steps = max(1, len(g.Train)/c.Train.Batch)
	}
	return c.adopt(c.Training().Validate(g))
}

// adopt turns a model's complaint about a setting into one about the config key.
func (c *Config) adopt(err error) error {
	var setting *sphere.SettingError
	if !errors.As(err, &setting) {
		return err
	}
	return c.blame(setting.Key, "is %v: %s", setting.Value, setting.Message)
}
