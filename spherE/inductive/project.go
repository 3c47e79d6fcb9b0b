package inductive

import (
	"context"
	"fmt"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// member is an entity of a fuzzy set, with a degree above 0 and at most 1.
type member struct {
	entity int32
	degree float32
}

// OnSets reports whether the weights were trained to answer from fuzzy sets. All networks can, but others take the
// degrees of many members for as many certain ones.
func (m *Model) OnSets() bool { return m.name == sphere.UltraQuery }

// Project sets dst, by entity, to the scores of what a fuzzy set leads to: what its entities have a relation to
// (TailSide), or what has it to them (HeadSide). The start of an entity is its degree times that of an asked entity, so
// a set of one certain entity gives the scores of a query (Galkin et al., "A Foundation Model for Zero-shot Logical
// Query Reasoning", NeurIPS 2024). The logistic function of a score is a degree again. Entities must ascend; those
// without a degree above 0 can be left out. It returns the errors of Scores.
func (m *Model) Project(
	ctx context.Context, entities []int32, degrees []float32, side kg.Side, relation int32, dst []float32,
) error {
	from := make([]member, len(entities))
	for i, e := range entities {
		if e < 0 || int(e) >= m.entities || i > 0 && e <= entities[i-1] {
			return fmt.Errorf("inductive: entity %d is not in an ascending list of entities below %d", e, m.entities)
		}
		from[i] = member{e, degrees[i]}
	}
	q := kg.Query{Side: side, Relation: relation}
	ways := []Heads{m.heads}
	if m.heads == Both {
		ways = []Heads{Inverse}
		if side == kg.HeadSide {
			ways = append(ways, Direct)
		}
	}
	for i, h := range ways {
		if err := ctx.Err(); err != nil {
			return err
		}
		row := dst
		if i > 0 {
			row = make([]float32, m.entities)
		}
		m.project(q, h, from, row)
		if i > 0 {
			for e, y := range row {
				dst[e] = (dst[e] + y) / 2
			}
		}
	}
	return nil
}

func (m *Model) project(q kg.Query, h Heads, from []member, dst []float32) {
	asked, of := askedFor(q, m.relations, h)
	p := m.passes.Get().(*pass)
	defer m.passes.Put(p)
	p.prepare(m.represent(of), asked)
	p.one(from, dst)
}
