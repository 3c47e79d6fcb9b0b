package sphere

import (
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestValue: a single value has the bits of the row's, for models with radii and without, of both sides.
func TestValue(t *testing.T) {
	t.Parallel()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	for _, s := range []Settings{
		{Model: SpherE2D, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
		{Model: SpherE2D, Variant: Paper, Dimension: 5, Gamma: 2, Epsilon: 2, Alpha: .5},
		{Model: SpherE3D, Variant: Released, Dimension: 5, Gamma: 2, Epsilon: 2, Tau: .1},
		{Model: RotatE, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
		{Model: BoxE, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
		{Model: DistMult, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
		{Model: RESCAL, Variant: Clean, Dimension: 5, Gamma: 2, Epsilon: 2},
	} {
		m, err := New(s, g, 3)
		expect.NoError(t, err)
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

func TestDefaultCriterion(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for c, want := range map[testCase]Criterion{
		{RotatE, Released}: "margin", {RotatE, Paper}: "margin", {RotatE, Clean}: "margin",
		{SpherE2D, Released}: "margin", {SpherE2D, Paper}: "intersect", {SpherE2D, Clean}: "sphere",
		{Rotate3D, Released}: "margin", {Rotate3D, Clean}: "margin",
		{SpherE3D, Released}: "margin", {SpherE3D, Paper}: "intersect", {SpherE3D, Clean}: "sphere",
		{HousE5D, Released}: "margin", {HousE5D, Clean}: "margin", {ComplEx, Clean}: "", {DistMult, Clean}: "",
		{SpherE5D, Released}: "blocks", {SpherE20D, Released}: "blocks", {SpherE10D, Clean}: "sphere",
	} {
		m, err := New(publishedSettings(c.model, c.variant, 4), g, 1)
		expect.NoError(t, err)
		if got := m.DefaultCriterion(); got != want {
			t.Errorf("%s: %s, want %s", c, got, want)
		}
	}
}

// TestReleasedProtocolIsOfMoreThanThreeDimensions: the authors' code evaluates models of two and three as others do.
func TestReleasedProtocolIsOfMoreThanThreeDimensions(t *testing.T) {
	t.Parallel()
	own := []string{HousE5D, HousE10D, HousE20D, SpherE5D, SpherE10D, SpherE20D}
	for _, variant := range []string{Clean, Released, Paper} {
		for _, model := range embeddings() {
			want := variant == Released && slices.Contains(own, model)
			if got := (Settings{Model: model, Variant: variant}).ReleasedProtocol(); got != want {
				t.Errorf("%s, variant %s: %v", model, variant, got)
			}
		}
	}
}
