package main

import (
	"context"
	"fmt"
	"io"
	"strings"

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
				return writeExplanation(a.stdout, x)
			})
		},
	}
	cmd.Flags().StringVar(&cut, "criterion", "", "which entities are answers: margin, intersect or sphere (default: the run's)")
	addFormatFlag(cmd, &format, []string{"text", "json"})
	a.addDataFlag(cmd)
	return cmd
}

func writeExplanation(w io.Writer, x *retrieve.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\n%s\n\n", x.Head, x.Relation, x.Tail, x.Verdict)
	fmt.Fprintf(&b, "  distance after rotation  %.3f\n", x.Distance)
	if x.HasRadii {
		fmt.Fprintf(&b, "  radius of the head       %.3f\n  radius of the tail       %.3f\n", x.HeadRadius, x.TailRadius)
	}
	fmt.Fprintf(&b, "  margin gamma             %.3f\n  criterion                %s\n", x.Gamma, x.Criterion)
	side := func(question string, p retrieve.Position) {
		state := "outside the set"
		if p.InSet {
			state = "in the set"
		}
		fmt.Fprintf(&b, "\n%s\n  %s: value %.3f, cut %.3f, slack %+.3f; rank %d, set of %d\n", question, state, p.Value, p.Cut, p.Slack, p.Before+1, p.SetSize)
		for _, list := range []struct {
			title string
			facts []retrieve.Answer
		}{{"nearest known facts", p.Nearest}, {"known facts at a similar distance", p.Similar}} {
			if len(list.facts) == 0 {
				continue
			}
			fmt.Fprintf(&b, "  %s\n", list.title)
			for _, answer := range list.facts {
				fmt.Fprintf(&b, "    %-28s %-16s slack %+.3f\n", answer.Label, fact(answer), answer.Slack)
			}
		}
	}
	side(fmt.Sprintf("%s %s ?", x.Head, x.Relation), x.AsTail)
	side(fmt.Sprintf("? %s %s", x.Relation, x.Tail), x.AsHead)
	_, err := io.WriteString(w, b.String())
	return err
}
