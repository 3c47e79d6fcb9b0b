package eval

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestDropItselfMatchesTwin: sets of all kinds, ranks, fitted thresholds and probabilities are those of a twin that
// looks for loops among the training facts by name and leaves the asked entity out.
func TestDropItselfMatchesTwin(t *testing.T) {
	t.Parallel()
	kept, moved := 0, 0
	for seed := range uint64(8) {
		f := randomFacts(newRand(70+seed), 12, 5, 5)
		g := f.graph(t)
		own := informed{&fake{g: g, levels: []uint64{9, 1 << 40}[seed%2], gamma: 3, salt: seed, inf: 5 * (seed / 4),
			open: true}, g.Index(kg.Train, kg.Valid)}
		m := DropItself(own, g)
		by := mustCalibrate(t, m, g, CalibrateSettings{Pseudo: 1e12})
		thresholds, err := Fit(t.Context(), m, g, FitSettings{Pseudo: -1})
		expect.NoError(t, err)
		names := []string{"margin", "sphere", "top-1", "top-3", "top-100"}
		var cuts []Cut
		for _, name := range names {
			c, _ := ParseCut(name)
			cuts = append(cuts, c)
		}
		cuts = with(cuts, append(cutsOf(thresholds), ExpectedCuts(by)...)...)
		s := Settings{Cuts: cuts}
		w := newTwin(f, g, own, s)
		w.drop, w.calibrated, w.fitted = true, by, map[string]sphere.Thresholds{}
		for _, x := range thresholds {
			w.fitted[x.Name] = x
		}
		names = append(append(append(names, FittedNames()...), ExpectedNames()...), "lookup", "lookup-train")
		r := mustRun(t, m, g, s)
		got := r.Metrics()
		compareMaps(t, fmt.Sprintf("seed %d", seed), got, w.metrics("margin", names))

		with := mustRun(t, own, g, s).Metrics()
		if len(with) != len(got) {
			t.Errorf("seed %d: %d metrics with the asked entity, %d without", seed, len(with), len(got))
		}
		for key := range got {
			if strings.Contains(key, "f1") && with[key] != got[key] {
				moved++
			}
		}
		if with := mustRun(t, own, g, s); bytes.Equal(mustJSON(t, with), mustJSON(t, r)) {
			t.Errorf("seed %d: nothing depends on the asked entity", seed)
		}
		for _, loops := range g.Loops() {
			if loops {
				kept++
			}
		}

		w = newTwin(f, g, own, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
		w.drop = true
		for _, side := range []string{"head", "tail"} {
			slope, rights := w.slope(by.New, side, false)
			if rights == 0 {
				t.Fatal("no right answers")
			}
			for j, x := range slope {
				if math.Abs(x) > 1e-2 {
					t.Errorf("seed %d, %s: derivative by weight %d is %g", seed, side, j, x)
				}
			}
			for _, x := range thresholds {
				objective, bySide := strings.CutPrefix(x.Name, fittedBySide)
				if !bySide {
					continue
				}
				limit := x.Tail[0]
				if side == "head" {
					limit = x.Head[0]
				}
				maximum := math.Inf(-1)
				for _, v := range w.allValues(side, f.valid) {
					maximum = max(maximum, w.objective(objective, side, f.valid, v))
				}
				if got := w.objective(objective, side, f.valid, limit); got < maximum-1e-12 {
					t.Errorf("seed %d: %s of %s gives %g, the best gives %g", seed, x.Name, side, got, maximum)
				}
			}
		}
	}
	if kept == 0 || moved == 0 {
		t.Errorf("%d relations have loops, %d numbers change", kept, moved)
	}
}

// TestDroppedIsNoNaN: what is dropped does not count as a broken value, and a broken one still does.
func TestDroppedIsNoNaN(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(3), 12, 5, 0)
	g := f.graph(t)
	for nan, want := range map[uint64]bool{0: false, 60: true} {
		own := &fake{g: g, levels: 9, gamma: 3, nan: nan}
		s := Settings{Cuts: every}
		got := mustRun(t, DropItself(own, g), g, s).Metrics()
		w := newTwin(f, g, own, s)
		w.drop = true
		n := w.nanValues(sphere.CriterionMargin)
		if got[nanValues] != n || (n > 0) != want {
			t.Errorf("%g NaN, the twin counts %g", got[nanValues], n)
		}
	}
}
