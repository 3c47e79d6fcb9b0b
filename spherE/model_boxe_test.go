package sphere

import (
	"math"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// boxes adds up what of says of every coordinate of both points of a triple, in units of distance: |point - center| and
// the width of the box.
func (r *reference) boxes(t kg.Triple, of func(x, width, unit float64) float64) float64 {
	unit := (r.s.Gamma + r.s.Epsilon) / float64(2*r.s.Dimension)
	sum := 0.0
	for j, raw := range r.phase[t.Relation] {
		h, tail := r.center[t.Head][j], r.center[t.Tail][j]
		sum += of(math.Abs(h[0]+tail[1]-raw[0]), math.Abs(raw[1]), unit)
		sum += of(math.Abs(tail[0]+h[1]-raw[2]), math.Abs(raw[3]), unit)
	}
	return sum
}

// boxDistance is the paper's distance of a coordinate, with its case distinction and with lengths in a unit.
func boxDistance(x, width, unit float64) float64 {
	x, w := x/unit, 1+width/unit
	if x <= (w-1)/2 {
		return unit * x / w
	}
	return unit * (x*w - (w-1)/2*(w-1/w))
}

// outside is how far a triple is outside the boxes, negative inside.
func (r *reference) outside(t kg.Triple) float64 {
	greatest := math.Inf(-1)
	r.boxes(t, func(x, width, _ float64) float64 {
		greatest = max(greatest, x-width/2)
		return 0
	})
	return greatest
}

// TestBoxes checks a set by hand: two entities and one relation of one block.
func TestBoxes(t *testing.T) {
	t.Parallel()
	g, err := kg.New("pair", [][3]string{{"a", "r", "b"}}, nil, nil)
	expect.NoError(t, err)
	m, err := New(Settings{Model: BoxE, Variant: Clean, Dimension: 1, Gamma: 2, Epsilon: 2}, g, 1) // unit 2
	expect.NoError(t, err)
	set := func(row []float32, values ...float32) {
		for plane, x := range values {
			row[plane*m.blocks] = x
		}
	}
	set(m.row(0), 1, .5)         // a: e = 1, b = .5
	set(m.row(1), 3, -1)         // b: e = 3, b = -1
	set(m.rawRow(0), 0, 2, 3, 1) // heads within 0 +- 1, tails within 3 +- .5
	m.prepareAll()
	values := make([]float32, 2)
	m.Values(CriterionBoxes, kg.Query{Side: kg.TailSide, Known: 0, Relation: 0}, nil, values)
	// (a, r, a): the head 1.5 is .5 beyond 1, the tail 1.5 is 1 below 2.5. (a, r, b): the head 0 is 1 inside, the tail
	// 3.5 is on the border.
	if values[0] != 1 || values[1] != 0 {
		t.Errorf("outside by %v, want 1 and 0", values)
	}
	m.Values(CriterionBoxes, kg.Query{Side: kg.HeadSide, Known: 1, Relation: 0}, nil, values)
	if values[0] != 0 {
		t.Errorf("the head is outside by %g, want 0", values[0])
	}
	// (a, r, b): 0/2 of the head; the tail is on the border: .5/1.5.
	if got, want := m.Distance(kg.Query{Side: kg.TailSide, Known: 0, Relation: 0}, 1), float32(.5)/1.5; math.Abs(
		float64(got-want)) > 1e-6 {
		t.Errorf("distance %g, want %g", got, want)
	}
}
