package sphere

import (
	"fmt"
	"slices"
	"sync"

	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/internal/exact"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// Geometry is a model that another package defines. Everything else is here: negatives, loss, Adam, the same bits for
// any number of threads, saving, resuming, evaluation and answers. Its loss is SelfAdversarial. It is plain Go, so a
// training takes about twenty times as long as that of RotatE. Nothing changes parameters between steps, so a model
// that normalizes does it in Bind and Distance. CheckGeometry compares its derivatives with differences.
//
// A query is bound to a point, from its known entity, its relation and the shared parameters. Candidates are compared
// with that point. All slices are parameters of the lengths of Shape, or gradients by them; they are not kept. Methods
// are called from several goroutines. For the same bits everywhere, a product that is added to something is converted,
// float32(a*b) + c, and of package math only Sqrt, Abs and Floor are used: others differ by machine.
type Geometry interface {
	// Shape returns how many floats there are.
	Shape() Shape
	// Draw sets the initial parameters of an entity, of a relation, or the shared ones. uniform returns the next of
	// numbers in [-1, 1), which are a function of the seed and of what is drawn. The models of this package draw from
	// (Gamma + Epsilon) / Dimension times that.
	Draw(part Part, x []float32, uniform func() float32)
	// Bind sets point, all of it, to what the answers of a query are compared with: tails for kg.TailSide, where known
	// is the head, and heads for kg.HeadSide.
	Bind(side kg.Side, point, known, relation, shared []float32)
	// Distance returns how far a candidate, the parameters of an entity, is from a point. Less is better.
	Distance(point, candidate []float32) float32
	// Push adds w times the derivatives of Distance to byPoint and byCandidate, one of which is nil.
	Push(w float32, point, candidate, byPoint, byCandidate []float32)
	// Pull adds to byKnown, byRelation and byShared the derivatives by what Bind took, given the one by the point.
	Pull(side kg.Side, byPoint, known, relation, shared, byKnown, byRelation, byShared []float32)
}

// SinCos returns the sine and the cosine of x, at most 2^20 from 0: the same bits on every machine, which package math
// does not promise.
func SinCos(x float64) (sin, cos float64) { return exact.SinCos(x) }

// Shape is how many floats the parameters of a Geometry have.
type Shape struct {
	Entity   int // of each entity, from 1
	Relation int // of each relation, from 1
	Shared   int // of no entity and relation: the core of TuckER; 0 for most models
	Point    int // of a bound query, from 1
}

// Part is what Draw draws.
type Part int

// The parts of a model.
const (
	EntityPart Part = iota
	RelationPart
	SharedPart
)

// Registration is a model from outside.
type Registration struct {
	Name  string // in Settings and configs: lower-case letters, digits and "-"
	Title string // in tables; "": Name
	// IsProduct: the distance is minus a product of any sign. A score is then minus the distance, without gamma, and no
	// score marks the end of a set. Otherwise the distance is 0 or more, and Settings.Gamma is the margin.
	IsProduct bool
	// Source is the text of the geometry, which runs of the model keep; "" keeps none. Notebooks set it.
	Source string
	// New returns the geometry of valid settings: of a number of blocks, Settings.Dimension, and a margin.
	New func(Settings) Geometry
}

var outside struct {
	guard sync.RWMutex
	kinds []kind
}

// Register makes a model known under its name: to New, Train and Load, and to configs, runs and tables of a program
// that also has them. Call it at the start of main, or in init. It panics if the name is taken or malformed, or New
// is nil. The variant of such a model is Clean. A changed geometry needs a new name: saved models name it and know no
// more of it.
func Register(r Registration) {
	if r.New == nil {
		panic(fmt.Sprintf("sphere: the model %q has no New", r.Name))
	}
	for _, c := range r.Name {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			panic(fmt.Sprintf("sphere: the name %q of a model has %q", r.Name, c))
		}
	}
	if _, taken := kindOf(r.Name); taken || r.Name == Trees || r.Name == NoCounts {
		panic(fmt.Sprintf("sphere: the name %q of a model is taken; a changed geometry needs a new one, such as %s-2", r.Name, r.Name))
	}
	if r.Name == "" || r.Name[0] == '-' {
		panic(fmt.Sprintf("sphere: the name %q of a model begins with no letter or digit", r.Name))
	}
	if r.Title == "" {
		r.Title = r.Name
	}
	outside.guard.Lock()
	defer outside.guard.Unlock()
	outside.kinds = append(outside.kinds, kind{name: r.Name, title: r.Title, variants: onlyClean(),
		isProduct: r.IsProduct, isOutside: true, source: r.Source,
		build: func(_ *simd.Kernels, s Settings) design { return adapt(r.geometry(s)) }})
}

// geometry calls New. It panics if the result is none, as Register does: the package that registers is wrong.
func (r Registration) geometry(s Settings) Geometry {
	g := r.New(s)
	if g == nil {
		panic(fmt.Sprintf("sphere: New of the model %q returned nil", r.Name))
	}
	if err := g.Shape().check(); err != nil {
		panic(fmt.Sprintf("sphere: the model %q has %v", r.Name, err))
	}
	return g
}

// outsideKinds are the models that were registered, in that order.
func outsideKinds() []kind {
	outside.guard.RLock()
	defer outside.guard.RUnlock()
	return slices.Clone(outside.kinds)
}

// Source returns the text that a model was registered with; "" for other models.
func Source(model string) string {
	k, _ := kindOf(model)
	return k.source
}

// IsRegistered reports whether a model was registered.
func IsRegistered(model string) bool { return Settings{Model: model}.isOutside() }

// isOutside reports whether the model was registered.
func (s Settings) isOutside() bool {
	k, _ := kindOf(s.Model)
	return k.isOutside
}

// adapter is a Geometry as the rotation of a model. A row is one plane of an entity's floats; a relation and a point
// fill the beginning of some planes.
type adapter struct {
	Geometry
	shape  Shape
	blocks int       // of a plane
	shared []float32 // of the model
}

// adapt returns the design of a geometry.
func adapt(g Geometry) design {
	a := &adapter{Geometry: g, shape: g.Shape()}
	a.blocks = simd.Padded(a.shape.Entity)
	norm := a.norm()
	return design{rotation: a, norm: norm, normQ: norm, outside: a}
}

func (a *adapter) planesOf(floats int) int { return (floats + a.blocks - 1) / a.blocks }

func (*adapter) planes() int               { return 1 }
func (*adapter) coordinates() int          { return 1 }
func (a *adapter) width() int              { return a.planesOf(a.shape.Relation) }
func (a *adapter) prepared() int           { return a.width() }
func (a *adapter) points() (q, p int)      { n := a.planesOf(a.shape.Point); return n, n }
func (*adapter) prepare(turn, r []float32) { copy(turn, r) }

func (*adapter) initial(int, []float32, *draw.Stream) {} // see drawAll
func (*adapter) rawGradient(_, _, _ []float32)        {} // by the raw parameters already
func (a *adapter) forward(q, h, turn []float32)       { a.bind(kg.TailSide, q, h, turn) }
func (a *adapter) inverse(p, t, turn []float32)       { a.bind(kg.HeadSide, p, t, turn) }
func (a *adapter) words() (center, phase string) {
	return fmt.Sprintf("[entities, %d, 1]: of a model that another package defines", a.shape.Entity),
		fmt.Sprintf("[relations, %d]: of a model that another package defines", a.shape.Relation)
}

func (a *adapter) bind(side kg.Side, point, known, relation []float32) {
	a.Bind(side, point[:a.shape.Point], known[:a.shape.Entity], relation[:a.shape.Relation], a.shared)
}

// gradient is not used: pull has the shared parameters, too.
func (*adapter) gradient(_, _, _, _, _, _, _, _, _, _ []float32) {
	panic("sphere: gradient of a model from outside")
}

// pull sets gh, gt and g, as gradient of rotation does, and adds to shared.
func (a *adapter) pull(gh, gt, g, shared, h, t, gq, gp, turn []float32) {
	s := a.shape
	clear(gh)
	clear(gt)
	clear(g)
	a.Pull(kg.TailSide, gq[:s.Point], h[:s.Entity], turn[:s.Relation], a.shared, gh[:s.Entity], g[:s.Relation], shared)
	a.Pull(kg.HeadSide, gp[:s.Point], t[:s.Entity], turn[:s.Relation], a.shared, gt[:s.Entity], g[:s.Relation], shared)
}

// norm are the kernels of the distance. Rows have blocks floats, points any number.
func (a *adapter) norm() simd.Norm {
	pair := func(q, c []float32) float32 { return a.Distance(q[:a.shape.Point], c[:a.shape.Entity]) }
	row := func(table []float32, e int32, stride int) []float32 { return table[int(e)*stride:][:stride:stride] }
	return simd.Norm{
		Pair: pair,
		Push: func(g, q, c []float32, w float32) {
			a.Push(w, q[:a.shape.Point], c[:a.shape.Entity], nil, g[:a.shape.Entity])
		},
		Rows: func(dst []float32, pitch int, queries, rows []float32, stride int) {
			for i := range len(queries) / stride {
				for e := range len(rows) / a.blocks {
					dst[i*pitch+e] = pair(queries[i*stride:], rows[e*a.blocks:])
				}
			}
		},
		Gather: func(dst, _, q, table []float32, rows []int32) {
			for k, e := range rows {
				dst[k] = pair(q, row(table, e, a.blocks))
			}
		},
		GatherPush: func(g, q, table []float32, rows, _ []int32, weight, _ []float32) {
			for k, e := range rows {
				if w := weight[k]; w != 0 {
					a.Push(w, q[:a.shape.Point], row(table, e, a.blocks)[:a.shape.Entity], g[:a.shape.Point], nil)
				}
			}
		},
		OwnPush: func(g, own, table []float32, pulls []uint64) {
			stride := a.blocks * a.planesOf(a.shape.Point)
			for _, p := range pulls {
				switch number, w := simd.PullOf(p); {
				case number < 0:
					for j, x := range row(table, ^number, stride)[:a.shape.Entity] {
						g[j] += x
					}
				case w != 0:
					a.Push(w, row(table, number, stride)[:a.shape.Point], own[:a.shape.Entity], nil, g[:a.shape.Entity])
				}
			}
		},
	}
}

// drawAll draws the initial parameters of a model from outside.
func (a *adapter) drawAll(m *Model, seed uint64) {
	uniform := func(tensor int, item uint32) func() float32 {
		stream := draw.New(seed, draw.Initial, uint64(tensor), item)
		return func() float32 { return stream.Symmetric(1) }
	}
	for e := range int32(m.entities) {
		a.Draw(EntityPart, m.row(e)[:a.shape.Entity], uniform(centerTensor, uint32(e)))
	}
	for r := range int32(m.relations) {
		a.Draw(RelationPart, m.rawRow(r)[:a.shape.Relation], uniform(phaseTensor, uint32(r)))
	}
	if len(a.shared) > 0 {
		a.Draw(SharedPart, a.shared, uniform(sharedTensor, 0))
	}
}
