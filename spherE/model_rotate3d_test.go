package sphere

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// space returns a model whose blocks are points of space, with random angles of any size.
func space(t *testing.T, c testCase, dimension int) *Model {
	t.Helper()
	m, err := New(publishedSettings(c.model, c.variant, dimension), smallGraph(t, 7, 90, 5, 600), 3)
	expect.NoError(t, err)
	r := rand.New(rand.NewPCG(2, 4))
	for k := range int32(m.relations) {
		for plane := range rawAngles {
			for j := range dimension {
				m.rawRow(k)[plane*m.blocks+j] *= float32(r.NormFloat64() * 4)
			}
		}
	}
	m.prepareAll()
	return m
}

func norm(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// TestRotation3DIsAnIsometry checks models without scales and with scale 1: r keeps lengths, r^-1 undoes r, and M keeps
// the orientation, so it is a rotation and not a reflection.
func TestRotation3DIsAnIsometry(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{Released, Paper, Clean} { // released starts with b = 1
		m := space(t, testCase{SpherE3D, variant}, 21)
		n := m.blocks
		bound, point := make([]float32, m.point), make([]float32, m.point)
		for r := range int32(m.relations) {
			turn := m.turnRow(r)
			for e := range int32(m.entities) {
				h := m.row(e)
				m.rotation.forward(bound, h, turn)
				q := bound[:m.stride]
				if got, want := norm(q), norm(h); math.Abs(got-want) > 1e-6*want {
					t.Fatalf("%s: length %g became %g", variant, want, got)
				}
				m.rotation.inverse(point, q, turn)
				for i := range h {
					if math.Abs(float64(point[i]-h[i])) > 1e-7 {
						t.Fatalf("%s: there and back moves %d of entity %d from %g to %g", variant, i, e, h[i],
							point[i])
					}
				}
				m.rotation.inverse(point, h, turn)
				m.rotation.forward(bound, point[:m.stride], turn)
				for i := range h {
					if math.Abs(float64(bound[i]-h[i])) > 1e-7 {
						t.Fatalf("%s: back and there moves %d of entity %d from %g to %g", variant, i, e, h[i],
							bound[i])
					}
				}
			}
			for j := range m.settings.Dimension {
				a := func(i, k int) float64 { return float64(turn[(3*i+k)*n+j]) }
				determinant := a(0, 0)*(a(1, 1)*a(2, 2)-a(1, 2)*a(2, 1)) - a(0, 1)*(a(1, 0)*a(2, 2)-a(1, 2)*a(2, 0)) +
					a(0, 2)*(a(1, 0)*a(2, 1)-a(1, 1)*a(2, 0))
				if math.Abs(determinant-1) > 1e-6 {
					t.Fatalf("%s: determinant %g", variant, determinant)
				}
			}
		}
	}
}

// TestRotation3DOfKnownAngles rotates unit vectors by quarter turns about the three axes.
func TestRotation3DOfKnownAngles(t *testing.T) {
	t.Parallel()
	m := space(t, testCase{Rotate3D, Clean}, 3)
	const quarter = math.Pi / 2
	unit := 8.0 / (3 * 3) / math.Pi // raw of one radian: (gamma+epsilon)/(3 D)/pi
	// Block 0 turns about x (B1 = 0), block 1 about y (B1 = pi/2, B2 = 0), block 2 about z (B1 = B2 = pi/2).
	for plane, angles := range [3][3]float64{{0, quarter, quarter}, {1, 0, quarter}, {quarter, quarter, quarter}} {
		for j, angle := range angles {
			m.rawRow(0)[plane*m.blocks+j] = float32(angle * unit)
		}
	}
	m.prepareAll()
	h, q := make([]float32, m.stride), make([]float32, m.stride)
	for axis := range 3 { // the same vector in all blocks
		clear(h)
		for j := range 3 {
			h[axis*m.blocks+j] = 1
		}
		m.rotation.forward(q, h, m.turnRow(0))
		for j := range 3 {
			// A quarter turn about axis j keeps j and takes the next axis to the one after.
			want := [3]float64{}
			switch axis {
			case j:
				want[axis] = 1
			case (j + 1) % 3:
				want[(j+2)%3] = 1
			default:
				want[(j+1)%3] = -1
			}
			for i := range 3 {
				if got := float64(q[i*m.blocks+j]); math.Abs(got-want[i]) > 1e-6 {
					t.Errorf("axis %d turned about axis %d: coordinate %d is %g, want %g", axis, j, i, got, want[i])
				}
			}
		}
	}
}

// TestScaledSides compares head queries with the definition | |b| h - M^T t |, and with the tail queries of the same
// triples, for b of both signs and 0.
func TestScaledSides(t *testing.T) {
	t.Parallel()
	for _, model := range []string{Rotate3D, SpherE3D} {
		m := space(t, testCase{model, Released}, 21)
		spread(m)
		ref := newReference(m)
		zero, negative := 0, 0
		for _, b := range m.rawRow(2)[rawAngles*m.blocks:][:21] {
			if b == 0 {
				zero++
			}
			if b < 0 {
				negative++
			}
		}
		if zero == 0 || negative == 0 {
			t.Fatalf("of 21 scales %d are 0 and %d negative: the test does not see them", zero, negative)
		}
		heads, tails := make([]float32, m.entities), make([]float32, m.entities)
		for e := range int32(m.entities) {
			head := kg.Query{Side: kg.HeadSide, Known: e, Relation: 2}
			m.Distances([]kg.Query{{Side: kg.TailSide, Known: e, Relation: 2}}, tails)
			m.Distances([]kg.Query{head}, heads)
			for other := range int32(m.entities) {
				want := ref.dist(kg.Triple{Head: other, Relation: 2, Tail: e}, kg.TailSide)
				if got := float64(heads[other]); math.Abs(got-want) > 1e-5 {
					t.Fatalf("%s: head %d of tail %d: %g, reference %g", model, other, e, got, want)
				}
				want = ref.dist(kg.Triple{Head: e, Relation: 2, Tail: other}, kg.HeadSide)
				if got := float64(tails[other]); math.Abs(got-want) > 1e-5 {
					t.Fatalf("%s: tail %d of head %d: %g, reference %g", model, other, e, got, want)
				}
			}
			checkValues(t, m, ref, head)
		}
	}
}

// TestScaleOfZeroStays checks that the subgradient of |b| at 0 is 0, and that a negative b moves against its absolute
// value.
func TestScaleOfZeroStays(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	trainer := newTestTrainer(t, testCase{SpherE3D, Released}, g, 21, smallTraining(2))
	m := trainer.model
	var before []float32
	for r := range int32(m.relations) {
		before = append(before, m.rawRow(r)[rawAngles*m.blocks:][:21]...)
	}
	run(t, trainer)
	moved, stayed := 0, 0
	for i, b := range before {
		after := m.rawRow(int32(i / 21))[rawAngles*m.blocks+i%21]
		switch {
		case b == 0 && after == 0:
			stayed++
		case b != 0 && after != b:
			moved++
		default:
			t.Errorf("scale %g became %g", b, after)
		}
	}
	if stayed == 0 || moved == 0 {
		t.Errorf("%d scales stayed 0, %d moved", stayed, moved)
	}
	if name := m.notFinite(); name != "" {
		t.Errorf("%s holds values that are not finite", name)
	}
}

// TestMirroredScale checks that the sign of b does not matter: a model with -b has the same distances and mirrored
// gradients.
func TestMirroredScale(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	var models [2]*Model
	for i := range models {
		trainer := newTestTrainer(t, testCase{Rotate3D, Released}, g, 21, smallTraining(3))
		m := trainer.model
		if i == 1 {
			for r := range int32(m.relations) {
				for j := range 21 {
					m.rawRow(r)[rawAngles*m.blocks+j] *= -1
				}
			}
			m.prepareAll()
		}
		for range 3 {
			if _, err := trainer.Epoch(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		models[i] = m
	}
	if !slices.Equal(models[0].center, models[1].center) {
		t.Error("centres differ")
	}
	for r := range int32(5) {
		for j := range 21 {
			at := rawAngles*models[0].blocks + j
			if a, b := models[0].rawRow(r)[at], models[1].rawRow(r)[at]; a != -b {
				t.Errorf("scale %d of relation %d: %g and %g", j, r, a, b)
			}
		}
	}
}

func TestCheckpointShapesInSpace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		testCase
		width int
	}{{testCase{Rotate3D, Released}, 4}, {testCase{SpherE3D, Released}, 4}, {testCase{SpherE3D, Paper}, 3},
		{testCase{Rotate3D, Clean}, 3}} {
		m, path := savedModel(t, c.testCase)
		f, err := openTensors(path)
		expect.NoError(t, err)
		shapes := map[string][]int{"entity.center": {90, 21, 3}, "relation.phase": {5, 21, c.width}}
		if c.model == SpherE3D {
			shapes["entity.radius"] = []int{90}
		}
		for name, want := range shapes {
			if got := f.entries[name].Shape; !slices.Equal(got, want) {
				t.Errorf("%s: %s has shape %v, want %v", c, name, got, want)
			}
		}
		if len(f.entries) != len(shapes) {
			t.Errorf("%s: %d tensors, want %d", c, len(f.entries), len(shapes))
		}
		f.Close()
		loaded, _, err := Load(path)
		expect.NoError(t, err)
		again := filepath.Join(t.TempDir(), "again.safetensors")
		expect.NoError(t, loaded.Save(again, map[string]string{"note": "of the caller"}))
		if !slices.Equal(loaded.phase, m.phase) || !slices.Equal(loaded.center, m.center) ||
			!slices.Equal(loaded.radius, m.radius) {
			t.Errorf("%s: values changed", c)
		}
		q := kg.Query{Side: kg.HeadSide, Known: 4, Relation: 2}
		for e := range int32(m.entities) {
			if m.Distance(q, e) != loaded.Distance(q, e) {
				t.Fatalf("%s: the loaded model answers differently", c)
			}
		}
	}
}
