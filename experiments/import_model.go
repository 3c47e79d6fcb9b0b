package experiments

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
)

// importing has the stages of a model that another program has trained. There is no state: a run that is interrupted is
// imported again.
var importing = []stage{
	(*session).keepInput,
	(*session).publishInput,
	(*session).keepModel,
	(*session).evaluateCounted,
	(*session).publishAll,
	(*session).recordEnd,
	(*session).reportEnd,
}

// ImportConfig returns the config of a graph with which a model of these settings is logged. data is a value of the
// config key data; the config of the graph decides the evaluation.
func ImportConfig(l config.Layers, data string, s sphere.Settings) (config.Checked, error) {
	for key, value := range map[string]any{"variant": s.Variant, "dimension": s.Dimension, "gamma": s.Gamma, "epsilon": s.Epsilon,
		"tau": s.Tau, "alpha": s.Alpha, "beta": s.Beta, "reciprocal": s.Reciprocal} {
		l.Flags = append(l.Flags, config.FlagValue{Flag: "the model's " + key, Key: key, Value: fmt.Sprint(value)})
	}
	if !s.Reciprocal { // one-vs-all of a config may need it
		l.Flags = append(l.Flags, config.FlagValue{Flag: "the model's training", Key: "train.loss", Value: sphere.SelfAdversarial},
			config.FlagValue{Flag: "the model's training", Key: "train.n3", Value: "0"},
			config.FlagValue{Flag: "the model's training", Key: "train.relation_weight", Value: "0"})
	}
	configs, err := config.LoadForGraph(l, data, s.Model)
	if err != nil {
		return config.Checked{}, err
	}
	return configs[0], nil
}

// ImportModel logs a model that another program has trained on the graph as a new run, and measures it as a training
// does at its end. from says what the model was there. checked is of ImportConfig; its keys of training say nothing.
func (r *Runner) ImportModel(ctx context.Context, checked config.Checked, g *kg.Graph, m *sphere.Model, from string) (
	*Result, error,
) {
	simd, roots, err := kernels()
	if err != nil {
		return nil, err
	}
	settled, err := checked.Settle(g, nil)
	if err != nil {
		return nil, err
	}
	cfg := importedConfig(settled.Config())
	if cfg.Name == "" {
		cfg.Name = cfg.RunName(g) + "-imported"
	}
	s, err := newSession(r, cfg, g)
	if err != nil {
		return nil, err
	}
	tags := r.tags(cfg, g, simd, roots, 0)
	tags[answer.TagFrom], tags["config_hash"] = from, m.Digest()
	params := r.params(cfg, g)
	params[config.ParamHash] = m.Digest() // the config did not make the model
	run, err := r.Tracker.StartRun(ctx, tracker.RunSpec{Experiment: cfg.ExperimentIn(g), Name: cfg.RunName(g),
		Params: params, Tags: tags, Claim: r.Claim, Inputs: datasets(g)})
	if err != nil {
		return nil, err
	}
	s.run, s.isShared = run, s.isShared || run.InBucket()
	return r.driveFit(ctx, s, answer.StateFile, outcome{model: m, result: s.fitted(m)}, importing)
}

// importedConfig returns the config of a model that is not trained here: without validations, and without what needs
// them.
func importedConfig(c *config.Config) *config.Config {
	c = c.Clone()
	c.Eval.Every, c.EarlyStop.Metric = 0, ""
	return c
}
