package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/kg"
)

// gain is what a cut adds to the union F1 of a lookup over every other validation query of a side, heads and tails
// counted through, and the bounds of its resamples: plain loops over the twin's sets.
func (w *twin) gain(cut, side string) (lookup, with, lo, hi float64) {
	queries, odd := w.distinctQueries(side), []drawn{}
	before := 0
	if side == "tail" {
		before = len(w.distinctQueries("head"))
	}
	for i, q := range queries {
		if (before+i)%2 == 1 {
			odd = append(odd, q)
		}
	}
	var gains []float64
	all, facts := 0.0, 0.0
	for _, q := range odd {
		x, n := q.triples[0], float64(len(q.triples))
		known, truth := w.answers(w.known, x, side), w.answers(w.truth, x, side)
		_, _, without := prf(known, truth)
		_, _, union := prf(plus(w.expectedSet(cut, x, side), known), truth)
		lookup, with, facts = lookup+n*without, with+n*union, facts+n
		gains, all = append(gains, union-without), all+1
	}
	var drawn []float64
	for b := range 1000 {
		stream := draw.New(0, draw.Bootstrap, uint64(b), map[string]uint32{"head": 0, "tail": 1}[side])
		sum, count := 0.0, 0.0
		for range odd {
			at := stream.Uint32n(uint32(len(odd)))
			n := float64(len(odd[at].triples))
			sum, count = sum+n*gains[at], count+n
		}
		drawn = append(drawn, sum/count)
	}
	lo, hi = bounds(drawn)
	return lookup / facts, with / facts, lo, hi
}

// TestChooseCutsMatchesTwin: each side's default cut is the first that does not lose against a lookup, by plain loops
// over names. Facts of test decide nothing, and neither does the number of threads.
func TestChooseCutsMatchesTwin(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for seed := range uint64(expect.Fewer(40, 3)) {
		f := randomFacts(newRand(700+seed), 9, 3, 0)
		g := f.graph(t)
		m := &fake{g: g, levels: 1 << 40, gamma: 3, salt: seed, open: seed%2 == 0}
		by := mustCalibrate(t, m, g, CalibrateSettings{Pseudo: 2})
		if seed > 3 { // sure of itself, on one side
			logits := [][]Logit{by.Promise.Calibration.Head, by.Promise.Calibration.Tail}[seed/4%2]
			for i := range logits {
				logits[i] = Logit{Intercept: []float64{6, 4, 2, -4}[seed%4], Value: .7}
			}
		}
		got := mustChoose(t, m, g, by)
		w := newTwin(f, g, m, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
		w.calibrated = &Calibrated{New: by.Promise.Calibration}
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			want := CutChoice{Cut: "lookup", Usual: "expected-novel"}
			for _, cut := range []string{"expected-novel", "expected-union"} {
				lookup, with, lo, hi := w.gain(cut, side.String())
				if hi >= 0 {
					want.Cut = cut
					break
				}
				if cut == "expected-novel" {
					want.Lookup, want.With, want.Difference = lookup, with, Interval{lo, hi}
				}
			}
			c := *got.Of(side)
			if c.Cut != want.Cut || c.Usual != want.Usual || math.Abs(c.Lookup-want.Lookup) > 1e-9 ||
				math.Abs(c.With-want.With) > 1e-9 || math.Abs(c.Difference.Low-want.Difference.Low) > 1e-9 ||
				math.Abs(c.Difference.High-want.Difference.High) > 1e-9 {
				t.Errorf("seed %d: %ss: %+v, want %+v", seed, side, c, want)
			}
			seen[fmt.Sprintf("%s %s", side, c.Cut)] = true
		}
		seen["sides differ"] = seen["sides differ"] || got.Head.Cut != got.Tail.Cut
		other := f
		for i := range other.test {
			other.test[i][2] = f.train[(i*5+1)%len(f.train)][2]
		}
		shuffled := other.graph(t)
		if shuffled.Entities.Len() == g.Entities.Len() {
			seen["shuffled"] = true
			if again := mustChoose(t, &fake{g: shuffled, levels: m.levels, gamma: m.gamma, salt: m.salt, open: m.open},
				shuffled, by); !reflect.DeepEqual(again, got) {
				t.Errorf("seed %d: other test facts choose %+v, not %+v", seed, again, got)
			}
		}
	}
	if expect.RaceDetector {
		return // a few seeds do not choose every cut
	}
	for _, side := range []string{"head", "tail"} {
		for _, cut := range []string{"expected-novel", "expected-union", "lookup"} {
			if !seen[side+" "+cut] {
				t.Errorf("no seed chooses %s for %ss", cut, side)
			}
		}
	}
	if !seen["sides differ"] || !seen["shuffled"] {
		t.Errorf("only %v happen", seen)
	}
}

// mustChoose chooses with one thread and with several, to the same bits.
func mustChoose(t *testing.T, m Model, g *kg.Graph, by *Calibrated) *DefaultCuts {
	t.Helper()
	one, err := ChooseCuts(context.Background(), m, g, by, CalibrateSettings{Threads: 1})
	expect.NoError(t, err)
	three, err := ChooseCuts(context.Background(), m, g, by, CalibrateSettings{Threads: 3})
	if err != nil || !reflect.DeepEqual(one, three) {
		t.Errorf("three threads choose %+v, one %+v (%v)", three, one, err)
	}
	return one
}

// TestDefaultCutsText: what is recorded is read again, other names are refused, and a sentence says what was moved.
func TestDefaultCutsText(t *testing.T) {
	t.Parallel()
	d := &DefaultCuts{Head: CutChoice{Cut: "expected-novel", Usual: "expected-novel"}, Tail: CutChoice{Cut: "expected-union",
		Usual: "expected-novel", Lookup: .84, With: .75, Difference: Interval{-.1, -.08}}}
	raw, err := json.Marshal(d)
	again := new(DefaultCuts)
	if err != nil || json.Unmarshal(raw, again) != nil || !reflect.DeepEqual(d, again) || again.Check() != nil {
		t.Errorf("%s is read as %+v (%v)", raw, again, err)
	}
	want := "tails: expected-union answers where no cut is named, since on the validation facts expected-novel lowers " +
		"union F1 from 0.840 to 0.750 (difference -0.100 to -0.080)"
	if notes := strings.Join(d.Notes(), "\n"); notes != want {
		t.Errorf("notes %q", notes)
	}
	for _, c := range []CutChoice{{}, {Cut: "top-10", Usual: "expected-novel"}, {Cut: "expected-union", Usual: "margin"}} {
		if (&DefaultCuts{Head: d.Head, Tail: c}).Check() == nil {
			t.Errorf("%+v is a default cut", c)
		}
	}
}
