package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// cutFlags are the flags that choose the cut of answers.
type cutFlags struct {
	cut, criterion    string
	slack             float64
	precision, recall float64
	dropItself        bool
	given             func(flag string) bool
}

// aboutCuts is the part of a command's help that says what cuts there are.
func aboutCuts() string {
	return `--cut chooses which entities are answers, by the names that tables have: ` + criteria() + ` (a
rule on distance, radii or boxes); fitted-f1, fitted-novel, fitted-union (thresholds by relation and side, fitted on the validation
facts for F1, novel-answer F1, known-union F1), fitted-side-f1, ... (one threshold per side); top-10 or any other size; top-mean
(as many as a query of the relation and side has in training, on average). Without --cut it is the criterion that the
run's config chooses (eval.criterion). If it chooses none, it is expected-novel for a run with eval.calibrate, as of a
graph of one's own, and for a stack, else fitted-novel; without validation facts the criterion of the model's variant. The first use of a
fitted cut fits its thresholds; the run keeps them.

expected-f1, expected-novel, expected-union give every query the set of greatest expected F1 under probabilities
that are fitted on the validation facts; answers then show their probability. --precision .8 and --recall .5 (cuts
precision-0.8, recall-0.5) aim at that share of new answers, and a note says what validation facts gave.
--drop-itself keeps the asked entity out where no training fact of the relation leads from an entity to itself.

--slack S moves the threshold of one question: above 0 only answers that lie at least S inside the cut's border stay;
below 0 entities up to -S outside become answers, too. Slack tells nothing across questions.`
}

// slackAcross refuses --slack for answers to many queries.
func slackAcross(where string) error {
	return usagef("--slack does not go with %s: slack can be compared within one query only, and each query has its own "+
		"threshold; --precision 0.8 asks all queries for surer answers, --recall 0.5 for more", where)
}

func (f *cutFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.cut, "cut", "",
		"which entities are answers: fitted-novel, fitted-f1, margin, top-10, ... (default: the run's)")
	flags.StringVar(&f.criterion, "criterion", "", "the same for one of "+criteria()+" alone")
	flags.Float64Var(&f.slack, "slack", 0,
		"move the threshold: only answers that lie at least so far inside the border")
	flags.Float64Var(&f.precision, "precision", 0,
		"answers of which this share is right by the validation facts, above 0 and below 1")
	flags.Float64Var(&f.recall, "recall", 0, "answers that hold this share of the right ones by the validation facts")
	flags.BoolVar(&f.dropItself, "drop-itself", false,
		"keep the asked entity out where no training fact of the relation is a loop")
	f.given = flags.Changed
}

// chosen checks the flags before anything starts.
func (f *cutFlags) chosen() (experiments.AnswerCut, error) {
	c, err := criterion(f.criterion)
	switch {
	case err != nil:
		return experiments.AnswerCut{}, err
	case f.cut != "" && c != "":
		return experiments.AnswerCut{}, usagef("--cut %s and --criterion %s both choose the cut; give one of them",
			f.cut, c)
	case c != "":
		f.cut = string(c)
	}
	if err := f.promise(); err != nil {
		return experiments.AnswerCut{}, err
	}
	cut := experiments.AnswerCut{Name: f.cut, Slack: float32(f.slack), DropItself: f.dropItself}
	if math.Abs(f.slack) > math.MaxFloat32 || f.slack != f.slack {
		return cut, usagef("--slack must be a finite number, not %g", f.slack)
	}
	if f.cut == "" {
		return cut, nil
	}
	parsed, err := experiments.ParseAnswerCut(f.cut)
	if err != nil {
		return cut, usagef("--cut: %w", err)
	}
	if f.slack != 0 && parsed.Kind() == eval.KindPromised {
		return cut, usagef("--slack moves a threshold that cut %s promises; give one of them", f.cut)
	}
	if f.slack != 0 && experiments.FixedSize(parsed) {
		return cut, usagef("--slack moves a threshold, and cut %s has a fixed size; give one of them", f.cut)
	}
	return cut, nil
}

// promise makes a cut of --precision or --recall.
func (f *cutFlags) promise() error {
	for _, p := range []struct {
		name  string
		share float64
		cut   func(float64) (eval.Promised, bool)
	}{{"precision", f.precision, eval.PromisedPrecision}, {"recall", f.recall, eval.PromisedRecall}} {
		if !f.given(p.name) {
			continue
		}
		c, ok := p.cut(p.share)
		switch {
		case !ok:
			return usagef("--%s must be above 0 and below 1, of six digits at most, not %g", p.name, p.share)
		case f.cut != "":
			return usagef("--%s and cut %s both choose the cut; give one of them", p.name, f.cut)
		}
		f.cut = c.Name()
	}
	return nil
}

// retriever prepares answering by the chosen cut.
func (a *app) retriever(
	ctx context.Context, run *experiments.TrainedRun, cut experiments.AnswerCut, o retrieve.Options,
) (*retrieve.Retriever, error) {
	p, end := a.progress(false)
	defer end()
	return run.Retriever(ctx, cut, o, p)
}

// noteUnfinished says on stderr where the model is the saved one of an unfinished run.
func (a *app) noteUnfinished(run *experiments.TrainedRun) {
	if note := run.UnfinishedNote(); note != "" {
		fmt.Fprintln(a.stderr, visible.Line("note: "+note))
	}
}

// noteCut says on stderr by which cut the run answers and why, where none was chosen.
func (a *app) noteCut(run *experiments.TrainedRun, chosen experiments.AnswerCut) {
	if note := run.CutNote(chosen); note != "" {
		fmt.Fprintln(a.stderr, "note: "+note)
	}
}

// noteNovel says on stderr where the cut gives almost no inferred answer.
func (a *app) noteNovel(ctx context.Context, run *experiments.TrainedRun, r *retrieve.Retriever) error {
	p, end := a.progress(false)
	note, err := run.NovelNote(ctx, r, 0, p)
	end()
	if note == nil {
		return err
	}
	text := note.Text
	if words := hintText(note.Hints(), programName()); words != "" {
		text += "; " + words
	}
	fmt.Fprintln(a.stderr, "note: "+text)
	return err
}
