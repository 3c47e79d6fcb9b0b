package eval

import (
	"math"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// DropItself is m with the asked entity out of the answers of every relation whose training facts lead from no entity
// to itself. Its value is NaN, so it is in no set of a model, has the last rank and no probability, and stands in no
// other's way; a report does not count it among NaN values. Lookup still has it where the graph does.
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

// dropped is the number of entities of a query whose value is NaN because they are dropped.
func dropped(m Model, q kg.Query) int32 {
	if d, ok := m.(*dropping); ok && !d.loops[q.Relation] {
		return 1
	}
	return 0
}
