package eval

import (
	"fmt"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
)

// Criterion is the cut by a criterion of the model. "" is the model's default criterion.
type Criterion sphere.Criterion

func parseCriterion(name string) (Cut, bool) {
	c := Criterion(name)
	return c, c.Rank() >= 0
}

func (c Criterion) Name() string { return string(c) }
func (c Criterion) Kind() Kind   { return KindCriterion }
func (c Criterion) Rank() int    { return slices.Index(sphere.Criteria(), sphere.Criterion(c)) }

func (c Criterion) prepare(*plan) (prepared, error) {
	if c != Criterion(modelCriterion) && c.Rank() < 0 {
		return prepared{}, fmt.Errorf("eval: criterion %q is unknown; use one of %q", c, sphere.Criteria())
	}
	return prepared{name: c.Name(), criterion: sphere.Criterion(c),
		count: func(r *row) count { return r.within(r.threshold) }}, nil
}
