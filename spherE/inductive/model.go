package inductive

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/internal/parallel"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Model answers queries on one graph with a network. The score of an entity is the logarithm of the odds that it is an
// answer, by the graphs that the network was trained on; its distance is minus that. A Model is safe for concurrent
// use. It does not change, and only it and its network decide its answers.
type Model struct {
	name      string // of the model
	network   *Network
	heads     Heads
	kernels   *simd.Kernels
	entities  int
	relations int
	// graphDigest is the digest of all splits: a stored model is for one graph.
	graphDigest string
	edges       *adjacency
	meeting     *adjacency // the graph of relations
	*shared
}

// shared is what all models of one network and graph compute once.
type shared struct {
	passes  sync.Pool // of *pass
	known   represented
	answers *remembered
}

// represented keeps representations of relations by the query relation.
type represented struct {
	mutex  sync.Mutex
	tables map[int32]table
	floats int
}

// keptFloats limits what represented keeps. Anything beyond it is computed on demand.
const keptFloats = 64 << 20

// On returns the model of that name, one of sphere.Inductive or any other, on a graph. The model knows the training
// facts.
func (n *Network) On(name string, g *kg.Graph) (*Model, error) { return n.on(name, g, "") }

func (n *Network) on(name string, g *kg.Graph, path string) (*Model, error) {
	if path == "" {
		var err error
		if path, err = sphere.SIMDPath(); err != nil {
			return nil, err
		}
	}
	k, err := simd.Select(path)
	if err != nil {
		return nil, fmt.Errorf("inductive: %w", err)
	}
	if len(g.Train) == 0 {
		return nil, fmt.Errorf("inductive: graph %q has no facts to answer from", g.Name)
	}
	m := &Model{name: name, network: n, heads: Inverse, kernels: k, entities: g.Entities.Len(),
		relations:   g.Relations.Len(),
		graphDigest: g.Digest(), shared: &shared{known: represented{tables: map[int32]table{}},
			answers: answersMemory.newRemembered()}}
	runtime.AddCleanup(m.shared, (*remembered).forget, m.answers)
	if m.edges, err = newAdjacency(m.entities, m.relations, g.Train); err != nil {
		return nil, err
	}
	if m.meeting, err = newRelationGraph(m.edges, m.relations); err != nil {
		return nil, err
	}
	m.passes.New = func() any { return newPass(n, k, m.edges) }
	return m, nil
}

// OnGraph returns the model on another graph with the same names: it knows that graph's training facts.
func (m *Model) OnGraph(g *kg.Graph) (*Model, error) {
	other, err := m.network.On(m.name, g)
	if err != nil {
		return nil, err
	}
	return other.WithHeads(m.heads), nil
}

// WithHeads returns the model that asks for heads in another way. It shares what is computed with m.
func (m *Model) WithHeads(h Heads) *Model {
	return &Model{name: m.name, network: m.network, heads: h, kernels: m.kernels, entities: m.entities,
		relations: m.relations, graphDigest: m.graphDigest, edges: m.edges, meeting: m.meeting, shared: m.shared}
}

// Heads returns how the model asks for heads.
func (m *Model) Heads() Heads { return m.heads }

// represent returns the representations of relations for one kind of edge that is asked for.
func (m *Model) represent(asked int32) table {
	m.known.mutex.Lock()
	t, ok := m.known.tables[asked]
	m.known.mutex.Unlock()
	if ok {
		return t
	}
	t = m.network.represent(m.kernels, m.meeting, asked)
	m.known.mutex.Lock()
	defer m.known.mutex.Unlock()
	if _, ok := m.known.tables[asked]; !ok && m.known.floats+len(t.data) <= keptFloats {
		m.known.tables[asked] = t
		m.known.floats += len(t.data)
	}
	return t
}

// Scores sets dst[i], by entity, to the scores of the answers to queries[i]. Queries of one relation share work.
// threads 0 means one per processor. When ctx ends it returns its error, and the contents of dst are arbitrary.
func (m *Model) Scores(ctx context.Context, queries []kg.Query, dst [][]float32, threads int) error {
	if m.heads != Both {
		return m.scores(ctx, queries, dst, m.heads, threads)
	}
	if err := m.scores(ctx, queries, dst, Inverse, threads); err != nil {
		return err
	}
	var heads []kg.Query
	var first, second [][]float32
	for i, q := range queries {
		if q.Side == kg.HeadSide {
			heads, first, second = append(heads, q), append(first, dst[i]), append(second, make([]float32, m.entities))
		}
	}
	if err := m.scores(ctx, heads, second, Direct, threads); err != nil {
		return err
	}
	for i, x := range first {
		for e, y := range second[i] {
			x[e] = (x[e] + y) / 2
		}
	}
	return nil
}

func (m *Model) scores(ctx context.Context, queries []kg.Query, dst [][]float32, h Heads, threads int) error {
	type group struct {
		asked, of int32
		known     []int32
		dst       [][]float32
	}
	var groups []*group
	open := map[[2]int32]*group{}
	for i, q := range queries {
		asked, of := askedFor(q, m.relations, h)
		g := open[[2]int32{asked, of}]
		if g == nil || len(g.known) == together {
			g = &group{asked: asked, of: of}
			open[[2]int32{asked, of}] = g
			groups = append(groups, g)
		}
		g.known, g.dst = append(g.known, q.Known), append(g.dst, dst[i])
	}
	return parallel.For(ctx, threads, len(groups), func() func(int) {
		return func(i int) {
			g := groups[i]
			p := m.passes.Get().(*pass)
			defer m.passes.Put(p)
			p.prepare(m.represent(g.of), g.asked)
			p.answer(g.known, g.dst)
		}
	})
}

// together is the number of queries of one relation that one worker answers.
const together = 32
