package results

import (
	"context"
	"fmt"

	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// NeedResults returns an error if a tracking server has only the metrics of a run whose evaluation logged more.
// MLflow's own server on a database of this program does not know the tables with the rest.
func NeedResults(ctx context.Context, t *tracker.Tracker, info tracker.RunInfo) error {
	if !t.Remote() || !onlyMetrics(info) {
		return nil
	}
	list, err := t.Results(ctx, info.ID)
	if err != nil || len(list) > 0 {
		return err
	}
	return fmt.Errorf("the server has only the metrics of run %s, not all results of its evaluation, like MLflow's own server "+
		"on a database of this program; name that database, or a tracking server of this program on it", Read(info))
}

// onlyMetrics reports whether a run has numbers of its final evaluation, and all of them are of its own cut and of all
// relations. An evaluation has others too: intervals, categories or cuts, which earlier versions logged as metrics.
func onlyMetrics(info tracker.RunInfo) bool {
	evaluated := false
	for text := range info.Metrics {
		k, ok := eval.ParseKey(text)
		if !ok || k.Split != "test" {
			continue
		}
		if k.Cut != "" || k.Category != "" || k.End != eval.Value {
			return false
		}
		evaluated = true
	}
	return evaluated
}
