package sphere

import "github.com/spherelab/spherelab/spherE/kg"

// Thresholds are fitted thresholds: an entity answers a query if its value of CriterionMargin is at most the threshold
// of the query's side and relation.
type Thresholds struct {
	Name string    `json:"name"` // of the cut: "fitted-f1", ...
	Head []float32 `json:"head"` // by relation, for head queries
	Tail []float32 `json:"tail"` // by relation, for tail queries
}

// Limit returns the threshold of a query.
func (t *Thresholds) Limit(q kg.Query) float32 {
	if q.Side == kg.HeadSide {
		return t.Head[q.Relation]
	}
	return t.Tail[q.Relation]
}
