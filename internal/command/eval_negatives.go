package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
)

const negativesUsage = "rank each test fact among the entities of this `FILE` alone, or of a folder of OGB's arrays"

// excludeNegatives excludes the flags of cuts and intervals, which ranks among given negatives do not have.
func excludeNegatives(cmd *cobra.Command) {
	for _, other := range []string{"top-l", "bootstrap", "with", "cut", "against", "against-cut"} {
		markExclusive(cmd, "--negatives ranks test facts among given entities", "negatives", other)
	}
}

// writeNegatives ranks the test facts among given negatives and writes the ranks.
func (a *app) writeNegatives(ctx context.Context, run *answer.Run, path string, threads int, format string) error {
	report, err := a.rankAmong(ctx, run, path, threads)
	if err != nil {
		return err
	}
	return a.writeGrid(results.NegativeGrid(run, report, format), format)
}

func (a *app) rankAmong(ctx context.Context, run *answer.Run, path string, threads int) (
	*answer.NegativeReport, error,
) {
	p, end := a.progress(false)
	defer end()
	return run.EvaluateNegatives(ctx, path, threads, p)
}
