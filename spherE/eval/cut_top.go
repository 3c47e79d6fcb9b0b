package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
)

// Top is the cut of the best Top entities: those of smallest values of CriterionMargin. Equal values are in the order
// of ids.
type Top int

// Tops returns the cuts of these sizes, smallest first, each once.
func Tops(sizes ...int) []Cut {
	var cuts []Cut
	for _, l := range slices.Compact(slices.Sorted(slices.Values(sizes))) {
		cuts = append(cuts, Top(l))
	}
	return cuts
}

const topPrefix = "top-"

func parseTop(name string) (Cut, bool) {
	text, found := strings.CutPrefix(name, topPrefix)
	l, err := strconv.Atoi(text)
	return Top(l), found && err == nil && Top(l).Name() == name && l > 0
}

func (c Top) Name() string { return topPrefix + strconv.Itoa(int(c)) }
func (c Top) Kind() Kind   { return KindTop }
func (c Top) Rank() int    { return int(c) }

func (c Top) prepare(p *plan) (prepared, error) {
	if c < 1 {
		return prepared{}, fmt.Errorf("eval: a top-l cut must keep at least 1 entity, got %d", c)
	}
	p.top = max(p.top, int(c))
	return prepared{name: c.Name(), criterion: sphere.CriterionMargin,
		count: func(r *row) count { return r.best(int(c)) }}, nil
}
