package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func (a *app) predictCommand() *cobra.Command {
	q := query{app: a}
	var relation, side, out string
	var top int
	var seen, all bool
	cmd := &cobra.Command{
		Use:   "predict RUN --relation RELATION",
		Short: "Find the best new facts of a relation",
		Long: `List the facts of a relation that are in the set of one of their queries by the model of a logged run and that neither
training nor validation holds, best first: by probability, with fewer than 10 validation facts by score. --side tail asks
the tail queries alone, of every head. "held out" marks facts of the test split, "inferred" those of no split. Facts that
lead from an entity to itself are left out where no training fact of the relation does.

The probability of a fact is fitted on the validation facts from both of its queries, and is the same in every command:
that it is right, where its query has a new answer.

Pairs are tried where training has seen the head as a head of the relation, or the tail as a tail of it. A pair that has
neither is left out: training says nothing of it, and such pairs fill the head of the list with nonsense. The text says
how many test facts of the relation this leaves out. --all tries every pair; --seen tries those that have both, which is
best where all entities of a kind occur with the relation.

` + aboutCuts(),
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
			if seen && all {
				return usagef("--seen and --all exclude each other")
			}
			ends := retrieve.OneSeen
			switch {
			case seen:
				ends = retrieve.BothSeen
			case all:
				ends = retrieve.AnyEnds
			}
			if top < 0 {
				return usagef("--top must not be negative")
			}
			if q.cuts.slack != 0 {
				return slackAcross("predict")
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
				a.noteCut(run, cut)
				p, end := a.progress(false)
				facts, err := r.Predict(ctx, retrieve.PredictOptions{Relation: id, Sides: sides, Top: top,
					Ends: ends, Progress: run.LongProgress(p, "looking for new facts of "+relation)})
				end()
				if err != nil {
					return err
				}
				write := func(w io.Writer) error {
					switch q.format {
					case "json":
						return results.WriteJSON(w, slices.Concat([]retrieve.Fact{}, facts))
					case "csv":
						if out == "" {
							w = a.csv()
						}
						return retrieve.WriteFactsCSV(w, facts)
					}
					return a.writeAnswer(w, func(w io.Writer, width int) error {
						return writePredicted(w, width, relation, facts, run.Title(), r.CutText(),
							untried(r, id, ends))
					})
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
	f.BoolVar(&seen, "seen", false, "try only heads and tails that the relation has in training")
	f.BoolVar(&all, "all", false, "try every pair of entities, also those of which the relation has neither in training")
	q.cuts.add(cmd)
	addFormatFlag(cmd, &q.format, []string{"text", "json", "csv"})
	a.addDataFlag(cmd)
	return cmd
}

// untried says which pairs were left out, "" where none were.
func untried(r *retrieve.Retriever, relation int32, ends retrieve.Ends) string {
	n, test := r.Untried(relation, ends)
	among := ""
	if test > 0 {
		among = fmt.Sprintf(" (%d of the %s of the relation)", n, countText(test, "test fact"))
	}
	switch ends {
	case retrieve.OneSeen:
		return "left out: pairs of which the relation has neither in training" + among + "; --all tries them"
	case retrieve.BothSeen:
		return "left out: pairs of which the relation has one or none in training" + among + "; --all tries them"
	}
	return ""
}

// order says by what facts are listed.
func order(facts []retrieve.Fact) string {
	if slices.ContainsFunc(facts, func(f retrieve.Fact) bool { return f.Probability != nil }) {
		return "probability"
	}
	return "score"
}

func writePredicted(
	w io.Writer, width int, relation string, facts []retrieve.Fact, model, cut, untried string,
) error {
	fmt.Fprintf(w, "new facts of %s: %d\n\n", relation, len(facts))
	if err := retrieve.WriteFacts(w, facts, retrieve.Text{Width: width}); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s; cut %s: facts in the set of either query, by %s\n", model, cut, order(facts))
	if untried != "" {
		fmt.Fprintln(w, untried)
	}
	return nil
}
