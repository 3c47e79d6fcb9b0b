package answer

import (
	"context"

	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/scorefile"
)

// NegativeReport has the ranks of the test facts among given negatives, next to those among all entities.
type NegativeReport struct {
	RunID string               `json:"run_id,omitempty"`
	Given *eval.NegativeScores `json:"given"`
	Full  *eval.Ranking        `json:"full"`
}

// EvaluateNegatives ranks the answers of the test facts among the negatives of a file, see scorefile.OpenNegatives. The
// model is asked as it is, also where the run's answers leave out the asked entity. Nothing is logged.
func (r *Run) EvaluateNegatives(ctx context.Context, path string, threads int, p progress.Listener) (*NegativeReport,
	error) {
	facts := r.Graph.Split(kg.Test)
	negatives, err := scorefile.OpenNegatives(path, r.Graph, facts)
	if err != nil {
		return nil, err
	}
	report := &NegativeReport{RunID: r.Info.ID}
	report.Given, err = eval.RankNegatives(ctx, r.Model, r.Graph, facts, negatives, eval.NegativeSettings{
		Threads: threads, Progress: r.LongProgress(p, "ranking the answers among the given negatives")})
	if err != nil {
		return nil, err
	}
	full, err := r.Evaluate(ctx, EvalOptions{Threads: threads, SetResamples: true}, p)
	if err != nil {
		return nil, err
	}
	report.Full = full.Ranking
	return report, nil
}
