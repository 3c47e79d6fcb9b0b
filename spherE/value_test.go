package sphere

import (
	"testing"

	"github.com/spherelab/spherelab/spherE/kg"
)

// TestValue: a single value has the bits of the row's, for models with radii and without, of both sides.
func TestValue(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Settings{
		{Model: SpherE2D, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
		{Model: SpherE2D, Variant: Paper, Dimension: 5, Gamma: 2, Epsilon: 2, Alpha: .5},
		{Model: SpherE3D, Variant: Released, Dimension: 5, Gamma: 2, Epsilon: 2, Tau: .1},
		{Model: RotatE, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
		{Model: BoxE, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
		{Model: DistMult, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
	} {
		m, err := New(s, g, 3)
		if err != nil {
			t.Fatal(err)
		}
		row := make([]float32, m.Entities())
		for i, f := range g.Train[:12] {
			q := f.Query([]kg.Side{kg.HeadSide, kg.TailSide}[i%2])
			m.Distances([]kg.Query{q}, row)
			m.Values(CriterionMargin, q, row, row)
			for e := int32(0); int(e) < len(row); e += 7 {
				if got := m.Value(q, e); got != row[e] {
					t.Fatalf("%s %s: entity %d of %v has the value %g, want %g", s.Model, s.Variant, e, q, got, row[e])
				}
			}
		}
	}
}
