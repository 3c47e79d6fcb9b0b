package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	sphere "github.com/spherelab/spherelab/spherE"
)

// The values of --without.
const (
	counts  = "counts"
	classes = "classes"
)

func (a *app) stackCommand() *cobra.Command {
	var options experiments.StackOptions
	var without [2]bool // counts, classes
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stack RUN RUN...",
		Short: "Combine finished runs on one graph into a run of its own",
		Long: `Combine the models of finished runs on one graph by logistic regression, evaluate the result and log it as a
run.

The features of an entity as an answer are its score and rank under each model, and counts of training facts. Their
weights are fitted on the validation facts. The run keeps copies of the models, and is asked, explained, evaluated,
compared, exported and verified as other runs are; "train --resume RUN" finishes one that was interrupted. Validation
facts are judged by weights that were fitted without them.

--with trees adds boosted trees, which correct the odds of the entities that a model ranks among the first 64. They
also see how typical an entity is of the asked side, by its types or by the other relations that it has; --without
classes leaves that out.
--without counts leaves out all counts: where single facts were taken out of a whole graph, counts show from where, and
a graph that grows need not reward that.

--sample takes more or fewer queries than the evaluations of the runs did: an inductive model asks a large graph few.
More queries make better weights, and take longer.`,
		Example: `  spherelab stack bundled-sphere-2d-clean bundled-complex-clean
  spherelab stack bundled-sphere-2d-clean bundled-complex-clean --with trees
  spherelab eval last --against bundled-complex-clean --cut expected-novel --against-cut expected-novel`,
		Args: arguments(2, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options.WithoutCounts, options.WithoutClasses = without[0], without[1]
			return a.stack(cmd.Context(), args, options, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.Name, "name", "", "name of the new run (default: graph, models and variant)")
	f.Var(onlyValue(&options.Trees, sphere.Trees), "with", "what to add to the weights: `trees`")
	f.Var(choice(&without, "", []string{counts, classes, counts + "," + classes}, [][2]bool{{true, false}, {false, true},
		{true, true}}), "without", "what to leave out of the features: `counts`, classes or both with a comma between")
	f.BoolVar(&options.DropItself, "drop-itself", false,
		"drop the asked entity where no training fact of the relation is a loop (default: as the first run)")
	f.Var(countValue(&options.Sample, 0, 1), "sample", "distinct queries of each side for the weights and the evaluation (default: the "+
		"smallest eval.sample of the runs)")
	f.Var(countValue(&options.Threads, 0, 0), "threads", "worker threads, 0 for all cores; never changes a result")
	f.BoolVar(&asJSON, "json", false, "write events and results as lines of JSON on standard output")
	a.addDataFlag(cmd)
	return cmd
}

// stack combines runs into a new one.
func (a *app) stack(ctx context.Context, refs []string, o experiments.StackOptions, asJSON bool) error {
	at, err := a.address()
	if err != nil {
		return err
	}
	return a.work(ctx, at, asJSON, func(r *experiments.Runner) ([]*experiments.Result, error) {
		var ids []string
		for _, ref := range refs {
			run, err := a.findModel(ctx, r.Tracker, ref)
			if err != nil {
				return nil, err
			}
			ids = append(ids, run.ID)
		}
		result, err := r.Stack(ctx, ids, o)
		if err != nil {
			return nil, err
		}
		return []*experiments.Result{result}, nil
	})
}
