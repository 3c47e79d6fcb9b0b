// Package ask answers questions with probabilities: it fits those of package eval on the validation triples of a graph
// and passes them to package retrieve.
package ask

import (
	"context"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Model is what is asked: *sphere.Model, *stack.Stack, and models of packages rule and inductive.
type Model interface {
	retrieve.Model
	eval.Model
}

// New prepares m for questions about g. A set has the known answers and the new ones of the best expected novel F1
// (eval.ExpectedNovel), each with the probability that the fact is right. A query's own entity is left out where no
// training fact of the relation leads from an entity to itself. The probabilities are fitted now, on g.Valid; no test
// triple is used. With fewer than eval.LeastCalibrated validation triples there are none, and m's own criterion decides
// the set. A model without one, such as ComplEx or NewScored, then needs retrieve.New with a size.
//
// Errors are that of ctx, those of a model of another graph, and that of a model for which nothing decides the set.
func New(ctx context.Context, m Model, g *kg.Graph) (*retrieve.Retriever, error) {
	o := retrieve.Options{DropItself: true}
	if len(g.Valid) < eval.LeastCalibrated {
		return retrieve.New(m, g, o)
	}
	judged := eval.DropItself(m, g)
	by, err := eval.Calibrate(ctx, judged, g, eval.CalibrateSettings{})
	if err != nil {
		return nil, err
	}
	fitted, err := eval.FitFacts(ctx, judged, g, by, eval.FactSettings{})
	if err != nil {
		return nil, err
	}
	facts, err := Facts(g, by, fitted)
	if err != nil {
		return nil, err
	}
	facts.DropItself = o.DropItself
	cut, _ := eval.ParseCut(eval.ExpectedNovel)
	limit, err := cut.(eval.Limited).By(by).Limits(g)
	if err != nil {
		return nil, err
	}
	o.Cut, o.Criterion, o.Border, o.Probabilities = cut.Name(), sphere.CriterionMargin, limit, true
	o.Facts = func(context.Context) (*retrieve.Facts, error) { return facts, nil }
	return retrieve.New(m, g, o)
}

// Facts are fitted probabilities of facts as package retrieve takes them: by of the two queries of a fact, fitted of
// both together. Both must have been fitted on g, or on a graph with the same entities and relations.
func Facts(g *kg.Graph, by *eval.Calibrated, fitted *eval.Facts) (*retrieve.Facts, error) {
	sides, err := by.New.Sides(g)
	if err != nil {
		return nil, err
	}
	return &retrieve.Facts{
		Side: func(q kg.Query, values []float32) func(float32) float64 { return sides.Of(q, values).Odds },
		Seen: func(q kg.Query) func(float32) float64 {
			if s, ok := sides.Seen(q); ok {
				return s.Odds
			}
			return nil
		},
		Of: func(relation int32, tail, head float64) retrieve.Estimate {
			return retrieve.Estimate(fitted.Of(relation, tail, head))
		},
	}, nil
}
