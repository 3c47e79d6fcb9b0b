package experiments

import (
	"context"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Settle is Checked.Settle with progress. What its search for gamma measures is kept in the data directory: an
// interrupted search continues, and no search is made twice.
func (r *Runner) Settle(ctx context.Context, c config.Checked, g *kg.Graph) (config.Checked, error) {
	return c.Settle(g, func(c *config.Config) (float64, error) {
		return searchGamma(ctx, c, g, r.Tracker.DataDir(), r.Progress)
	})
}
