package experiments

import (
	"math"

	"github.com/spherelab/spherelab/experiments/config"
)

// stopper decides after each validation whether training continues. Its state is a function of the validations so far,
// so a resumed run rebuilds it from the logged metric.
type stopper struct {
	metric    string
	patience  int
	minDelta  float64
	best      float64
	bestEpoch int // 0 before the first validation
	since     int // validations since the best one
}

func newStopper(c config.EarlyStop) *stopper {
	return &stopper{metric: c.Metric, patience: c.Patience, minDelta: c.MinDelta}
}

// isEnabled reports whether a metric is watched.
func (s *stopper) isEnabled() bool { return s.metric != "" }

// observe records a validation. NaN is never an improvement.
func (s *stopper) observe(epoch int, value float64) (improved bool) {
	gain := value - s.best
	if s.metric == "valid/mr" {
		gain = -gain
	}
	switch {
	case math.IsNaN(value):
	case s.bestEpoch == 0, gain > s.minDelta:
		s.best, s.bestEpoch, s.since = value, epoch, 0
		return true
	}
	s.since++
	return false
}

// done reports whether training should stop.
func (s *stopper) done() bool { return s.isEnabled() && s.since >= s.patience }
