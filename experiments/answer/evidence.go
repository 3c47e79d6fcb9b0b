package answer

import (
	"context"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/progress"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/evidence"
	"github.com/spherelab/spherelab/spherE/inductive"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/spherE/rule"
	"github.com/spherelab/spherelab/spherE/stack"
)

// evidence returns what supports a fact in the training split, as if that did not hold the fact itself. Its
// probabilities are those of answers by the cut.
func (r *Run) evidence(
	ctx context.Context, of kg.Triple, cut eval.Cut, threads int, p progress.Listener,
) (*evidence.Evidence, error) {
	g, model := r.Graph, r.Model
	if g.Index(kg.Train).Has(of) {
		g = g.Without([]kg.Triple{of})
		var err error
		if model, err = onGraph(r.Model, g); err != nil {
			return nil, err
		}
	}
	counted, networks := partsOf[*rule.Model](model), partsOf[*inductive.Model](model)
	paths, err := inductive.Paths(ctx, of, networks...)
	if err != nil {
		return nil, err
	}
	e := &evidence.Evidence{Source: evidence.FromGraph,
		Reasons: append(paths, rule.NewWitness(g, counted...).Reasons(of)...)}
	switch {
	case len(counted) > 0:
		e.Source = evidence.FromModel
	case len(networks) > 0:
		e.Source = evidence.FromNetwork
	}
	e.Name(g, of)
	switch {
	case len(counted)+len(networks) == 0:
		e.Notes = append(e.Notes, "the model answers by what it has learned and reads no facts, so there is no probability "+
			"without one of them")
		return e, nil
	case len(r.fittedOn().Valid) < config.LeastCalibrated:
		e.Notes = append(e.Notes, "the graph has too few validation facts for probabilities")
		return e, nil
	}
	if len(partsOf[*sphere.Model](model)) > 0 {
		e.Notes = append(e.Notes, "without: what counts facts counts again; embeddings stay as they were trained")
	}
	without, err := r.without(ctx, g, model, of, cut, threads, p)
	if err != nil {
		return nil, err
	}
	if e.Probability, err = without(nil); err != nil {
		return nil, err
	}
	for i := range e.Reasons {
		if e.Reasons[i].Without, err = without(evidence.Removed(e.Reasons[i])); err != nil {
			return nil, err
		}
	}
	if len(e.Reasons) > 0 {
		e.WithoutAll, err = without(evidence.Removed(e.Reasons...))
	}
	return e, err
}

// without returns a function that returns the probability of a fact where training does not hold others.
func (r *Run) without(
	ctx context.Context, g *kg.Graph, model Model, of kg.Triple, cut eval.Cut, threads int, p progress.Listener,
) (func(facts []kg.Triple) (*float64, error), error) {
	by, err := r.Calibrated(ctx, cut.Name(), threads, p)
	if err != nil {
		return nil, err
	}
	r.estimating.Lock()
	fitted, err := r.fittedFacts(ctx, by, threads, p)
	r.estimating.Unlock()
	if err != nil {
		return nil, err
	}
	return func(facts []kg.Triple) (*float64, error) {
		g, model := g, model
		if len(facts) > 0 {
			g = g.Without(facts)
			if model, err = onGraph(model, g); err != nil {
				return nil, err
			}
		}
		return r.probabilityOn(ctx, g, answering(model, cut), of, by, fitted)
	}, nil
}

// probabilityOn returns the probability of a fact by a model of a graph that has the names of the run's.
func (r *Run) probabilityOn(
	ctx context.Context, g *kg.Graph, m retrieve.Model, of kg.Triple, by *eval.Calibrated, fitted *eval.Facts,
) (*float64, error) {
	facts, err := r.factsOn(g, by, fitted)
	if err != nil {
		return nil, err
	}
	one := func(kg.Query) int { return 1 } // some models have no criterion; no set is asked for
	q, err := retrieve.New(m, g, retrieve.Options{Criterion: sphere.CriterionMargin, Size: one,
		Facts: func(context.Context) (*retrieve.Facts, error) { return facts, nil }})
	if err != nil {
		return nil, err
	}
	estimates, err := q.Estimates(ctx, []kg.Triple{of})
	if err != nil {
		return nil, err
	}
	return &estimates[0].Probability, nil
}

// onGraph returns a model on another graph with the same names: what counts facts or passes messages along them reads
// that graph, what was trained stays.
func onGraph(m Model, g *kg.Graph) (Model, error) {
	switch m := m.(type) {
	case *rule.Model:
		return m.On(g)
	case *inductive.Model:
		return m.OnGraph(g)
	case *stack.Stack:
		models := m.Models()
		for i, of := range models {
			whole, ok := of.(Model)
			if !ok {
				continue
			}
			other, err := onGraph(whole, g)
			if err != nil {
				return nil, err
			}
			models[i] = other
		}
		return m.On(g, models)
	}
	return m, nil
}

// partsOf are the models of a type: of those in a stack, or the model itself.
func partsOf[T stack.Model](m Model) (list []T) {
	parts := []stack.Model{m}
	if s, ok := m.(*stack.Stack); ok {
		parts = s.Models()
	}
	for _, part := range parts {
		if p, ok := part.(T); ok {
			list = append(list, p)
		}
	}
	return list
}
