package sphere

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/spherelab/spherelab/spherE/kg"
)

// Scored is a model of any origin, known by its scores. Packages eval, retrieve, ask and stack take it as they take a
// *Model: it is evaluated as ranks and sets, calibrated, asked and stacked. No score marks the end of a set, so it has
// no criterion: sets have a size, fitted thresholds or probabilities. It is safe for concurrent use if its function is.
type Scored struct {
	name                string
	graph               *kg.Graph
	entities, relations int
	score               func(q kg.Query, dst []float32)
}

// NewScored returns the model of a name whose scores are those of a function. The function sets dst, one float per
// entity of g, to the scores of the entities as answers to q; greater is better, NaN is never an answer. It is called
// from several goroutines and must give a query the same scores each time.
func NewScored(name string, g *kg.Graph, score func(q kg.Query, dst []float32)) *Scored {
	return &Scored{name: name, graph: g, entities: g.Entities.Len(), relations: g.Relations.Len(), score: score}
}

// Settings have the name alone.
func (m *Scored) Settings() Settings { return Settings{Model: m.name, Variant: Clean} }

// Entities returns the number of entities.
func (m *Scored) Entities() int { return m.entities }

// Relations returns the number of relations.
func (m *Scored) Relations() int { return m.relations }

// HasRadii returns false.
func (m *Scored) HasRadii() bool { return false }

// Radius returns 0.
func (m *Scored) Radius(int32) float32 { return 0 }

// DefaultCriterion returns "": there is none.
func (m *Scored) DefaultCriterion() Criterion { return "" }

// Digest is a SHA-256 of the name and the graph, not of scores.
func (m *Scored) Digest() string {
	sum := sha256.Sum256([]byte(m.name + "\x00" + m.graph.Digest()))
	return hex.EncodeToString(sum[:])
}

// Distances writes minus the score of every entity for every query into dst, row-major len(queries) x Entities().
func (m *Scored) Distances(queries []kg.Query, dst []float32) {
	for i, q := range queries {
		row := dst[i*m.entities:][:m.entities]
		m.score(q, row)
		for e, s := range row {
			row[e] = -s
		}
	}
}

// DistancesAt sets dst[e] to minus the score of entity e for q.
func (m *Scored) DistancesAt(q kg.Query, _ []int32, dst []float32) { m.Distances([]kg.Query{q}, dst) }

// Values are the distances, for every criterion.
func (m *Scored) Values(_ Criterion, _ kg.Query, dist, dst []float32) (threshold float32) {
	copy(dst, dist)
	return 0
}
