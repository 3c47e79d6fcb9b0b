package experiments

import (
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE"
)

// stopper is the early stopping of a config. A resumed run rebuilds it from the logged metric.
type stopper struct {
	metric string // "": training never stops early
	sphere.EarlyStop
}

func newStopper(c config.EarlyStop) *stopper {
	return &stopper{c.Metric, sphere.EarlyStop{Patience: c.Patience, MinGain: c.MinDelta, IsLess: c.Metric == "valid/mr"}}
}

// isEnabled reports whether a metric is watched.
func (s *stopper) isEnabled() bool { return s.metric != "" }

// done reports whether training should stop.
func (s *stopper) done() bool { return s.isEnabled() && s.Done() }
