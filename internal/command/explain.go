package command

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func (a *app) explainCommand() *cobra.Command {
	var cuts cutFlags
	var format string
	cmd := &cobra.Command{
		Use:   "explain RUN HEAD RELATION TAIL",
		Short: "Say how likely a fact is by a model, and why",
		Long: `Show how many of 100 such facts are right, and the facts that support this one: paths that carried the score of an
inductive model, rules that lead to it with their confidence, and similar entities of which the same is known with what
they share. Where the model reads facts, each has the probability that would be left if its facts were not known. Below
is what the model computes: the distance between head and tail after the relation's rotation, the radii, the slack, and
the nearest facts of the graph. "Such" are new answers to validation queries that both queries of the fact give the same
odds; a fact has one probability, whichever query led to it.

` + aboutCuts(),
		Example: `  spherelab explain last "Max Born" advised "Pascual Jordan"`,
		Args:    arguments(4, 4),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args[1:], "?") {
				return usagef("explain needs a whole fact; `%s query RUN HEAD RELATION '?'` answers a question", present.Program())
			}
			cut, err := cuts.chosen()
			if err != nil {
				return err
			}
			return a.withRun(cmd.Context(), args[0], func(g *kg.Graph) error {
				_, err := retrieve.ParseTriple(g, args[1], args[2], args[3])
				return err
			}, func(ctx context.Context, run *answer.Run) error {
				triple, err := retrieve.ParseTriple(run.Graph, args[1], args[2], args[3])
				if err != nil {
					return err
				}
				r, err := a.retriever(ctx, run, cut, retrieve.Options{})
				if err != nil {
					return err
				}
				a.noteCut(run, cut)
				x, err := r.Explain(ctx, triple)
				if err != nil {
					return err
				}
				if format == "json" {
					return results.WriteJSON(a.stdout, x)
				}
				return a.writeAnswer(a.stdout, func(w io.Writer, width int) error {
					return x.WriteText(w, retrieve.Text{Width: width})
				})
			})
		},
	}
	cuts.add(cmd)
	addFormatFlag(cmd, &format, textAndJSON)
	a.addDataFlag(cmd)
	return cmd
}
