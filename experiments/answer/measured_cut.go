package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/internal/spelling"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// onValidation are the kinds of cuts that are fitted on validation facts.
var onValidation = []eval.Kind{eval.KindFitted, eval.KindExpected, eval.KindPromised, eval.KindCovering}

// IsFitted reports whether a cut is fitted on validation facts.
func IsFitted(cut eval.Cut) bool { return slices.Contains(onValidation, cut.Kind()) }

// Measuring are the options with which Evaluate also measures the cut of that name on a run; "" changes nothing. It
// fails if the run has no such cut.
func (o EvalOptions) Measuring(r *Run, name string) (EvalOptions, error) {
	if err := r.Measurable(); err != nil || name == "" {
		return o, err
	}
	cut, known := eval.ParseCut(name)
	if known && IsFitted(cut) {
		if o.Valid {
			return o, fmt.Errorf("%s is fitted on the validation triples; only the test triples can judge it", name)
		}
		if len(r.Graph.Valid) == 0 {
			return o, r.noValidation(name)
		}
	}
	switch c := cut.(type) {
	case eval.Criterion:
		if slices.Contains(r.Config.Settings().Criteria(), sphere.Criterion(c)) {
			o.Criteria = append(slices.Clip(o.Criteria), c)
		}
	case eval.Fitted, eval.TopMean:
		o.Fit = true
	case eval.Top:
		sizes := o.TopL
		if sizes == nil {
			sizes = r.Config.Eval.TopL
		}
		if !slices.Contains(sizes, int(c)) {
			o.TopL = append(slices.Clone(sizes), int(c))
		}
	case eval.Limited:
		o.With = append(slices.Clip(o.With), c)
	}
	if names := r.CutNames(o); !slices.Contains(names, name) {
		message := fmt.Sprintf("%s has no cut %q", RunTitle(r.Info.ID, r.Info.Name), name)
		if near := spelling.Nearest(names, name, 1); len(near) > 0 {
			message += fmt.Sprintf("; did you mean %q?", near[0])
		}
		return o, fmt.Errorf("%s; it has %s, and top-N of any size", message, strings.Join(names, ", "))
	}
	return o, nil
}
