package command

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/atomicfile"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// predictFlags are the flags of predict.
type predictFlags struct {
	cuts                  cutFlags
	format, relation, out string
	sides                 []kg.Side // nil: both
	top                   int
	seen, all             bool
}

func (f *predictFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.relation, "relation", "", "the `RELATION`")
	flags.Var(sidesValue(&f.sides), "side", "which queries are asked: head, tail or both")
	flags.Var(countValue(&f.top, 100, 0), "top", "list at most this many facts, best first; 0 lists all")
	flags.StringVar(&f.out, "out", "", "write to this `FILE` instead of the standard output")
	flags.BoolVar(&f.seen, "seen", false, "try only heads and tails that the relation has in training")
	flags.BoolVar(&f.all, "all", false,
		"try every pair of entities, also those of which the relation has neither in training")
	f.cuts.add(cmd)
	addFormatFlag(cmd, &f.format, withCSV)
	_ = cmd.MarkFlagRequired("relation") // the flag exists
	markExclusive(cmd, "--seen tries fewer pairs, --all every one", "seen", "all")
}

// ends returns which pairs are tried.
func (f *predictFlags) ends() retrieve.Ends {
	switch {
	case f.seen:
		return retrieve.BothSeen
	case f.all:
		return retrieve.AnyEnds
	}
	return retrieve.OneSeen
}

func (a *app) predictCommand() *cobra.Command {
	var f predictFlags
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
			if f.cuts.slack != 0 {
				return slackAcross("predict")
			}
			cut, err := f.cuts.chosen()
			if err != nil {
				return err
			}
			return a.withRun(cmd.Context(), args[0], func(g *kg.Graph) error {
				_, err := g.FindRelation(f.relation)
				return err
			}, func(ctx context.Context, run *answer.Run) error {
				return a.predict(ctx, run, cut, &f)
			})
		},
	}
	f.bind(cmd)
	a.addDataFlag(cmd)
	return cmd
}

// predict finds new facts by a run and writes them.
func (a *app) predict(ctx context.Context, run *answer.Run, cut answer.Cut, f *predictFlags) error {
	id, err := run.Graph.FindRelation(f.relation)
	if err != nil {
		return err
	}
	r, err := a.retriever(ctx, run, cut, retrieve.Options{})
	if err != nil {
		return err
	}
	a.noteCut(run, cut)
	p, end := a.progress(false)
	facts, err := r.Predict(ctx, retrieve.PredictOptions{Relation: id, Sides: f.sides, Top: f.top, Ends: f.ends(),
		Progress: run.LongProgress(p, "looking for new facts of "+f.relation)})
	end()
	if err != nil {
		return err
	}
	left := untriedNote(r, id, f.ends())
	write := func(w io.Writer) error { return a.writeFacts(w, run, r, facts, left, f) }
	if f.out == "" {
		err = write(a.stdout)
	} else {
		err = atomicfile.Replace(f.out, 0o644, write)
	}
	if err != nil {
		return err
	}
	return a.noteNovel(ctx, run, r)
}

// writeFacts writes predicted facts in the format that was asked for.
func (a *app) writeFacts(w io.Writer, run *answer.Run, r *retrieve.Retriever, facts []retrieve.Fact, left string,
	f *predictFlags) error {
	switch f.format {
	case "json":
		return results.WriteJSON(w, slices.Concat([]retrieve.Fact{}, facts))
	case "csv":
		if f.out == "" {
			w = present.CSV(a.stdout)
		}
		return retrieve.WriteFactsCSV(w, facts)
	}
	return a.writeAnswer(w, func(w io.Writer, width int) error {
		return writePredicted(w, width, f.relation, facts, run.Title(), r.CutText(), left)
	})
}

// untriedNote returns a note on the pairs that were left out, "" if there are none.
func untriedNote(r *retrieve.Retriever, relation int32, ends retrieve.Ends) string {
	n, test := r.Untried(relation, ends)
	among := ""
	if test > 0 {
		among = fmt.Sprintf(" (%d of the %s of the relation)", n, quantity.Count(test, "test fact"))
	}
	switch ends {
	case retrieve.OneSeen:
		return "left out: pairs of which the relation has neither in training" + among + "; --all tries them"
	case retrieve.BothSeen:
		return "left out: pairs of which the relation has one or none in training" + among + "; --all tries them"
	}
	return ""
}

// order returns what facts are ordered by.
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
