package sphere

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

func TestInitialParameters(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for _, c := range everyModel() {
		m, err := New(publishedSettings(c.model, c.variant, 50), g, 42)
		expect.NoError(t, err)
		// Released code: entities and radii in +-(gamma+epsilon)/(2D) = .08, phases in +-(gamma+epsilon)/D = .16; in
		// space +-(gamma+epsilon)/(3D) and +-(gamma+epsilon)/(4D) = .04.
		entity, phase, angles := 0.08, 0.16, 1
		if space := c.model == Rotate3D || c.model == SpherE3D; space {
			entity, phase, angles = 8.0/150, 0.04, 3
		}
		// The same for the factors of relations, of one number or two.
		switch c.model {
		case DistMult, TransE, TransEL2:
			entity, phase = 0.16, 0.16
		case ComplEx:
			phase, angles = 0.08, 2
		case RESCAL:
			entity, phase, angles = 0.16, 0.16, 50
		case BoxE: // centers and widths
			phase, angles = 0.08, 4
		}
		// +-(gamma+epsilon)/(B sqrt k) for everything.
		if k := c.coordinates(); k > 3 {
			entity, angles = 8/(50*math.Sqrt(float64(k))), k*(k-k%2)
			phase = entity
		}
		within := func(name string, bound float64, values ...float32) {
			lowest, highest := math.Inf(1), math.Inf(-1)
			for _, x := range values {
				lowest, highest = min(lowest, float64(x)), max(highest, float64(x))
			}
			if lowest < -bound*1.000001 || highest > bound*1.000001 || lowest > -0.9*bound || highest < 0.9*bound {
				t.Errorf("%s: %s lies in [%g, %g], want nearly all of +-%g", c, name, lowest, highest, bound)
			}
		}
		var centers, phases []float32
		for e := range int32(90) {
			centers = append(centers, m.Center(e)...)
		}
		for r := range int32(5) {
			for plane := range angles {
				phases = append(phases, m.rawRow(r)[plane*m.blocks:][:50]...)
			}
			if m.rotation.width() > angles {
				for j, b := range m.rawRow(r)[angles*m.blocks:] {
					if (b == 1) != (j < 50) || b != 0 && b != 1 {
						t.Errorf("%s: scale %d of relation %d is %g", c, j, r, b)
					}
				}
			}
		}
		within("center", entity, centers...)
		within("phase", phase, phases...)
		if stretches := angles == 3 && c.variant == Released; stretches != (m.pointQ < m.point) {
			t.Errorf("%s: a point has %d floats, that of a tail query %d", c, m.point, m.pointQ)
		}
		if m.HasRadii() != strings.HasPrefix(c.model, "sphere") {
			t.Errorf("%s: HasRadii is %v", c, m.HasRadii())
		}
		if m.geometry.isHinged {
			for j, rho := range m.row(3)[c.coordinates()*m.blocks:][:50] {
				if rho != float32(entity/10) {
					t.Errorf("%s: radius %d is %g, want %g", c, j, rho, entity/10)
				}
			}
		} else if m.HasRadii() {
			within("radius", entity, m.radius[:90]...)
			negative := 0
			for e := range int32(90) {
				if m.Radius(e) < 0 {
					negative++
				}
			}
			if (negative > 0) != (c.variant == Paper) {
				t.Errorf("%s: %d radii are negative", c, negative)
			}
		}
	}
}

// TestNaNIsNoAnswer checks that an entity whose distance is NaN is in no set.
func TestNaNIsNoAnswer(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	m, err := New(publishedSettings(SpherE2D, Clean, 4), g, 1)
	expect.NoError(t, err)
	m.row(13)[2] = float32(math.NaN())
	q := kg.Query{Side: kg.TailSide, Known: 1}
	values := make([]float32, m.Entities())
	for _, c := range m.settings.Criteria() {
		m.Distances([]kg.Query{q}, values)
		threshold := m.Values(c, q, values, values)
		if values[13] <= threshold || values[13] == values[13] {
			t.Errorf("%s: the value of a NaN distance is %g", c, values[13])
		}
	}
}

// TestDistances compares blocked and concurrent distances with single ones, and the two sides of a triple: a rotation
// keeps distances.
func TestDistances(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for _, c := range everyModel() {
		trainer := newTestTrainer(t, c, g, 21, smallTraining(2))
		run(t, trainer)
		m := trainer.Model()
		var queries []kg.Query
		for _, x := range g.Test[:40] {
			queries = append(queries, x.Query(kg.HeadSide), x.Query(kg.TailSide))
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				dst := make([]float32, len(queries)*m.Entities())
				m.Distances(queries, dst)
				some, listed := make([]float32, m.Entities()), []int32{3, 0, 88, 17}
				for i, q := range queries {
					m.DistancesAt(q, listed, some)
					for _, e := range listed {
						if some[e] != dst[i*m.Entities()+int(e)] {
							t.Errorf("%s: %v: Distances and DistancesAt differ at entity %d", c, q, e)
							return
						}
					}
					for e := range int32(m.Entities()) {
						if dst[i*m.Entities()+int(e)] != m.Distance(q, e) {
							t.Errorf("%s: %v: Distances and Distance differ at entity %d", c, q, e)
							return
						}
					}
				}
			})
		}
		group.Wait()
		if c.coordinates() > 3 && c.variant == Released {
			continue // the two sides are measured differently
		}
		for _, x := range g.Test {
			head, tail := m.Distance(x.Query(kg.HeadSide), x.Head), m.Distance(x.Query(kg.TailSide), x.Tail)
			if math.Abs(float64(head-tail)) > 1e-5*max(float64(tail), 0.1) {
				t.Errorf("%s: %v is %g from the head's side, %g from the tail's", c, x, head, tail)
			}
		}
	}
}

// TestPointIsWhereDistancesAreMeasuredFrom compares Point with Distance, for every model and both sides. Where
// relations scale, the candidates of a head query are scaled first.
func TestPointIsWhereDistancesAreMeasuredFrom(t *testing.T) {
	t.Parallel()
	g := smallGraph(t, 7, 90, 5, 600)
	for _, c := range everyModel() {
		m := newTestTrainer(t, c, g, 21, smallTraining(1)).Model()
		planes := m.rotation.coordinates()
		if c.coordinates() > 3 && c.variant == Released {
			continue // another norm; TestGoldenTraining compares it
		}
		if m.settings.isProduct() || c.model == BoxE {
			continue // no distance between points; TestGoldenOneVsAll and TestGoldenTraining compare it
		}
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			q := kg.Query{Side: side, Known: 3, Relation: 2}
			point, other := m.Point(q), m.Center(17)
			sum := 0.0
			for j := range m.settings.Dimension {
				square := 0.0
				factor := float32(1)
				if side == kg.HeadSide && m.pointQ < m.point {
					factor = factors(m.turnRow(q.Relation), m.blocks)[j]
				}
				for p := range planes {
					d := float64(point[j*planes+p] - factor*other[j*planes+p])
					square += d * d
				}
				if m.distance.isWhole {
					sum += square
				} else {
					sum += math.Sqrt(square)
				}
			}
			if m.distance.isWhole {
				sum = math.Sqrt(sum)
			}
			if got := float64(m.Distance(q, 17)); math.Abs(got-sum) > 1e-4*sum {
				t.Errorf("%s, %v: distance %g, from the point %g", c, side, got, sum)
			}
		}
	}
}
