package answer

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/stack"
)

// The usual cuts of answers where none is named.
const (
	defaultExpected = eval.ExpectedNovel
	defaultFitted   = "fitted-novel"
)

// DefaultCut is the cut of one side's answers where none is named: UsualCut, or what the run has recorded in its place
// because it lowered what a lookup has on the validation facts, see eval.ChooseCuts. That may be eval.LookupName.
func (r *Run) DefaultCut(side kg.Side) string {
	name, _ := r.defaultCut(side)
	return name
}

// UsualCut is the criterion that the run's config chooses. Where it chooses none, it is made for novel answers by the
// validation facts: expected-novel if the run's evaluation has it, as that of a stack with config.LeastCalibrated facts
// or more, or with eval.calibrate; else fitted-novel. Without validation facts it is the model's own criterion, or
// top-mean where it has none.
func (r *Run) UsualCut() string {
	name, _ := r.usualCut()
	return name
}

// MeasuredCut is UsualCut for a run whose final evaluation has just been made.
func MeasuredCut(c *config.Config, report *eval.Report) string {
	if c.Criterion() == "" {
		for _, name := range []string{defaultExpected, defaultFitted} {
			if _, measured := report.Cut(name); measured {
				return name
			}
		}
	}
	return report.Primary
}

// CutNote says in one line by which cut the run answers where none is named, and why; "" where one is.
func (r *Run) CutNote(asked Cut) string {
	if asked.Name != "" {
		return ""
	}
	head, headWhy := r.defaultCut(kg.HeadSide)
	tail, tailWhy := r.defaultCut(kg.TailSide)
	if head == tail && headWhy == tailWhy {
		return fmt.Sprintf("cut %s: %s", head, headWhy)
	}
	return fmt.Sprintf("cut %s for heads: %s; cut %s for tails: %s", head, headWhy, tail, tailWhy)
}

func (r *Run) defaultCut(side kg.Side) (name, why string) {
	name, why = r.usualCut()
	if chosen := ReadLogged(r.Info).DefaultCuts; chosen != nil {
		if c := chosen.Of(side); c.Usual == name && c.Moved() {
			return c.Cut, c.Why()
		}
	}
	return name, why
}

func (r *Run) usualCut() (name, why string) {
	valid := len(r.fittedOn().Valid)
	own, facts := cmp.Or(string(r.Criterion()), eval.TopMean{}.Name()), quantity.Count(valid, "validation fact")
	fitted := "fitted on "
	if r.Config.Eval.Sample > 0 {
		fitted += "some queries of "
	}
	fitted += facts
	if r.measured != nil {
		fitted += ", before the model was trained again on all facts"
	}
	switch {
	case r.Config.Criterion() != "":
		return own, "the run's config chooses it"
	case valid == 0:
		return own, "the run has no validation facts"
	case r.calibrates():
		return defaultExpected, "the run has probabilities " + fitted
	case valid < config.LeastCalibrated:
		return defaultFitted, fmt.Sprintf("thresholds are %s, too few for probabilities, which need %d", fitted,
			config.LeastCalibrated)
	default:
		return defaultFitted, "the run has thresholds " + fitted + ", and eval.calibrate is off"
	}
}

// calibrates reports whether the run's own evaluation has the cuts by probabilities.
func (r *Run) calibrates() bool {
	if r.measured != nil && !r.stacked() {
		return storedFile(r.Info, CalibrationFile) != ""
	}
	return r.Config.Eval.Calibrate || r.stacked() && len(r.fittedOn().Valid) >= config.LeastCalibrated
}

func (r *Run) stacked() bool {
	_, ok := r.Model.(*stack.Stack)
	return ok
}

// bySide prepares answering with a cut of each side, both by probabilities or eval.LookupName.
func (r *Run) bySide(ctx context.Context, head, tail string, cut Cut, o retrieve.Options, p progress.Listener) (
	*retrieve.Retriever, error,
) {
	var limits [2]eval.Limit
	for i, name := range []string{head, tail} {
		var err error
		if limits[i], err = r.limitOf(ctx, name, o.Threads, p); err != nil {
			return nil, err
		}
	}
	o.Cut, o.TailCut, o.Slack, o.Criterion = head, tail, cut.Slack, sphere.CriterionMargin
	o.DropItself, o.Probabilities = cut.DropItself, true
	o.Border = func(q kg.Query, known []int32, values []float32) float32 {
		if q.Side == kg.HeadSide {
			return limits[0](q, known, values)
		}
		return limits[1](q, known, values)
	}
	usual, err := ParseCut(defaultExpected)
	if err != nil {
		return nil, err
	}
	return r.retriever(usual, false, o, p)
}

// limitOf is the limit of a cut by probabilities. That of a lookup is below every value: known facts are answers
// whatever the cut.
func (r *Run) limitOf(ctx context.Context, name string, threads int, p progress.Listener) (eval.Limit, error) {
	if name == eval.LookupName {
		return func(kg.Query, []int32, []float32) float32 { return float32(math.Inf(-1)) }, nil
	}
	parsed, err := ParseCut(name)
	if err != nil {
		return nil, err
	}
	limited, ok := parsed.(eval.Limited)
	if !ok {
		return nil, fmt.Errorf("cut %s is not one by probabilities", name)
	}
	by, err := r.Calibrated(ctx, name, threads, p)
	if err != nil {
		return nil, err
	}
	return limited.By(by).Limits(r.Graph)
}

// readCuts are the default cuts that a run has recorded, nil where it has none or what any client of the tracker wrote
// there makes no sense.
func readCuts(text string) *eval.DefaultCuts {
	d := new(eval.DefaultCuts)
	if json.Unmarshal([]byte(text), d) != nil || d.Check() != nil {
		return nil
	}
	return d
}

// Worth compares with a lookup, on each side, the cut that answers where none is named, the usual one where that is
// another, and eval.ExpectedUnion, as far as they are measured. Cuts may be nil. None is chosen by what is measured.
func Worth(ctx context.Context, report *eval.Report, usual string, cuts *eval.DefaultCuts, s eval.CompareSettings) (
	[]eval.Worth, error,
) {
	sides := []kg.Side{kg.HeadSide, kg.TailSide}
	chosen := func(side kg.Side) string {
		if cuts != nil && cuts.Of(side).Usual == usual {
			return cuts.Of(side).Cut
		}
		return usual
	}
	of := map[string][]eval.Worth{}
	var list []eval.Worth
	for _, rank := range []func(kg.Side) string{chosen, func(kg.Side) string { return usual },
		func(kg.Side) string { return eval.ExpectedUnion }} {
		for _, side := range sides {
			cut := rank(side)
			if _, measured := report.Cut(cut); !measured || cut == eval.LookupName {
				continue
			}
			if _, done := of[cut]; !done {
				all, err := eval.WorthOf(ctx, report, cut, s)
				if err != nil {
					return nil, err
				}
				of[cut] = all
			}
			for _, w := range of[cut] {
				if w.Side == side && !slices.Contains(list, w) {
					list = append(list, w)
				}
			}
		}
	}
	return list, nil
}
