package eval

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// coverageFacts has validation facts of five relations: r3 and, with two, r1 have few.
func coverageFacts(seed uint64, entities, few int, two bool) facts {
	f := randomFacts(newRand(seed), entities, 5, 0)
	kept := map[string]int{}
	f.valid = slices.DeleteFunc(f.valid, func(x [3]string) bool {
		kept[x[1]]++
		return (x[1] == "r3" || two && x[1] == "r1") && kept[x[1]] > few
	})
	return f
}

// rightOdds are the odds of the right new answers to odd validation queries by side and relation, by names and package
// math.
func (w *twin) rightOdds(by Calibration) map[[2]string][]float64 {
	odds := map[[2]string][]float64{}
	queries := distinct(w.g.Valid, w.g.Index(kg.Train, kg.Valid), w.g.Index(kg.Train))
	for i, q := range queries {
		if i%2 == 0 {
			continue
		}
		side, x := "tail", [3]string{w.g.Entities.Name(q.Known), w.g.Relations.Name(q.Relation), ""}
		if q.Side == kg.HeadSide {
			side, x = "head", [3]string{"", x[1], x[0]}
		}
		v, _ := w.values(sphere.CriterionMargin, x, side)
		sigmoid, known := w.sigmoidOf(by, x, side), w.answers(w.known, x, side)
		for name := range w.answers(w.truth, x, side) {
			if !known[name] {
				z, _ := sigmoid(v[name])
				of := [2]string{side, x[1]}
				odds[of] = append(odds[of], z)
			}
		}
	}
	return odds
}

// TestCoverageMatchesTwin compares the border of every set with the definition: the ceil((n+1) share)-th greatest odds
// of the right answers of the cluster, which are a relation's own, those of all small relations, or all.
func TestCoverageMatchesTwin(t *testing.T) {
	t.Parallel()
	for _, two := range []bool{false, true} {
		f := coverageFacts(51, 1200, 110, two)
		g := f.graph(t)
		m := informed{&fake{g: g, levels: 1 << 40, gamma: 3, open: true}, g.Index(kg.Train, kg.Valid)}
		by := mustCalibrate(t, m, g, CalibrateSettings{})
		w := newTwin(f, g, m, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
		odds := w.rightOdds(by.Promise.Calibration)
		for _, share := range []float64{.5, .9} {
			c, ok := CoverageOf(share)
			if !ok {
				t.Fatal(share)
			}
			limit, err := c.By(by).Limits(g)
			expect.NoError(t, err)
			own := 0
			for _, x := range slices.Concat(f.valid[:60], f.test[:60]) {
				for _, side := range []string{"head", "tail"} {
					of := w.cluster(odds, side, x[1])
					if len(of) == len(odds[[2]string{side, x[1]}]) {
						own++
					}
					slices.Sort(of)
					z := of[len(of)-int(math.Ceil(share*float64(len(of)+1)-1e-9))]
					w.checkBorder(t, limit, by.Promise.Calibration, x, side, z)
				}
			}
			if own == 0 || own == 240 {
				t.Errorf("%d of 240 queries are of relations with a cluster of their own", own)
			}
		}
	}
}

// cluster are the odds that decide for a relation.
func (w *twin) cluster(odds map[[2]string][]float64, side, relation string) []float64 {
	own := odds[[2]string{side, relation}]
	if len(own) >= 100 {
		return slices.Clone(own)
	}
	var few, all []float64
	for of, list := range odds {
		if of[0] == side {
			all = append(all, list...)
			if len(list) < 100 {
				few = append(few, list...)
			}
		}
	}
	if len(few) < 100 {
		return all
	}
	return few
}

// checkBorder compares a set with the entities whose odds reach z.
func (w *twin) checkBorder(t *testing.T, limit Limit, by Calibration, x [3]string, side string, z float64) {
	t.Helper()
	r, _ := w.g.Relations.ID(x[1])
	q := kg.Query{Relation: r, Side: kg.TailSide}
	q.Known, _ = w.g.Entities.ID(x[0])
	if side == "head" {
		q.Side = kg.HeadSide
		q.Known, _ = w.g.Entities.ID(x[2])
	}
	v, _ := w.values(sphere.CriterionMargin, x, side)
	sigmoid := w.sigmoidOf(by, x, side)
	values := make([]float32, w.g.Entities.Len())
	for name, value := range v {
		e, _ := w.g.Entities.ID(name)
		values[e] = value
	}
	end := limit(q, w.g.Index(kg.Train).Answers(q), values)
	for _, value := range v {
		at, _ := sigmoid(value)
		if math.Abs(at-z) > 1e-5 && (at > z) != (value <= end) {
			t.Errorf("%v, %s: odds %g, border %g, inside %v", x, side, at, z, value <= end)
			return
		}
	}
}

// TestCoverageIsKept: sets hold the promised share of the test facts' answers, and not many more.
func TestCoverageIsKept(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(52), 900, 5, 0).graph(t)
	m := informed{&fake{g: g, levels: 1 << 40, gamma: 3, open: true}, g.Index(kg.Train, kg.Valid, kg.Test)}
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	var cuts []Cut
	shares := []float64{.3, .8, .95}
	for _, share := range shares {
		c, _ := CoverageOf(share)
		cuts = append(cuts, c.By(by))
	}
	r := mustRun(t, m, g, Settings{Cuts: cuts})
	for i, share := range shares {
		for side, rr := range map[string]float64{"head": r.Cuts[i].Head.RR, "tail": r.Cuts[i].Tail.RR} {
			// answers on both sides of the comparison are a sample: three standard deviations
			deviation := math.Sqrt(share * (1 - share) * (1/450. + 1/900.))
			if math.Abs(rr-share) > 3*deviation {
				t.Errorf("coverage %g: %s RR %.3f, deviation %.3f", share, side, rr, deviation)
			}
		}
	}
}

// TestCoverageNeedsFacts: a share that a small graph cannot show is refused, with the number of answers it needs.
func TestCoverageNeedsFacts(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(53), 60, 4, 0)
	f.valid = f.valid[:20]
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3, open: true}
	by := mustCalibrate(t, m, g, CalibrateSettings{})
	few := len(by.Promise.Coverage.Head.Clusters[0])
	for share, ok := range map[float64]bool{.5: true, .99: false} {
		c, _ := CoverageOf(share)
		_, err := c.By(by).Limits(g)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "needs 99 right answers") {
			t.Errorf("coverage %g with %d answers: %v", share, few, err)
		}
	}
	for share, want := range map[float64]int{.5: 1, .9: 9, .95: 19, .99: 99, .8: 4, .7: 3} {
		c, _ := CoverageOf(share)
		n := needed(c.millionths)
		if _, ok := conformal(make([]float64, n), c.millionths); n != want || !ok {
			t.Errorf("coverage %g needs %d, %v", share, n, ok)
		}
		if _, ok := conformal(make([]float64, n-1), c.millionths); ok {
			t.Errorf("coverage %g needs fewer than %d", share, n)
		}
	}
}

// TestAnswersWithoutValueAreNotCovered: a right answer that cannot be in a set counts against the coverage.
func TestAnswersWithoutValueAreNotCovered(t *testing.T) {
	t.Parallel()
	g := randomFacts(newRand(54), 400, 4, 0).graph(t)
	m := overflown{&fake{g: g, levels: 1 << 40, gamma: 3, open: true}}
	whole := mustCalibrate(t, m.fake, g, CalibrateSettings{}).Promise.Coverage
	part := mustCalibrate(t, m, g, CalibrateSettings{}).Promise.Coverage
	count := func(c SideCoverage) (all, lost int) {
		for _, z := range c.Clusters[0] {
			if all++; z == leastOdds {
				lost++
			}
		}
		return all, lost
	}
	all, lost := count(part.Head)
	if of, none := count(whole.Head); all != of || none != 0 || lost == 0 || lost == all {
		t.Errorf("%d of %d head answers lost, %d of %d where all values are finite", lost, all, none, of)
	}
}

// TestAfter compares the next number with package math's.
func TestAfter(t *testing.T) {
	t.Parallel()
	for _, v := range []float32{0, 1, -1, -math.SmallestNonzeroFloat32, 3e38, -math.MaxFloat32, 1e-40, -2.5} {
		if got, want := after(v), math.Nextafter32(v, math.MaxFloat32); got != want {
			t.Errorf("after %g is %g, want %g", v, got, want)
		}
	}
}
