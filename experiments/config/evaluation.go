package config

import (
	"slices"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Criterion returns the criterion of the plain metric keys; "" is the model's own.
func (c *Config) Criterion() sphere.Criterion {
	if c.Eval.Criterion == DefaultCriterion {
		return ""
	}
	return sphere.Criterion(c.Eval.Criterion)
}

// PrimaryCut is the cut of the plain metric keys: that of the criterion, or for a model without criteria top-mean.
func (c *Config) PrimaryCut() eval.Cut {
	if len(c.Settings().Criteria()) == 0 {
		return eval.TopMean{}
	}
	return eval.Criterion(c.Criterion())
}

// Judged returns a model as it is evaluated and fitted by the config.
func (c *Config) Judged(m eval.Model, g *kg.Graph) eval.Model {
	if c.Eval.DropItself {
		return eval.DropItself(m, g)
	}
	return m
}

// FinalSettings are those of the final evaluation, before thresholds are fitted.
func (c *Config) FinalSettings() eval.Settings {
	cuts := []eval.Cut{c.PrimaryCut()}
	has := c.Settings().Criteria()
	for _, criterion := range sphere.Criteria() {
		// Runs of BoxE are committed without the sets of boxes, and reproduce compares every number. They are measured
		// where they are the primary cut or are asked for.
		if slices.Contains(has, criterion) && criterion != sphere.CriterionBoxes {
			cuts = append(cuts, eval.Criterion(criterion))
		}
	}
	tops := eval.Tops(c.Eval.TopL...)
	cuts = append(cuts, tops...)
	switch {
	case !c.Settings().ReleasedProtocol():
	case has[0] == sphere.CriterionBlocks:
		blocks := eval.Criterion(sphere.CriterionBlocks)
		cuts = append(cuts, eval.Released{Of: blocks}, eval.Tie{Of: blocks})
	default:
		for _, top := range tops {
			cuts = append(cuts, eval.Released{Of: top}, eval.Tie{Of: top})
		}
	}
	return eval.Settings{Split: kg.Test, Cuts: cuts, Sample: c.Eval.Sample, Resamples: c.Eval.Bootstrap, Seed: c.Seed,
		Threads: c.Threads}
}

// ValidationSettings are those of evaluations during training. The test triples are left out of the ground truth, so
// that nothing of them enters the choice of a model.
func (c *Config) ValidationSettings() eval.Settings {
	return eval.Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid},
		Cuts: []eval.Cut{c.PrimaryCut()}, Sample: c.Eval.Sample, Seed: c.Seed, Threads: c.Threads}
}

// FitSettings are those of fitting thresholds.
func (c *Config) FitSettings() eval.FitSettings {
	return eval.FitSettings{Threads: c.Threads, Sample: c.Eval.Sample}
}

// Fits returns an error if a criterion does not fit the config's model.
func (c *Config) Fits(criterion eval.Criterion) error {
	with := *c
	with.Eval.Criterion = criterion.Name()
	return with.validateCriterion()
}

// LeastCalibrated is the least number of validation facts with which configs and runs have probabilities.
const LeastCalibrated = eval.LeastCalibrated
