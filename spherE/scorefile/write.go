package scorefile

import (
	"cmp"
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Model is what Write asks; *sphere.Model is one.
type Model interface {
	Entities() int
	Distances(queries []kg.Query, dst []float32)
	Values(c sphere.Criterion, q kg.Query, dist, dst []float32) (threshold float32)
}

// Write writes the scores of a model for the distinct queries of the splits' triples as a tab separated file, which
// Read reads back without loss. A score is minus the distance that ranks order by. Of each query the best candidates
// are written, at most top, ties by id; 0 is all. It returns the error of the writer or of ctx.
func Write(ctx context.Context, w io.Writer, m Model, g *kg.Graph, top int, splits ...kg.Split) error {
	lines := csv.NewWriter(w)
	lines.Comma = '\t'
	if err := lines.Write(Columns()); err != nil {
		return err
	}
	values, order := make([]float32, m.Entities()), make([]int32, 0, m.Entities())
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for _, q := range queries(g, side, splits...) {
			if err := ctx.Err(); err != nil {
				return err
			}
			m.Distances([]kg.Query{q}, values)
			m.Values(sphere.CriterionMargin, q, values, values)
			order = order[:0]
			for e, v := range values {
				if v == v {
					order = append(order, int32(e))
				}
			}
			slices.SortFunc(order, func(a, b int32) int {
				return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b))
			})
			if top > 0 {
				order = order[:min(top, len(order))]
			}
			known, relation := g.Entities.Name(q.Known), g.Relations.Name(q.Relation)
			for _, e := range order {
				head, tail := known, g.Entities.Name(e)
				if side == kg.HeadSide {
					head, tail = tail, head
				}
				score := strconv.FormatFloat(float64(-values[e]), 'g', -1, 32)
				if err := lines.Write([]string{side.String(), head, relation, tail, score}); err != nil {
					return err
				}
			}
		}
	}
	lines.Flush()
	return lines.Error()
}
