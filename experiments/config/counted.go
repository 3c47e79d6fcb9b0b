package config

import (
	"cmp"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TrainedOn is the settled config as a run on the graph logs it.
func (c *Config) TrainedOn(g *kg.Graph) (*Config, error) {
	own := c.Clone()
	if sphere.IsUntrained(own.Model) {
		own.DropTraining()
		return own, nil
	}
	training, err := own.Training().On(g)
	own.Train.Steps = training.Steps
	return own, c.Locate(err)
}

// DropTraining sets what says nothing about a counted model to its default, so that equal models have equal configs.
// The count is its one epoch; train.steps is how long rules are mined. What tunes an inductive model stays.
func (c *Config) DropTraining() {
	d := defaults()
	c.Dimension, c.Gamma, c.Epsilon, c.Tau, c.Alpha, c.Beta = d.Dimension, d.Gamma, d.Epsilon, d.Tau, d.Alpha, d.Beta
	steps, patience := c.Train.Steps, c.EarlyStop.Patience
	c.Train, c.EarlyStop, c.Eval.Every = d.Train, d.EarlyStop, 0
	c.Train.Epochs = 1
	if c.Inductive.Epochs > 0 {
		c.EarlyStop.Patience = patience
	} else {
		heads := c.Inductive.Heads
		c.Inductive = d.Inductive
		c.Inductive.Heads = heads
	}
	if c.Model == sphere.Rules {
		c.Train.Steps = cmp.Or(steps, sphere.MiningSteps)
	}
}
