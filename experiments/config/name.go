package config

import (
	"github.com/spherelab/spherelab/spherE/kg"
)

// ExperimentIn is the name of the experiment the run belongs to.
func (c *Config) ExperimentIn(g *kg.Graph) string {
	if c.Tracker.Experiment != "" {
		return c.Tracker.Experiment
	}
	return g.Name
}

// RunName is the config's own name, or one made of graph, model and variant.
func (c *Config) RunName(g *kg.Graph) string {
	if c.Name != "" {
		return c.Name
	}
	model := c.Model
	if c.Inductive.Epochs > 0 {
		model += "-tuned"
	}
	return g.Name + "-" + model + "-" + c.Variant
}
