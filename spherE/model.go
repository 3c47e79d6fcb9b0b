// Package sphere trains knowledge graph embeddings in which relations are rotations and entities are points (RotatE,
// Rotate3D) or spheres (SpherE), and answers queries with exact sets. The paper is "SpherE: Expressive and
// Interpretable Knowledge Graph Embedding for Set Retrieval" (SIGIR 2024); where its text and its released code differ,
// a model's variant decides which one is followed.
//
// Everything is a pure function of settings, seed and graph: the same bits for any number of threads and on every SIMD
// path.
package sphere

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/internal/table"
	"github.com/spherelab/spherelab/spherE/kg"
)

// NumericsVersion changes whenever the bits of a training or of an evaluation change for an unchanged configuration.
// Tests compare it with golden digests.
const NumericsVersion = 1

// envSIMD is the environment variable that selects a path of kernels: go, avx2 or avx512. envRoots selects how they
// compute roots: by instruction, sequence or mixed.
const (
	envSIMD  = "SPHERELAB_SIMD"
	envRoots = "SPHERELAB_ROOTS"
)

// SIMDPath returns the name of the kernels that models use by default: the value of SPHERELAB_SIMD, or the fastest path
// that the processor supports. The error lists the paths. A value of SPHERELAB_ROOTS that cannot be used is an error
// too.
func SIMDPath() (string, error) {
	path := os.Getenv(envSIMD)
	if _, err := simd.Check(path); err != nil {
		return "", fmt.Errorf("%s: %w", envSIMD, err)
	}
	name, err := simd.Check(path + "/" + os.Getenv(envRoots))
	if err != nil {
		return "", fmt.Errorf("%s: %w", envRoots, err)
	}
	return name, nil
}

// Roots returns how the kernels that models use by default compute roots: the value of SPHERELAB_ROOTS, or what is
// fastest here. That is measured when it is first needed, in a few milliseconds. No choice changes a bit of a result.
func Roots() (string, error) {
	k, err := kernels("")
	if err != nil {
		return "", err
	}
	return k.Roots, nil
}

// kernels returns a path by its name, see simd.Select. An empty name stands for the one that the environment selects.
func kernels(name string) (*simd.Kernels, error) {
	if name == "" {
		path, err := SIMDPath()
		if err != nil {
			return nil, err
		}
		name = path + "/" + os.Getenv(envRoots)
	}
	return simd.Select(name)
}

// Model holds the parameters of one embedding. Rows are stored by plane and padded, see package simd; padding is 0 and
// stays 0. A Model is safe for concurrent reading, except while a call of its Trainer runs.
type Model struct {
	settings            Settings
	entities, relations int
	kernels             *simd.Kernels
	rotation            rotation
	distance            distance
	geometry            design

	blocks int // padded blocks of a row: one plane
	stride int // floats of an entity row
	point  int // floats of a bound query, at least stride
	pointQ int // floats of a bound tail query that normQ reads
	turns  int // floats of the prepared row of a relation

	center []float32 // entities x stride
	radius []float32 // raw radii, entities padded to a multiple of 16; nil for points and for radii of blocks
	total  []float32 // with radii of blocks, the sum of those of an entity, computed by prepareAll; otherwise nil
	phase  []float32 // raw relation parameters, relations x rotation.width() x blocks
	shared []float32 // those of no entity and relation, padded; empty but for some models from outside
	turn   []float32 // relations x turns, computed from phase by rotation.prepare
}

// tensor numbers key the initial draws.
const (
	centerTensor = iota
	radiusTensor
	phaseTensor
	sharedTensor
)

// New returns a model with initial parameters for the entities and relations of g.
func New(s Settings, g *kg.Graph, seed uint64) (*Model, error) {
	m, err := newModel(s, g.Entities.Len(), g.Relations.Len(), "")
	if err != nil {
		return nil, err
	}
	if m.geometry.outside != nil {
		m.geometry.outside.drawAll(m, seed)
		m.prepareAll()
		return m, nil
	}
	planes, bound := m.rotation.coordinates(), float32(m.geometry.bound)
	for e := range m.entities {
		stream := draw.New(seed, draw.Initial, centerTensor, uint32(e))
		row := m.row(int32(e))
		for p := range planes {
			for j := range s.Dimension {
				row[p*m.blocks+j] = stream.Symmetric(bound)
			}
		}
		m.setInitialRadius(int32(e), seed)
	}
	width := m.rotation.width()
	for r := range m.relations {
		stream := draw.New(seed, draw.Initial, phaseTensor, uint32(r))
		raw := m.rawRow(int32(r))
		for p := range width {
			m.rotation.initial(p, raw[p*m.blocks:][:s.Dimension], &stream)
		}
	}
	m.prepareAll()
	return m, nil
}

// newModel allocates a model whose parameters are 0.
func newModel(s Settings, entities, relations int, path string) (*Model, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if IsUntrained(s.Model) {
		return nil, settingError("Settings.Model", s.Model, "must be one of %s: other models are not trained", strings.Join(embeddings(), ", "))
	}
	s = s.withoutUnused()
	if entities < 2 || relations < 1 {
		return nil, fmt.Errorf("a model needs two entities and a relation; the graph has %d and %d", entities,
			relations)
	}
	k, err := kernels(path)
	if err != nil {
		return nil, err
	}
	m := &Model{settings: s, entities: entities, relations: relations}
	m.use(k)
	m.blocks = simd.Padded(m.geometry.length(s))
	m.stride = m.blocks * m.rotation.planes()
	q, p := m.rotation.points()
	m.pointQ, m.point = q*m.blocks, p*m.blocks
	m.turns = m.blocks * m.rotation.prepared()
	if entities > math.MaxInt32 || relations > math.MaxInt32 ||
		int64(entities) > maxFloats/int64(m.stride) ||
		int64(relations) > maxFloats/(int64(m.blocks)*int64(m.rotation.width()+m.rotation.prepared())) {
		return nil, settingError("Settings.Dimension", s.Dimension, "must be smaller for %d entities and %d relations", entities,
			relations)
	}
	m.center = table.Make(entities*m.stride, 0)
	m.makeRadii()
	m.phase = make([]float32, relations*m.rotation.width()*m.blocks)
	m.turn = make([]float32, relations*m.turns)
	if a := m.geometry.outside; a != nil {
		m.shared = make([]float32, simd.Padded(a.shape.Shared))
		a.shared = m.shared[:a.shape.Shared:a.shape.Shared]
	}
	return m, nil
}

// use selects the kernels of one path.
func (m *Model) use(k *simd.Kernels) {
	d := m.settings.design(k)
	m.kernels, m.geometry, m.rotation = k, d, d.rotation
	if d.outside != nil && m.shared != nil {
		d.outside.shared = m.shared[:d.outside.shape.Shared:d.outside.shape.Shared]
	}
	m.distance = newDistance(k, m.settings, d)
}

// notFinite returns the name of the first tensor that holds NaN or an infinity, or from which such a value was
// prepared; "" if there is none.
func (m *Model) notFinite() string {
	for _, part := range []struct {
		name   string
		values []float32
	}{{centerName, m.center}, {radiusName, m.radius}, {phaseName, m.phase}, {phaseName, m.turn},
		{sharedName, m.shared}} {
		for _, x := range part.values {
			if x-x != 0 {
				return part.name
			}
		}
	}
	return ""
}

// Settings returns the settings of the model. Factors that the variant does not use are 0.
func (m *Model) Settings() Settings { return m.settings }

// Entities returns the number of entities.
func (m *Model) Entities() int { return m.entities }

// Relations returns the number of relations.
func (m *Model) Relations() int { return m.relations }

// Center returns the coordinates of an entity's center, block by block: Dimension x 2 floats, or x 3 in space, or x k
// for blocks of k coordinates.
func (m *Model) Center(entity int32) []float32 {
	planes := m.rotation.coordinates()
	row := m.row(entity)
	c := make([]float32, m.geometry.length(m.settings)*planes)
	for j := range m.geometry.length(m.settings) {
		for p := range planes {
			c[j*planes+p] = row[p*m.blocks+j]
		}
	}
	return c
}

// Point returns the point from which the distances of the answers to q are measured: the rotated head r(h) of a tail
// query, or the inversely rotated tail r^-1(t) of a head query, block by block as in Center. Where relations scale
// (Rotate3D and SpherE-3D in variant released), a head query multiplies the blocks of a candidate by the relation's
// factors first.
func (m *Model) Point(q kg.Query) []float32 {
	planes := m.rotation.coordinates()
	row := make([]float32, m.point)
	m.bind(row, q)
	c := make([]float32, m.geometry.length(m.settings)*planes)
	for j := range m.geometry.length(m.settings) {
		for p := range planes {
			c[j*planes+p] = row[p*m.blocks+j]
		}
	}
	return c
}

func (m *Model) row(entity int32) []float32 {
	return m.center[int(entity)*m.stride:][:m.stride:m.stride]
}

func (m *Model) rawRow(relation int32) []float32 {
	n := m.rotation.width() * m.blocks
	return m.phase[int(relation)*n:][:n:n]
}

func (m *Model) turnRow(relation int32) []float32 {
	return m.turn[int(relation)*m.turns:][:m.turns:m.turns]
}

func (m *Model) prepareAll() {
	for r := range int32(m.relations) {
		m.rotation.prepare(m.turnRow(r), m.rawRow(r))
	}
	m.sumRadii()
}
