package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func (a *app) explainCommand() *cobra.Command {
	var cut, format string
	cmd := &cobra.Command{
		Use:     "explain RUN HEAD RELATION TAIL",
		Short:   "Say why a model takes a fact for true or not",
		Long:    "Show the distance between head and tail after the relation's rotation, the radii, how much is left to the cut, and the nearest known facts.",
		Example: `  spherelab explain last "Max Born" advised "Pascual Jordan"`,
		Args:    arguments(4, 4),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, []string{"text", "json"}); err != nil {
				return err
			}
			c, err := criterion(cut)
			if err != nil {
				return err
			}
			return a.withRun(cmd.Context(), args[0], func(ctx context.Context, run *experiments.TrainedRun) error {
				triple, err := retrieve.ParseTriple(run.Graph, args[1], args[2], args[3])
				if err != nil {
					return err
				}
				r, err := retrieve.New(run.Model, run.Graph, retrieve.Options{Criterion: runCriterion(c, run)})
				if err != nil {
					return err
				}
				x, err := r.Explain(ctx, triple)
				if err != nil {
					return err
				}
				if format == "json" {
					return experiments.WriteJSON(a.stdout, x)
				}
				return experiments.WriteExplanation(a.stdout, x)
			})
		},
	}
	cmd.Flags().StringVar(&cut, "criterion", "", "which entities are answers: margin, intersect or sphere (default: the run's)")
	addFormatFlag(cmd, &format, []string{"text", "json"})
	a.addDataFlag(cmd)
	return cmd
}
