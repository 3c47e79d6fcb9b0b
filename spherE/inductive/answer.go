package inductive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// The methods in this file let evaluation, retrieval and stacks use a Model.

// Settings returns the name and the variant: a network has no geometry.
func (m *Model) Settings() sphere.Settings {
	return sphere.Settings{Model: m.name, Variant: sphere.Clean}
}

// Entities returns the number of entities of the graph.
func (m *Model) Entities() int { return m.entities }

// Relations returns the number of relations of the graph.
func (m *Model) Relations() int { return m.relations }

// LogOdds returns true: values are minus logarithms of odds.
func (m *Model) LogOdds() bool { return true }

// HasRadii returns false.
func (m *Model) HasRadii() bool { return false }

// Radius returns 0.
func (m *Model) Radius(int32) float32 { return 0 }

// DefaultCriterion returns "": there is none, since odds of one mean something else on each graph.
func (m *Model) DefaultCriterion() sphere.Criterion { return "" }

// Digest returns the SHA-256, in hexadecimal, of the digests of the network and of the graph, and of the way to ask for
// heads unless it is Inverse.
func (m *Model) Digest() string {
	text := m.network.digest + " " + m.graphDigest
	if m.heads != Inverse {
		text += " " + string(m.heads)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Distances fills dst, row-major len(queries) x Entities(), with minus the scores. Several goroutines call it, so it
// starts none. It remembers answers up to a limit, because an evaluation asks the same queries for ranks, thresholds,
// probabilities and cuts.
func (m *Model) Distances(queries []kg.Query, dst []float32) {
	var asked []kg.Query
	var rows [][]float32
	for i, q := range queries {
		row := dst[i*m.entities:][:m.entities]
		if !m.answers.recall(m.heads.of(q), row) {
			asked, rows = append(asked, q), append(rows, row)
		}
	}
	_ = m.Scores(context.Background(), asked, rows, 1) // this context does not end
	for i, row := range rows {
		for e, s := range row {
			row[e] = -s
		}
		m.answers.remember(m.heads.of(asked[i]), row)
	}
}

// DistancesAt fills dst with the distances of all entities, not only the listed ones: a pass computes all of them.
func (m *Model) DistancesAt(q kg.Query, _ []int32, dst []float32) { m.Distances([]kg.Query{q}, dst) }

// Values returns the distances, whatever the criterion. The threshold 0 is a probability of one half.
func (m *Model) Values(_ sphere.Criterion, _ kg.Query, dist, dst []float32) float32 {
	copy(dst, dist)
	return 0
}
