package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/tracker"
)

func (a *app) reproduceCommand() *cobra.Command {
	var threads int
	cmd := &cobra.Command{
		Use:   "reproduce RUN",
		Short: "Train a run again from what the tracker has of it, and compare every number",
		Long: `Train a finished RUN again from its logged config, seed and graph, as a new run, and compare every number that the two
have logged, bit by bit, and their checkpoints. The command fails where anything differs. Times, speeds and sizes
(system/) are not compared.

The graph is found by its digest: under its name, where it was, or in any --data folder. RUN may also be the id of an
embedded result, which need not be in the tracker. A run is refused if its params are not those it was trained with, if
its graph has changed, or if another numerics version made it. A stack is fitted again from the finished runs of the
tracker that have its models, by their digests.

An interrupt (Ctrl-C) saves the new run; the same command resumes it.`,
		Example: `  spherelab reproduce last
  spherelab reproduce 448287b4 --data ../data`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reproduce(cmd.Context(), args[0], experiments.ReproduceOptions{Threads: threads})
		},
	}
	cmd.Flags().Var(countValue(&threads, 0, 0), "threads", "worker threads, 0 for the run's own; never changes a result")
	a.addDataFlag(cmd)
	return cmd
}

func (a *app) reproduce(ctx context.Context, ref string, o experiments.ReproduceOptions) error {
	at, err := a.address()
	if err != nil {
		return err
	}
	var original tracker.RunInfo
	var archive *results.ArchiveFile // nil: a run of the tracker
	do := func(r *experiments.Runner) ([]*experiments.Result, error) {
		var err error
		if original, archive, err = a.findReproduced(ctx, r.Tracker, ref); err != nil {
			return nil, err
		}
		if archive == nil {
			if err := results.NeedResults(ctx, r.Tracker, original); err != nil {
				return nil, err
			}
		}
		result, err := r.Reproduce(ctx, original, o)
		return []*experiments.Result{result}, err
	}
	return a.trainThen(ctx, at, false, do, func(t *tracker.Tracker, trained []*experiments.Result) error {
		if _, err := t.ReplaySpools(ctx); err != nil {
			return err
		}
		info, err := t.FindRun(ctx, trained[0].RunID)
		if err != nil {
			return err
		}
		from, other := "this tracker", (*results.Archive)(nil)
		if archive != nil {
			from, other = archive.File, archive.Archive
		}
		return a.verify(ctx, t, results.Read(info), results.Read(original), from, other)
	})
}

// findReproduced finds a run of the tracker, or else an embedded one.
func (a *app) findReproduced(ctx context.Context, t *tracker.Tracker, ref string) (tracker.RunInfo,
	*results.ArchiveFile, error) {
	info, err := a.findFinished(ctx, t, ref)
	if tracker.ErrorCode(err) != tracker.CodeNotFound {
		return info, nil, err
	}
	embedded, failed := results.FindEmbedded(ref)
	if failed != nil {
		return info, nil, failed
	}
	if embedded == nil {
		return info, nil, err
	}
	fmt.Fprintf(a.stderr, "%s is an embedded result: %s\n", tracker.ShortID(embedded.Info.ID),
		visible.Line(embedded.Info.Name))
	return embedded.Info, embedded, nil
}
