package eval

import (
	"fmt"
	"slices"
	"strings"

	sphere "github.com/spherelab/spherelab/spherE"
)

// Fitted is the cut at thresholds by relation and side, as Fit finds them. Its name begins with "fitted-".
type Fitted struct {
	name       string
	thresholds *sphere.Thresholds // nil where only the name is known
}

// FittedAt returns the cut at the thresholds t, with t's name.
func FittedAt(t *sphere.Thresholds) Fitted { return Fitted{t.Name, t} }

const (
	fittedByRelation = "fitted-"
	fittedBySide     = "fitted-side-"
)

// FittedNames returns the names of the cuts that Fit finds: by relation and side, then by side alone.
func FittedNames() []string {
	var names []string
	for _, prefix := range []string{fittedByRelation, fittedBySide} {
		for _, o := range objectiveNames {
			names = append(names, prefix+o)
		}
	}
	return names
}

func parseFitted(name string) (Cut, bool) {
	return Fitted{name: name}, strings.HasPrefix(name, fittedByRelation) && !strings.Contains(name, "/")
}

func (c Fitted) Name() string { return c.name }
func (c Fitted) Kind() Kind   { return KindFitted }

// Rank is the position in FittedNames. Other names come after them.
func (c Fitted) Rank() int {
	if i := slices.Index(FittedNames(), c.Name()); i >= 0 {
		return i
	}
	return len(FittedNames())
}

func (c Fitted) prepare(p *plan) (prepared, error) {
	if _, ok := parseFitted(c.name); !ok || p.has(c.name) {
		return prepared{}, fmt.Errorf("eval: thresholds %q need a name of their own that begins with %q",
			c.name, fittedByRelation)
	}
	t, relations := c.thresholds, p.graph.Relations.Len()
	if t == nil || len(t.Head) != relations || len(t.Tail) != relations {
		return prepared{}, fmt.Errorf("eval: thresholds %q are not one per relation and side of graph %q, "+
			"which has %d relations; fit them on this graph", c.name, p.graph.Name, relations)
	}
	return prepared{name: c.name, criterion: sphere.CriterionMargin,
		count: func(r *row) count { return r.within(t.Limit(r.Query)) }}, nil
}
