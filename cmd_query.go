package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func (a *app) queryCommand() *cobra.Command {
	var cut, format string
	var limit, near int
	cmd := &cobra.Command{
		Use:   "query RUN HEAD RELATION '?' | query RUN '?' RELATION TAIL",
		Short: "Ask a trained model for a set of answers",
		Long: `Ask the model of a logged run for the set of entities that answer HEAD RELATION ? or ? RELATION TAIL.

Answers are marked: "known" is a fact of training or validation, "inferred" is not; an inferred fact that the test split
holds, so that it is true although the model never saw it, is marked "inferred, true (test)". The asked entity is marked
"inferred, itself" where no training fact of the relation leads from an entity to itself; it stays in the set.
Quote the question mark for the shell.`,
		Example: `  spherelab query last "Max Born" advised '?'
  spherelab query last '?' advised "Max Born" --format json`,
		Args: arguments(4, 4),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := experiments.CheckFormat(format, []string{"text", "json", "csv"}); err != nil {
				return err
			}
			if (args[1] == retrieve.Unknown) == (args[3] == retrieve.Unknown) {
				return usagef("a query needs exactly one '?', as head or as tail: %s; got %q %q %q", cmd.UseLine(), args[1], args[2], args[3])
			}
			if limit < 0 || near < 0 {
				return usagef("--limit and --near must not be negative")
			}
			c, err := criterion(cut)
			if err != nil {
				return err
			}
			if near == 0 {
				near = -1 // none; the retriever takes 0 for its own default
			}
			return a.withRun(cmd.Context(), args[0], func(ctx context.Context, run *experiments.TrainedRun) error {
				q, err := retrieve.ParseQuery(run.Graph, args[1], args[2], args[3])
				if err != nil {
					return err
				}
				r, err := retrieve.New(run.Model, run.Graph, retrieve.Options{Criterion: runCriterion(c, run), NearMisses: near})
				if err != nil {
					return err
				}
				answers, err := r.Answer(ctx, q)
				if err != nil {
					return err
				}
				var heldOutAnswers int
				for _, answer := range answers.Set {
					if heldOut(answer) {
						heldOutAnswers++
					}
				}
				if limit > 0 && len(answers.Set) > limit {
					answers.Set = answers.Set[:limit]
				}
				switch format {
				case "json":
					return experiments.WriteJSON(a.stdout, answers)
				case "csv":
					return answerGrid(answers).Write(a.stdout, format)
				}
				return writeAnswers(a.stdout, answers, heldOutAnswers, run)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&cut, "criterion", "", "which entities are answers: margin, intersect or sphere (default: the run's)")
	f.IntVar(&limit, "limit", 50, "list at most so many answers, best first; 0 lists all")
	f.IntVar(&near, "near", 5, "list so many near misses")
	addFormatFlag(cmd, &format, []string{"text", "json", "csv"})
	a.addDataFlag(cmd)
	return cmd
}

// runCriterion is the chosen criterion, else the run's.
func runCriterion(chosen sphere.Criterion, run *experiments.TrainedRun) sphere.Criterion {
	return cmp.Or(chosen, run.Criterion())
}

// heldOut reports whether only the test split holds the fact: true, but unknown when the model was made.
func heldOut(answer retrieve.Answer) bool {
	return len(answer.Splits) == 1 && answer.Splits[0] == kg.Test.String()
}

// mark says how an answer in the set is known.
func mark(answer retrieve.Answer) string {
	switch {
	case answer.Itself:
		return "inferred, itself"
	case !answer.Known:
		return "inferred"
	case heldOut(answer):
		return "inferred, true (test)"
	}
	return "known (" + strings.Join(answer.Splits, ", ") + ")"
}

// writeAnswers prints a set; heldOut of its known facts are in the test split alone.
func writeAnswers(w io.Writer, answers *retrieve.Answers, heldOut int, run *experiments.TrainedRun) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\n", answers.Head, answers.Relation, answers.Tail)
	fmt.Fprintf(&b, "%s: %d known, %d inferred", countText(answers.Total, "answer"), answers.Known-heldOut, answers.Inferred+heldOut)
	if heldOut > 0 {
		fmt.Fprintf(&b, ", %d of them true in the test split", heldOut)
	}
	fmt.Fprintf(&b, "; the graph has %s\n\n", countText(answers.AllKnown, "answer"))
	width := 0
	for _, list := range [][]retrieve.Answer{answers.Set, answers.Near, answers.Missed} {
		for _, answer := range list {
			width = max(width, textWidth(answer.Label))
		}
	}
	line := func(answer retrieve.Answer, mark string) {
		fmt.Fprintf(&b, "  %s%s  %-21s  slack %+.3f\n", answer.Label, strings.Repeat(" ", width-textWidth(answer.Label)), mark, answer.Slack)
	}
	for _, answer := range answers.Set {
		line(answer, mark(answer))
	}
	if more := answers.Total - len(answers.Set); more > 0 {
		fmt.Fprintf(&b, "  ... and %d more; --limit 0 lists all\n", more)
	}
	if answers.Total == 0 {
		b.WriteString("  (none)\n")
	}
	listed := map[int32]bool{}
	if len(answers.Near) > 0 {
		b.WriteString("\nnear misses\n")
		for _, answer := range answers.Near {
			listed[answer.Entity] = true
			line(answer, experiments.FactText(answer))
		}
	}
	heading := false
	for _, answer := range answers.Missed {
		if listed[answer.Entity] {
			continue
		}
		if !heading {
			b.WriteString("\nfacts of the graph further outside\n")
			heading = true
		}
		line(answer, experiments.FactText(answer))
	}
	fmt.Fprintf(&b, "\n%s (%s), run %s; criterion %s: in the set if value <= %.3f; slack is how much is left\n",
		experiments.ModelTitle(run.Config.Model), run.Config.Variant, run.Info.ID[:8], answers.Criterion, answers.Cut)
	_, err := io.WriteString(w, b.String())
	return err
}

// answerGrid lists the set and the near misses for CSV.
func answerGrid(answers *retrieve.Answers) *experiments.Grid {
	g := &experiments.Grid{}
	for _, key := range []string{"entity", "label", "in_set", "known", "splits", "distance", "value", "slack", "itself"} {
		g.Columns = append(g.Columns, experiments.Column{Key: key})
	}
	add := func(list []retrieve.Answer, inSet bool) {
		for _, x := range list {
			g.Rows = append(g.Rows, []string{x.Name, x.Label, fmt.Sprint(inSet), fmt.Sprint(x.Known), strings.Join(x.Splits, " "),
				fmt.Sprint(x.Distance), fmt.Sprint(x.Value), fmt.Sprint(x.Slack), fmt.Sprint(x.Itself)})
		}
	}
	add(answers.Set, true)
	add(answers.Near, false)
	return g
}

func countText(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// textWidth counts characters, which is what aligns columns of names in Latin script.
func textWidth(s string) int { return len([]rune(s)) }
