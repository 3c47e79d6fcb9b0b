// Package rule has models without embeddings, which count training facts. Frequency ranks entities by how often they
// occur on a side of a relation. Neighbours lets similar entities vote. Rules follows paths and shared traits. One call
// of Fit makes a model from a graph, without epochs. A model is a pure function of graph, seed and steps: the same bits
// for any number of threads.
package rule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// counter is the part of a model that counts. score fills dst, by entity, with the logarithm of a score; greater is
// better. It is safe for concurrent use.
type counter interface {
	score(q kg.Query, dst []float32)
}

// Model is a counted model of one graph. It is safe for concurrent use. Its values are minus logarithms of scores. No
// value marks the end of a set: sets need fitted thresholds, probabilities or a size.
type Model struct {
	counter
	graph  *kg.Graph
	stored stored
	digest func() string
}

// stored is what a file has of a model. Everything else is counted from the graph again.
type stored struct {
	Model      string  `json:"model"`
	Graph      string  `json:"graph_digest"`
	Neighbours *Voting `json:"neighbours,omitempty"`
	Rules      *Mined  `json:"rules,omitempty"`
}

// Settings are how a model is fitted. The zero value uses all cores.
type Settings struct {
	Threads int // 0: all cores; never changes a number

	Steps int    // of mining, for sphere.Rules
	Seed  uint64 // of mining

	// Progress is called on the goroutine that called Fit, with the number of finished mining steps or tried validation
	// queries.
	Progress func(done, total int)
}

// Fit makes a model of sphere.Counted for a graph. It counts training facts. If a model has several ways to count,
// validation queries choose one. It uses no test fact.
func Fit(ctx context.Context, name string, g *kg.Graph, s Settings) (*Model, error) {
	if s.Threads < 0 {
		return nil, fmt.Errorf("rule: threads must not be negative, got %d", s.Threads)
	}
	made := stored{Model: name, Graph: g.Digest()}
	var err error
	switch name {
	case sphere.Neighbours:
		made.Neighbours, err = fitVoting(ctx, g, s)
	case sphere.Rules:
		if s.Steps < 1 {
			return nil, fmt.Errorf("rule: mining must have at least 1 step, got %d", s.Steps)
		}
		made.Rules, err = fitRules(ctx, g, s)
	}
	if err != nil {
		return nil, err
	}
	return newModel(g, made)
}

// newModel counts what the model needs of the graph.
func newModel(g *kg.Graph, of stored) (*Model, error) {
	m := &Model{graph: g, stored: of}
	switch of.Model {
	case sphere.Frequency:
		m.counter = newFrequency(g)
	case sphere.Neighbours:
		if err := of.Neighbours.check(g); err != nil {
			return nil, err
		}
		m.counter = newNeighbours(g, *of.Neighbours)
	case sphere.Rules:
		if err := of.Rules.check(g); err != nil {
			return nil, err
		}
		m.counter = newRules(g, *of.Rules)
	default:
		return nil, fmt.Errorf("rule: model %q is not a counted model", of.Model)
	}
	m.digest = sync.OnceValue(func() string {
		raw, err := json.Marshal(of)
		if err != nil {
			panic(err) // a confidence that is not a number, which no fit and no file has
		}
		sum := sha256.Sum256(raw)
		return hex.EncodeToString(sum[:])
	})
	return m, nil
}

// JSON returns what Load reads.
func (m *Model) JSON() ([]byte, error) {
	raw, err := json.MarshalIndent(m.stored, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("rule: %w", err)
	}
	return append(raw, '\n'), nil
}

// Load reads a model from a file. The graph must be the one on which it was fitted.
func Load(path string, g *kg.Graph) (*Model, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var of stored
	if err := json.Unmarshal(raw, &of); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if of.Graph != g.Digest() {
		return nil, fmt.Errorf("%s: the model was counted on another graph than %s", path, g.Name)
	}
	m, err := newModel(g, of)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// On returns the model of another graph with the same names. It counts that graph's training facts, with the rules and
// the ways to vote that were fitted on the first.
func (m *Model) On(g *kg.Graph) (*Model, error) {
	of := m.stored
	of.Graph = g.Digest()
	return newModel(g, of)
}

// Digest returns the SHA-256 of what was fitted and of the graph's digest, in hexadecimal digits.
func (m *Model) Digest() string { return m.digest() }

// Settings returns the name of the model. Its Gamma is 0: the score is minus the value.
func (m *Model) Settings() sphere.Settings {
	return sphere.Settings{Model: m.stored.Model, Variant: sphere.Clean}
}

// Entities returns the number of the graph's entities.
func (m *Model) Entities() int { return m.graph.Entities.Len() }

// Relations returns the number of the graph's relations.
func (m *Model) Relations() int { return m.graph.Relations.Len() }

// HasRadii returns false: there is no geometry.
func (m *Model) HasRadii() bool { return false }

// Radius returns 0.
func (m *Model) Radius(int32) float32 { return 0 }

// DefaultCriterion returns "": there is none.
func (m *Model) DefaultCriterion() sphere.Criterion { return "" }

// Values returns the distances, whatever the criterion. The threshold is 0.
func (m *Model) Values(_ sphere.Criterion, _ kg.Query, dist, dst []float32) float32 {
	copy(dst, dist)
	return 0
}

// Distances fills dst, row-major len(queries) x Entities(), with minus the logarithms of scores.
func (m *Model) Distances(queries []kg.Query, dst []float32) {
	n := m.Entities()
	for i, q := range queries {
		row := dst[i*n : (i+1)*n]
		m.score(q, row)
		for e, x := range row {
			row[e] = -x
		}
	}
}

// DistancesAt fills dst with the distances of all entities, not only the listed ones: votes are counted for all.
func (m *Model) DistancesAt(q kg.Query, _ []int32, dst []float32) { m.Distances([]kg.Query{q}, dst) }
