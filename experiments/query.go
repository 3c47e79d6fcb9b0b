package experiments

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/stack"
	"github.com/spherelab/spherelab/tracker"
)

// AnswerCut says which entities are answers. The zero value is the run's default cut.
type AnswerCut struct {
	Name  string  // of the cut, see ParseAnswerCut; "": DefaultCut
	Slack float32 // moves the threshold, see retrieve.Options.Slack; not with cuts of a fixed size

	DropItself bool // see retrieve.Options.DropItself; also where the run's config has eval.drop_itself
}

// Retriever prepares answering queries with the run's model by a cut. Options that make a cut are set here. Fitted
// thresholds are read from the run's artifacts, or fitted now, which p shows; nil shows nothing.
func (r *TrainedRun) Retriever(
	ctx context.Context, cut AnswerCut, o retrieve.Options, p Progress,
) (*retrieve.Retriever, error) {
	if cut.Name == "" {
		cut.Name = r.DefaultCut()
	}
	parsed, err := ParseAnswerCut(cut.Name)
	if err != nil {
		return nil, err
	}
	o.Cut, o.Slack, o.Criterion = cut.Name, cut.Slack, sphere.CriterionMargin
	o.DropItself = cut.DropItself || r.Config.Eval.DropItself
	switch c := parsed.(type) {
	case eval.Criterion:
		if err := r.Config.fits(c); err != nil {
			return nil, fmt.Errorf("cut %s does not fit the model: %w", cut.Name, err)
		}
		o.Criterion = sphere.Criterion(c)
	case eval.Fitted:
		t, err := r.thresholds(ctx, cut.Name, o.Threads, p)
		if err != nil {
			return nil, err
		}
		o.Threshold = func(q kg.Query, _ float32) float32 { return t.Limit(q) }
	case eval.Limited:
		if err := r.limit(ctx, c, &o, p); err != nil {
			return nil, err
		}
	case eval.Top:
		o.Size = func(kg.Query) int { return int(c) }
	case eval.TopMean:
		o.Size = c.Size(r.Graph)
	}
	if cut.Slack != 0 && parsed.Kind() == eval.KindPromised {
		return nil, fmt.Errorf("cut %s promises what its threshold gives, so slack cannot move it", cut.Name)
	}
	if cut.Slack != 0 && o.Size != nil {
		return nil, fmt.Errorf("cut %s has a fixed size, so slack cannot move its border", cut.Name)
	}
	o.Steps = r.steps(parsed, o.Threads, p)
	o.Facts = func(ctx context.Context) (*retrieve.Facts, error) { return r.facts(ctx, cut.Name, o.Threads, p) }
	return retrieve.New(r.Model, r.Graph, o)
}

// FixedSize reports whether sets of a cut have a size instead of a threshold.
func FixedSize(c eval.Cut) bool { return c.Kind() == eval.KindTop || c.Kind() == eval.KindTopMean }

// DefaultCut is the cut of answers where none is named: the criterion that the run's config chooses. Where it chooses
// none, it is made for novel answers by the validation facts: expected-novel if the run's evaluation has it, as that of
// a stack with leastCalibrated facts or more, or with eval.calibrate; else fitted-novel. Without validation facts it is
// the model's own criterion, or top-mean where it has none.
func (r *TrainedRun) DefaultCut() string {
	name, _ := r.defaultCut()
	return name
}

// CutNote says in one line by which cut the run answers where none is named, and why; "" where one is.
func (r *TrainedRun) CutNote(asked AnswerCut) string {
	if asked.Name != "" {
		return ""
	}
	name, why := r.defaultCut()
	return fmt.Sprintf("cut %s: %s", name, why)
}

func (r *TrainedRun) defaultCut() (name, why string) {
	own, facts := cmp.Or(string(r.Criterion()), eval.TopMean{}.Name()), plural(len(r.Graph.Valid), "validation fact")
	fitted := "fitted on "
	if r.Config.Eval.Sample > 0 {
		fitted += "some queries of "
	}
	fitted += facts
	switch {
	case r.Config.criterion() != "":
		return own, "the run's config chooses it"
	case len(r.Graph.Valid) == 0:
		return own, "the run has no validation facts"
	case r.calibrates():
		return defaultExpected, "the run has probabilities " + fitted
	case len(r.Graph.Valid) < leastCalibrated:
		return defaultFitted, fmt.Sprintf("thresholds are %s, too few for probabilities, which need %d", fitted,
			leastCalibrated)
	default:
		return defaultFitted, "the run has thresholds " + fitted + ", and eval.calibrate is off"
	}
}

// calibrates reports whether the run's own evaluation has the cuts by probabilities.
func (r *TrainedRun) calibrates() bool {
	return r.Config.Eval.Calibrate || r.stacked() && len(r.Graph.Valid) >= leastCalibrated
}

func (r *TrainedRun) stacked() bool {
	_, ok := r.Model.(*stack.Stack)
	return ok
}

// leastCalibrated is the least number of validation facts with which probabilities were measured to give better sets
// than thresholds; docs/answers.md has the numbers.
const leastCalibrated = 10

// The cuts of answers where none is named.
const (
	defaultExpected = "expected-novel"
	defaultFitted   = "fitted-novel"
)

// Title names model, variant and run: "SpherE-2D (clean), run 4c7e17b7".
func (r *TrainedRun) Title() string {
	return fmt.Sprintf("%s (%s), run %s", sphere.Title(r.Config.Model), r.Config.Variant, tracker.ShortID(r.Info.ID))
}
