package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/present"
	"github.com/spherelab/spherelab/internal/visible"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// cutFlags are the flags that choose the cut of answers.
type cutFlags struct {
	name       string // set by any of the flags that name a cut
	slack      float32
	dropItself bool
}

// aboutCuts is the part of a command's help about cuts.
func aboutCuts() string {
	return `--cut chooses which entities are answers, by the names that tables have: ` + criteria() + ` (a
rule on distance, radii or boxes); fitted-f1, fitted-novel, fitted-union (thresholds by relation and side, fitted on the validation
facts for F1, novel-answer F1, known-union F1), fitted-side-f1, ... (one threshold per side); top-10 or any other size; top-mean
(as many as a query of the relation and side has in training, on average). Without --cut it is the criterion that the
run's config chooses (eval.criterion). If it chooses none, it is expected-novel for a run with eval.calibrate, as of a
graph of one's own, and for a stack, or on a side where that lowers what known facts have (by the validation facts)
expected-union, or lookup; else fitted-novel. Without validation facts it is the criterion of the model's variant. The
first use of a fitted cut fits its thresholds; the run keeps them.

` + strings.Join(eval.ExpectedNames(), ", ") + ` give every query the set of greatest expected F1 under probabilities
that are fitted on the validation facts; answers then show their probability. --precision .8 and --recall .5 (cuts
precision-0.8, recall-0.5) aim at that share of new answers, and a note says what validation facts gave. --coverage .9
(coverage-0.9) returns sets that hold a right new answer in 90 of 100 cases, by split conformal prediction.
--drop-itself keeps the asked entity out where no training fact of the relation leads from an entity to itself.

--slack S moves the threshold of one question: above 0 only answers that lie at least S inside the cut's border stay;
below 0 entities up to -S outside become answers, too. Slack tells nothing across questions.`
}

// slackAcross refuses --slack for answers to many queries.
func slackAcross(where string) error {
	return usagef("--slack cannot be used with %s: slack can be compared within one query only, and each query has its own "+
		"threshold; --precision 0.8 asks all queries for surer answers, --recall 0.5 for more", where)
}

func (f *cutFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(cutValue(&f.name), "cut",
		"which entities are answers: fitted-novel, fitted-f1, margin, top-10, ... (default: the run's)")
	flags.Var(choice(&f.name, "", words(sphere.Criteria()), words(sphere.Criteria())), "criterion",
		"the same for one of "+criteria()+" alone")
	flags.Var(slackValue(&f.slack), "slack",
		"move the threshold: only answers that lie at least this far inside the border")
	flags.Var(promiseValue(&f.name, eval.PromisedPrecision), "precision",
		"answers of which this share is right, by the validation facts; above 0 and below 1")
	flags.Var(promiseValue(&f.name, eval.PromisedRecall), "recall",
		"answers that hold this share of the right ones by the validation facts")
	flags.Var(promiseValue(&f.name, eval.CoverageOf), "coverage",
		"sets that hold a right new answer this often, for each side and relation with enough validation facts")
	flags.BoolVar(&f.dropItself, "drop-itself", false,
		"keep the asked entity out where no training fact of the relation is a loop")
	markExclusive(cmd, "each chooses the cut", "cut", "criterion", "precision", "recall", "coverage")
}

// chosen returns the cut that the flags choose, checked before anything starts.
func (f *cutFlags) chosen() (answer.Cut, error) {
	cut := answer.Cut{Name: f.name, Slack: f.slack, DropItself: f.dropItself}
	if f.name == "" || f.slack == 0 {
		return cut, nil
	}
	parsed, err := answer.ParseCut(f.name)
	switch {
	case err != nil:
		return cut, usagef("--cut: %w", err)
	case parsed.Kind() == eval.KindPromised, parsed.Kind() == eval.KindCovering:
		return cut, usagef("--slack moves a threshold, but cut %s promises one; use one of them", f.name)
	case answer.FixedSize(parsed):
		return cut, usagef("--slack moves a threshold, but cut %s has a fixed size; use one of them", f.name)
	}
	return cut, nil
}

// retriever returns a retriever that answers by the chosen cut.
func (a *app) retriever(
	ctx context.Context, run *answer.Run, cut answer.Cut, o retrieve.Options,
) (*retrieve.Retriever, error) {
	p, end := a.progress(false)
	defer end()
	return run.Retriever(ctx, cut, o, p)
}

// noteUnfinished writes a note to stderr if the model is the saved one of an unfinished run.
func (a *app) noteUnfinished(run *answer.Run) {
	if note := run.UnfinishedNote(); note != "" {
		fmt.Fprintln(a.stderr, visible.Line("note: "+note))
	}
}

// noteCut writes to stderr by which cut the run answers and why, if none was chosen.
func (a *app) noteCut(run *answer.Run, chosen answer.Cut) {
	if note := run.CutNote(chosen); note != "" {
		fmt.Fprintln(a.stderr, "note: "+note)
	}
}

// noteNovel writes a note to stderr if the cut returns almost no inferred answers.
func (a *app) noteNovel(ctx context.Context, run *answer.Run, r *retrieve.Retriever) error {
	p, end := a.progress(false)
	note, err := run.NovelNote(ctx, r, 0, p)
	end()
	if note == nil {
		return err
	}
	text := note.Text
	if words := present.Hints(note.Hints(), present.Program()); words != "" {
		text += "; " + words
	}
	fmt.Fprintln(a.stderr, "note: "+text)
	return err
}
