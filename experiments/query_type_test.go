package experiments

import (
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/multihop"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// TestQueryTypes measures answers to questions of every published type by trained models, next to the join of known
// facts. No type must be below it as a question that may have no new answer, nor the means as questions that have one.
func TestQueryTypes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bundled/sphere-2d", "bundled/complex", "umls/sphere-2d"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := trainedRun(t, name)
			drawn, err := multihop.Sample(t.Context(), run.Graph, multihop.Sampling{Number: 30, Seed: 42})
			expect.NoError(t, err)
			var questions []retrieve.Question
			for _, d := range drawn {
				q, err := retrieve.ParseQuestion(d.Text)
				expect.NoError(t, err)
				questions = append(questions, q)
			}
			reports := map[string]*multihop.Report{}
			for _, cut := range []string{"", eval.ExpectedNovel} {
				by, err := run.Retriever(t.Context(), answer.Cut{Name: cut}, retrieve.Options{Threads: 1}, nil)
				expect.NoError(t, err)
				report, err := multihop.Measure(t.Context(), by, run.Graph, questions, multihop.Settings{Resamples: 1})
				expect.NoError(t, err)
				reports[cut] = report
				for _, k := range report.Types {
					below := k.F1 < k.JoinF1 && cut == "" && k.Type != "1p"
					if k.Questions != 30 || below {
						t.Errorf("cut %q: F1 of %d questions of type %s is %g, that of the join %g", cut, k.Questions, k.Type, k.F1,
							k.JoinF1)
					}
				}
			}
			either, found := reports[""], reports[eval.ExpectedNovel]
			for _, line := range []struct {
				types         string
				either, found *multihop.Means
			}{{"9", either.Positive, found.Positive}, {"5 with `minus`", either.Negated, found.Negated}} {
				if line.found.F1 <= line.found.JoinF1 {
					t.Errorf("the mean F1 of %s types is %g, that of the join %g", line.types, line.found.F1, line.found.JoinF1)
				}
				holdsLine(t, "answers.md", "| %s | %s | %s | %s | %s | %s | %s |", run.Config.Data, sphere.Title(run.Config.Model),
					line.types, digits(line.either.MRR), digits(line.either.JoinF1), digits(line.either.F1),
					digits(line.found.F1))
			}
		})
	}
}
