package sphere

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/spherE/kg"
)

// reference is an independent float64 implementation of the model, written from the formulas, without rows, planes,
// kernels or analytic gradients.
type reference struct {
	s      Settings
	center [][][]float64 // entity, block, coordinate
	radius []float64
	phase  [][][]float64 // relation, block, parameter
}

func newReference(m *Model) *reference {
	r := &reference{s: m.settings, radius: make([]float64, m.entities)}
	for e := range int32(m.entities) {
		var blocks [][]float64
		for block := range slices.Chunk(m.Center(e), len(m.Center(e))/m.settings.Dimension) {
			blocks = append(blocks, wide(block))
		}
		r.center = append(r.center, blocks)
		if m.radius != nil {
			r.radius[e] = float64(m.radius[e])
		}
	}
	for k := range int32(m.relations) {
		blocks := make([][]float64, m.settings.Dimension)
		for plane := range slices.Chunk(m.rawRow(k), m.blocks) {
			for j := range blocks {
				blocks[j] = append(blocks[j], float64(plane[j]))
			}
		}
		r.phase = append(r.phase, blocks)
	}
	return r
}

func wide(x []float32) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = float64(x[i])
	}
	return y
}

// moved is r(h) of one block.
func (r *reference) moved(h, raw []float64) []float64 {
	k := float64(len(h))
	angle := func(i int) float64 {
		if k == 2 { // raw in +-R is a whole turn
			return raw[i] * math.Pi * float64(r.s.Dimension) / (r.s.Gamma + r.s.Epsilon)
		}
		return raw[i] * math.Pi * k * float64(r.s.Dimension) / (r.s.Gamma + r.s.Epsilon)
	}
	if k == 2 {
		sin, cos := math.Sincos(angle(0))
		return []float64{h[0]*cos - h[1]*sin, h[0]*sin + h[1]*cos}
	}
	// By quaternions: v + 2 a x (a x v + w v) for the unit quaternion (w, a).
	w := math.Cos(angle(2) / 2)
	length := math.Sin(angle(2) / 2)
	a := []float64{
		length * math.Cos(angle(0)), length * math.Sin(angle(0)) * math.Cos(angle(1)), length * math.Sin(angle(0)) * math.Sin(angle(1)),
	}
	cross := func(a, b []float64) []float64 {
		return []float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	}
	inner := cross(a, h)
	for i := range inner {
		inner[i] += w * h[i]
	}
	outer := cross(a, inner)
	moved := make([]float64, 3)
	for i := range moved {
		moved[i] = h[i] + 2*outer[i]
		if r.s.Variant == Released {
			moved[i] *= math.Abs(raw[3])
		}
	}
	return moved
}

func (r *reference) rho(e int32) float64 {
	if r.s.Variant == Paper {
		return r.radius[e]
	}
	return math.Abs(r.radius[e])
}

func (r *reference) dist(t kg.Triple) float64 {
	sum := 0.0
	for j, h := range r.center[t.Head] {
		block := 0.0
		for i, x := range r.moved(h, r.phase[t.Relation][j]) {
			difference := x - r.center[t.Tail][j][i]
			block += difference * difference
		}
		if r.s.Variant == Paper {
			sum += block
		} else {
			sum += math.Sqrt(block)
		}
	}
	if r.s.Variant == Paper {
		return math.Sqrt(sum)
	}
	return sum
}

// gap is d of a triple whose entity on side is asked for.
func (r *reference) gap(t kg.Triple, asked kg.Side, training bool) float64 {
	d := r.dist(t)
	if r.s.Model == RotatE || r.s.Model == Rotate3D {
		return d
	}
	head, tail := r.rho(t.Head), r.rho(t.Tail)
	switch r.s.Variant {
	case Released:
		c := tail
		if !training && asked == kg.HeadSide {
			c = head
		}
		d += r.s.Tau*c - head - tail
	case Paper:
		if asked == kg.HeadSide {
			d -= head + tail + r.s.Alpha*head
		} else {
			d -= head + tail + r.s.Beta*tail
		}
	case Clean:
		d -= head + tail
	}
	return math.Max(0, d)
}

func corrupt(t kg.Triple, n kg.Negative) kg.Triple {
	if n.Side == kg.HeadSide {
		t.Head = n.Entity
	} else {
		t.Tail = n.Entity
	}
	return t
}

// draws is one batch.
type draws struct {
	positive []kg.Triple
	negative [][]kg.Negative
}

func drawBatch(s *kg.Sampler, step uint64, t Training) draws {
	var d draws
	for i := range t.Batch {
		n := make([]kg.Negative, t.Negatives)
		d.positive = append(d.positive, s.Draw(step, uint32(i), n))
		d.negative = append(d.negative, n)
	}
	return d
}

// attention returns p_ij, which the gradient takes as constants.
func (r *reference) attention(d draws, temperature float64) [][]float64 {
	p := make([][]float64, len(d.positive))
	for i, x := range d.positive {
		sum := 0.0
		p[i] = make([]float64, len(d.negative[i]))
		for j, n := range d.negative[i] {
			p[i][j] = math.Exp(temperature * (r.s.Gamma - r.gap(corrupt(x, n), n.Side, true)))
			sum += p[i][j]
		}
		for j := range p[i] {
			p[i][j] /= sum
		}
	}
	return p
}

func (r *reference) loss(d draws, attention [][]float64) float64 {
	logSigmoid := func(x float64) float64 { return -math.Log1p(math.Exp(-x)) }
	sum := 0.0
	for i, x := range d.positive {
		sum -= logSigmoid(r.s.Gamma - r.gap(x, kg.TailSide, true))
		for j, n := range d.negative[i] {
			sum -= attention[i][j] * logSigmoid(r.gap(corrupt(x, n), n.Side, true)-r.s.Gamma)
		}
	}
	return sum / float64(2*len(d.positive))
}

// variable is one trained number: where it is in the reference and in a Model's arrays.
type variable struct {
	name string
	add  func(dx float64)
	in   func(m moments) float32
}

func (r *reference) variables(m *Model) []variable {
	var all []variable
	for e := range r.center {
		for j := range r.center[e] {
			for p := range r.center[e][j] {
				at := e*m.stride + p*m.blocks + j
				all = append(all, variable{
					fmt.Sprintf("center[%d][%d].%d", e, j, p),
					func(dx float64) { r.center[e][j][p] += dx },
					func(v moments) float32 { return v.center[at] },
				})
			}
		}
	}
	for e := range r.radius {
		if m.radius != nil {
			all = append(all, variable{
				fmt.Sprintf("radius[%d]", e), func(dx float64) { r.radius[e] += dx }, func(v moments) float32 { return v.radius[e] },
			})
		}
	}
	for k := range r.phase {
		for j := range r.phase[k] {
			for p := range r.phase[k][j] {
				at := (k*len(r.phase[k][j])+p)*m.blocks + j
				all = append(all, variable{
					fmt.Sprintf("phase[%d][%d].%d", k, j, p),
					func(dx float64) { r.phase[k][j][p] += dx },
					func(v moments) float32 { return v.phase[at] },
				})
			}
		}
	}
	return all
}

// gradient is by central differences, at constant attention.
func (r *reference) gradient(d draws, v []variable, temperature float64) []float64 {
	const dx = 1e-6
	p := r.attention(d, temperature)
	g := make([]float64, len(v))
	for i := range v {
		v[i].add(dx)
		above := r.loss(d, p)
		v[i].add(-2 * dx)
		below := r.loss(d, p)
		v[i].add(dx)
		g[i] = (above - below) / (2 * dx)
	}
	return g
}

type testCase struct {
	model, variant string
}

func (c testCase) String() string { return c.model + "/" + c.variant }

func everyModel() []testCase {
	var all []testCase
	for _, model := range Models() {
		for _, variant := range []string{Released, Paper, Clean} {
			all = append(all, testCase{model, variant})
		}
	}
	return all
}

// smallGraph is a random graph with every relation and entity in training.
func smallGraph(tb testing.TB, seed uint64, entities, relations, triples int) *kg.Graph {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 99))
	seen := map[[3]string]bool{}
	var rows [3][][3]string
	add := func(h, k, t, split int) {
		row := [3]string{fmt.Sprintf("e%03d", h), fmt.Sprintf("r%02d", k), fmt.Sprintf("e%03d", t)}
		if !seen[row] {
			seen[row] = true
			rows[split] = append(rows[split], row)
		}
	}
	for e := range entities {
		add(e, e%relations, (e+1)%entities, 0)
	}
	for i := range triples {
		add(r.IntN(entities), r.IntN(relations), r.IntN(entities), max(0, i%10-7))
	}
	g, err := kg.New("small", rows[0], rows[1], rows[2])
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// spread makes radii large enough that hinges close for some triples and not for others, and scales b of all kinds:
// large, small, negative and 0.
func spread(m *Model) {
	r := rand.New(rand.NewPCG(5, 5))
	for e := range m.radius[:min(len(m.radius), m.entities)] {
		m.radius[e] *= float32(r.Float64() * 8)
	}
	if !m.rotation.stretches() {
		return
	}
	for k := range int32(m.relations) {
		for j := range m.settings.Dimension {
			b := float32(r.NormFloat64())
			if (int(k)+j)%7 == 3 {
				b = 0
			}
			m.rawRow(k)[rawAngles*m.blocks+j] = b
		}
	}
	m.prepareAll()
}

func newTestTrainer(tb testing.TB, c testCase, g *kg.Graph, dimension int, t Training) *Trainer {
	tb.Helper()
	m, err := New(Settings{Model: c.model, Variant: c.variant, Dimension: dimension, Gamma: 2, Epsilon: 1}, g, t.Seed)
	if err != nil {
		tb.Fatal(err)
	}
	spread(m)
	trainer, err := NewTrainer(m, g, t)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(trainer.Close)
	return trainer
}

// TestGradients compares every gradient with central differences of the reference. The gradient is read off Adam's
// first moment after one step, which is (1-beta1) times it.
func TestGradients(t *testing.T) {
	g := smallGraph(t, 1, 12, 2, 60)
	settings := Training{Epochs: 1, Steps: 1, Batch: 16, Negatives: 5, Seed: 3, Threads: 2, Temperature: 1.5}.Defaults()
	for _, c := range everyModel() {
		t.Run(c.String(), func(t *testing.T) {
			trainer := newTestTrainer(t, c, g, 5, settings)
			ref := newReference(trainer.model)
			variables := ref.variables(trainer.model)
			batch := drawBatch(trainer.sampler, 0, settings)
			want := ref.gradient(batch, variables, settings.Temperature)
			loss := ref.loss(batch, ref.attention(batch, settings.Temperature))
			stats, err := trainer.Epoch(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(stats.Loss-loss) > 1e-6 {
				t.Errorf("loss %.9f, reference %.9f", stats.Loss, loss)
			}
			moved, closed := 0, 0
			for i, v := range variables {
				got := float64(v.in(trainer.moment[0])) / (1 - settings.Beta1)
				if math.Abs(got-want[i]) > 2e-6+1e-4*math.Abs(want[i]) {
					t.Errorf("%s: gradient %.8f, central difference %.8f", v.name, got, want[i])
				}
				if want[i] != 0 {
					moved++
				}
			}
			for _, p := range trainer.batch.pull {
				if p == 0 {
					closed++
				}
			}
			if moved < len(variables)*9/10 {
				t.Errorf("only %d of %d variables have a gradient: the test does not see them", moved, len(variables))
			}
			if trainer.model.HasRadii() && (closed == 0 || closed == len(trainer.batch.pull)) {
				t.Errorf("%d of %d hinges are closed: the test does not see both sides", closed, len(trainer.batch.pull))
			}
		})
	}
}

// TestGoldenTraining trains the reference in float64, with its own Adam, beside the trainer.
func TestGoldenTraining(t *testing.T) {
	g := smallGraph(t, 2, 14, 3, 80)
	settings := Training{
		Epochs: 6, Steps: 5, Batch: 12, Negatives: 4, Seed: 8, Threads: 2, LearningRate: 0.01, AdamEpsilon: 1e-3, Sampling: "uniform",
	}.Defaults()
	for _, c := range everyModel() {
		t.Run(c.String(), func(t *testing.T) {
			trainer := newTestTrainer(t, c, g, 3, settings)
			ref := newReference(trainer.model)
			variables := ref.variables(trainer.model)
			m, v := make([]float64, len(variables)), make([]float64, len(variables))
			step := 0
			for range settings.Epochs {
				mean := 0.0
				for range settings.Steps {
					batch := drawBatch(trainer.sampler, uint64(step), settings)
					mean += ref.loss(batch, ref.attention(batch, settings.Temperature)) / float64(settings.Steps)
					gradient := ref.gradient(batch, variables, settings.Temperature)
					step++
					for i, x := range gradient {
						m[i] = settings.Beta1*m[i] + (1-settings.Beta1)*x
						v[i] = settings.Beta2*v[i] + (1-settings.Beta2)*x*x
						first := m[i] / (1 - math.Pow(settings.Beta1, float64(step)))
						second := v[i] / (1 - math.Pow(settings.Beta2, float64(step)))
						variables[i].add(-settings.LearningRate * first / (math.Sqrt(second) + settings.AdamEpsilon))
					}
				}
				stats, err := trainer.Epoch(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(stats.Loss-mean) > 2e-5*math.Abs(mean) {
					t.Errorf("epoch %d: loss %.8f, reference %.8f", stats.Epoch, stats.Loss, mean)
				}
			}
			after := newReference(trainer.model)
			for i, want := range ref.flat() {
				if got := after.flat()[i]; math.Abs(got-want) > 2e-4 {
					t.Errorf("parameter %d: %.7f, reference %.7f", i, got, want)
				}
			}
			for e := range int32(g.Entities.Len()) {
				for _, q := range []kg.Query{{Side: kg.HeadSide, Known: e}, {Side: kg.TailSide, Known: e, Relation: 1}} {
					checkValues(t, trainer.model, after, q)
				}
			}
		})
	}
}

func (r *reference) flat() []float64 {
	var all []float64
	for _, row := range slices.Concat(r.center, r.phase) {
		all = append(all, slices.Concat(row...)...)
	}
	return append(all, r.radius...)
}

// checkValues compares distances and criteria with the formulas.
func checkValues(t *testing.T, m *Model, ref *reference, q kg.Query) {
	t.Helper()
	dist := make([]float32, m.Entities())
	values := make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, dist)
	for _, c := range Criteria() {
		cut := m.Values(c, q, dist, values)
		for e := range values {
			x := kg.Triple{Head: q.Known, Relation: q.Relation, Tail: int32(e)}
			if q.Side == kg.HeadSide {
				x.Head, x.Tail = x.Tail, x.Head
			}
			want, wantCut := ref.gap(x, q.Side, false), m.settings.Gamma
			if c != CriterionMargin {
				want = ref.dist(x)
				if m.HasRadii() {
					want -= ref.rho(x.Head) + ref.rho(x.Tail)
				}
				if c == CriterionIntersect {
					wantCut = 0
				}
			}
			if math.Abs(float64(values[e])-want) > 1e-5 || math.Abs(float64(cut)-wantCut) > 1e-6 {
				t.Fatalf("%v %s: value %g <= %g, reference %g <= %g", q, c, values[e], cut, want, wantCut)
			}
		}
	}
}
