package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func (a *app) predictCommand() *cobra.Command {
	q := query{app: a}
	var relation, side, out string
	var top int
	var seen bool
	cmd := &cobra.Command{
		Use:   "predict RUN --relation RELATION",
		Short: "Find the best new facts of a relation",
		Long: `List the facts of a relation that the model of a logged run holds true and that neither training nor validation
holds, best first: by slack, then by score. Every entity is tried as a head and as a tail; --side tail asks the tail
queries alone. --seen leaves out facts whose head or tail the relation does not have in training. A fact has the greater
slack of its two queries. "held out" marks facts of the test split, "inferred" those of no split. Facts that lead from an entity to itself are left out where no training fact of the relation does.

` + aboutCuts,
		Example: `  spherelab predict last --relation advised --top 20
  spherelab predict last --relation advised --cut fitted-f1 --format csv --out advised.csv`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(q.format, []string{"text", "json", "csv"}); err != nil {
				return err
			}
			var sides []kg.Side
			switch side {
			case "both":
			case "head":
				sides = []kg.Side{kg.HeadSide}
			case "tail":
				sides = []kg.Side{kg.TailSide}
			default:
				return usagef("--side must be head, tail or both, not %q", side)
			}
			if relation == "" {
				return usagef("predict needs --relation, the name of a relation of the graph")
			}
			if top < 0 {
				return usagef("--top must not be negative")
			}
			cut, err := q.cuts.chosen()
			if err != nil {
				return err
			}
			return a.withRun(cmd.Context(), args[0], func(ctx context.Context, run *experiments.TrainedRun) error {
				id, err := run.Graph.FindRelation(relation)
				if err != nil {
					return err
				}
				r, err := a.retriever(ctx, run, cut, retrieve.Options{})
				if err != nil {
					return err
				}
				p, end := a.progress(false)
				facts, err := r.Predict(ctx, retrieve.PredictOptions{Relation: id, Sides: sides, Top: top,
					Seen: seen, Progress: run.LongProgress(p, "looking for new facts of "+relation)})
				end()
				if err != nil {
					return err
				}
				write := func(w io.Writer) error {
					return q.writeFacts(w, fmt.Sprintf("new facts of %s: %d", relation, len(facts)), facts, run, r)
				}
				if out == "" {
					err = write(a.stdout)
				} else {
					err = atomicfile.Replace(out, 0o644, write)
				}
				if err != nil {
					return err
				}
				return a.noteNovel(ctx, run, r)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&relation, "relation", "", "the `RELATION`")
	f.StringVar(&side, "side", "both", "which queries are asked: head, tail or both")
	f.IntVar(&top, "top", 100, "list at most so many facts, best first; 0 lists all")
	f.StringVar(&out, "out", "", "write to this `FILE` instead of the standard output")
	f.BoolVar(&seen, "seen", false, "only heads and tails that the relation has in training")
	q.cuts.add(cmd)
	addFormatFlag(cmd, &q.format, []string{"text", "json", "csv"})
	a.addDataFlag(cmd)
	return cmd
}
