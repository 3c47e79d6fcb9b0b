package experiments

import (
	"context"
	"time"

	"github.com/spherelab/spherelab/experiments/config"
)

// TrainAll runs the configs one after the other and stops at the first that does not finish.
func (r *Runner) TrainAll(ctx context.Context, configs []config.Checked) ([]*Result, error) {
	var results []*Result
	whole := r.TimeLimit
	defer func() { r.TimeLimit = whole }()
	for _, c := range configs {
		r.TimeLimit = whole / time.Duration(len(configs))
		result, err := r.Train(ctx, c)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}
