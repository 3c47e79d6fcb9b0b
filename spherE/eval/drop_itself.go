package eval

import (
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// DropItself returns m without the asked entity among the answers, for every relation of which no training fact leads
// from an entity to itself. The value of a dropped entity is NaN. So it is in no set of the model, has the last rank
// and no probability, and displaces no other entity. A report does not count it among NaN values. Lookup still returns
// it if the graph has it.
func DropItself(m Model, g *kg.Graph) Model { return &dropping{m, g.Loops()} }

type dropping struct {
	Model
	loops []bool // by relation
}

func (m *dropping) Values(c sphere.Criterion, q kg.Query, dist, dst []float32) float32 {
	threshold := m.Model.Values(c, q, dist, dst)
	if !m.loops[q.Relation] {
		dst[q.Known] = float32(math.NaN())
	}
	return threshold
}

// countDropped returns the number of entities of a query whose value is NaN because they are dropped.
func countDropped(m Model, q kg.Query) int32 {
	if d, ok := m.(*dropping); ok && !d.loops[q.Relation] {
		return 1
	}
	return 0
}
