package eval

import (
	"fmt"
	"slices"

	sphere "github.com/spherelab/spherelab/spherE"
)

// Criterion is the cut that a criterion of the model makes; "" is the model's default criterion.
type Criterion sphere.Criterion

// criteria are all criteria in the order of tables.
var criteria = []Criterion{
	Criterion(sphere.CriterionMargin), Criterion(sphere.CriterionSphere), Criterion(sphere.CriterionIntersect),
	Criterion(sphere.CriterionBlocks), Criterion(sphere.CriterionBoxes),
}

func parseCriterion(name string) (Cut, bool) {
	c := Criterion(name)
	return c, slices.Contains(criteria, c)
}

func (c Criterion) Name() string { return string(c) }
func (c Criterion) Kind() Kind   { return KindCriterion }
func (c Criterion) Rank() int    { return slices.Index(criteria, c) }

func (c Criterion) prepare(*plan) (prepared, error) {
	if c != Criterion(modelCriterion) && c.Rank() < 0 {
		return prepared{}, fmt.Errorf("eval: there is no criterion %q; there are %q", c, criteria)
	}
	return prepared{name: c.Name(), criterion: sphere.Criterion(c),
		count: func(r *row) count { return r.within(r.threshold) }}, nil
}
