package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

func mustFit(t testing.TB, m Model, g *kg.Graph, s FitSettings) map[string]sphere.Thresholds {
	t.Helper()
	list, err := Fit(t.Context(), m, g, s)
	expect.NoError(t, err)
	byName := make(map[string]sphere.Thresholds)
	var names []string
	for _, x := range list {
		byName[x.Name] = x
		names = append(names, x.Name)
	}
	if !slices.Equal(names, FittedNames()) {
		t.Fatalf("thresholds %q, want %q", names, FittedNames())
	}
	return byName
}

// cutsOf are the cuts at thresholds.
func cutsOf(list []sphere.Thresholds) []Cut {
	var cuts []Cut
	for i := range list {
		cuts = append(cuts, FittedAt(&list[i]))
	}
	return cuts
}

// fittingTwin is the twin for the validation split, whose truth is train and valid.
func fittingTwin(f facts, g *kg.Graph, m Model) *twin {
	return newTwin(f, g, m, Settings{Split: kg.Valid, Truth: []kg.Split{kg.Train, kg.Valid}})
}

// objective is the mean that thresholds are fitted for, over some validation facts with one threshold for all.
func (w *twin) objective(name, side string, of [][3]string, threshold float32) float64 {
	sum, n := 0.0, 0
	for _, x := range of {
		v, _ := w.values(sphere.CriterionMargin, x, side)
		r := make(set)
		for e := range v {
			if v[e] <= threshold {
				r[e] = true
			}
		}
		g, k := w.answers(w.truth, x, side), w.answers(w.known, x, side)
		switch name {
		case "novel":
			g, r = minus(g, k), minus(r, k)
			if len(g) == 0 {
				continue
			}
		case "union":
			r = plus(r, k)
		}
		_, _, f := prf(r, g)
		sum += f
		n++
	}
	return sum / float64(max(1, n))
}

// allValues are the distinct values of all entities for the facts' queries, and one below them.
func (w *twin) allValues(side string, of [][3]string) []float32 {
	seen := make(map[float32]bool)
	for _, x := range of {
		v, _ := w.values(sphere.CriterionMargin, x, side)
		for _, value := range v {
			if !math.IsNaN(float64(value)) && !math.IsInf(float64(value), 0) {
				seen[value] = true
			}
		}
	}
	var list []float32
	for v := range seen {
		list = append(list, v)
	}
	sort.Slice(list, func(i, j int) bool { return list[i] < list[j] })
	if len(list) > 0 {
		list = append([]float32{list[0] - 1}, list...)
	}
	return list
}

// TestFitIsOptimal tries every value of every entity as a threshold, for every side and every relation: none may serve
// the validation facts better than the fitted one, and none below it as well with other sets.
func TestFitIsOptimal(t *testing.T) {
	t.Parallel()
	interior, nothing := 0, 0
	for seed := range uint64(12) {
		f := randomFacts(newRand(300+seed), 14, 4, int(seed%3)*10)
		g := f.graph(t)
		m := &fake{g: g, levels: []uint64{9, 60, 1 << 40}[seed%3], gamma: 3, salt: seed, open: seed%2 == 0}
		if seed > 8 {
			m.nan, m.inf = 10, 10
		}
		fitted := mustFit(t, m, g, FitSettings{Pseudo: -1, Threads: 2})
		w := fittingTwin(f, g, m)
		check := func(what, objective, side string, of [][3]string, threshold float32) {
			t.Helper()
			got := w.objective(objective, side, of, threshold)
			maximum := math.Inf(-1)
			values := w.allValues(side, of)
			for _, v := range values {
				maximum = max(maximum, w.objective(objective, side, of, v))
			}
			if got < maximum-1e-12 {
				t.Errorf("seed %d, %s, %s of %s: threshold %g gives %g, the best gives %g",
					seed, what, objective, side, threshold, got, maximum)
			}
			switch {
			case len(values) == 0:
			case threshold < values[1]:
				nothing++
			case threshold < values[len(values)-1]:
				interior++
			}
		}
		for _, objective := range []string{"f1", "novel", "union"} {
			for _, side := range []string{"head", "tail"} {
				limits := func(name string) []float32 {
					if side == "head" {
						return fitted[name].Head
					}
					return fitted[name].Tail
				}
				global := limits("fitted-side-" + objective)
				for _, x := range global {
					if x != global[0] {
						t.Fatalf("seed %d: a threshold per side differs by relation: %v", seed, global)
					}
				}
				check("all relations", objective, side, f.valid, global[0])
				for r := range g.Relations.Len() {
					of := w.filter(func(x [3]string) bool { return x[1] == g.Relations.Name(int32(r)) })
					own := limits("fitted-" + objective)[r]
					if len(of) == 0 {
						if own != global[0] {
							t.Errorf("seed %d: relation %d without validation facts has threshold %g, its side %g",
								seed, r, own, global[0])
						}
						continue
					}
					if objective == "novel" && w.findable(side, of) == 0 {
						continue
					}
					check(g.Relations.Name(int32(r)), objective, side, of, own)
				}
			}
		}
	}
	if interior < 50 || nothing == 0 {
		t.Errorf("%d thresholds lie between values and %d retrieve nothing: the test does not see both", interior,
			nothing)
	}
}

// findable is the number of distinct queries with an answer that is not known.
func (w *twin) findable(side string, of [][3]string) int {
	queries := make(set)
	for _, x := range of {
		if len(minus(w.answers(w.truth, x, side), w.answers(w.known, x, side))) > 0 {
			queries[x[1]+"|"+w.given(x, side)] = true
		}
	}
	return len(queries)
}

// TestFitShrinks holds the weights of a relation's own threshold and its side's.
func TestFitShrinks(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(400), 25, 4, 20)
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3}
	own, moved := mustFit(t, m, g, FitSettings{Pseudo: -1}), 0
	w := fittingTwin(f, g, m)
	for _, pseudo := range []float64{0, 10, 3.5, 1e12} {
		weight := pseudo
		if pseudo == 0 {
			weight = 10
		}
		shrunk := mustFit(t, m, g, FitSettings{Pseudo: pseudo})
		for _, name := range FittedNames() {
			objective := name[strings.LastIndexByte(name, '-')+1:]
			for side, limits := range map[string]func(sphere.Thresholds) []float32{
				"head": func(x sphere.Thresholds) []float32 { return x.Head },
				"tail": func(x sphere.Thresholds) []float32 { return x.Tail },
			} {
				for r := range g.Relations.Len() {
					of := w.filter(func(x [3]string) bool { return x[1] == g.Relations.Name(int32(r)) })
					queries := make(set)
					for _, x := range of {
						queries[w.given(x, side)] = true
					}
					n := float64(len(queries))
					if objective == "novel" {
						n = float64(w.findable(side, of))
					}
					global := float64(limits(own["fitted-side-"+objective])[r])
					want := (n*float64(limits(own[name])[r]) + weight*global) / (n + weight)
					got := float64(limits(shrunk[name])[r])
					if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
						t.Errorf("%s, relation %d, %s, %g pseudo-queries: %g, want %g", name, r, side, pseudo, got,
							want)
					}
					if got != global && got != float64(limits(own[name])[r]) {
						moved++
					}
				}
			}
		}
	}
	if moved == 0 {
		t.Error("no threshold was between the relation's and the side's")
	}
}

// TestFitIsAFunctionOfTheGraph: no number of threads changes a bit, and no test fact enters.
func TestFitIsAFunctionOfTheGraph(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(401), 120, 5, 10)
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3}
	want := mustJSON(t, mustFit(t, m, g, FitSettings{Threads: 1}))
	for _, threads := range []int{0, 2, 3, 7} {
		if got := mustJSON(t, mustFit(t, m, g, FitSettings{Threads: threads})); !bytes.Equal(got, want) {
			t.Errorf("%d threads: other thresholds", threads)
		}
	}
	h := f.withOtherTests().graph(t)
	if got := mustJSON(t, mustFit(t, &fake{g: h, levels: 1 << 40, gamma: 3}, h, FitSettings{})); !bytes.Equal(got,
		want) {
		t.Error("other test facts: other thresholds")
	}
}

// TestFittedCutsMatchTwin evaluates the test split with fitted thresholds and top-mean, against the twin.
func TestFittedCutsMatchTwin(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		f := randomFacts(newRand(500+seed), 16, 4, int(seed%3)*8)
		g := f.graph(t)
		var m Model = &fake{g: g, levels: []uint64{12, 1 << 40}[seed%2], gamma: 3, salt: seed}
		if seed > 5 { // as trained, with scales
			settings := sphere.Settings{Model: "sphere-3d", Variant: "released", Dimension: 5, Gamma: 6, Epsilon: 2,
				Tau: .1}
			model, err := sphere.New(settings, g, seed)
			expect.NoError(t, err)
			briefly(t, model, g)
			m = model
		}
		list, err := Fit(t.Context(), m, g, FitSettings{})
		expect.NoError(t, err)
		base, fitted := []Cut{Criterion(sphere.CriterionMargin), Top(2)}, append(cutsOf(list), TopMean{})
		settings := Settings{Cuts: slices.Concat(base, fitted), Resamples: 20, KeepRecords: true}
		r := mustRun(t, m, g, settings)
		w := newTwin(f, g, m, settings)
		w.fitted = make(map[string]sphere.Thresholds)
		for _, x := range list {
			w.fitted[x.Name] = x
		}
		cuts := slices.Concat([]string{"margin", "top-2"}, FittedNames(),
			[]string{"top-mean", "lookup", "lookup-train"})
		got := withoutIntervals(r)
		compareMaps(t, fmt.Sprintf("seed %d", seed), got, w.metrics("margin", cuts))
		var names []string
		for _, c := range r.Cuts {
			names = append(names, c.Name)
			if c.Intervals == nil {
				t.Errorf("seed %d: cut %s has no intervals", seed, c.Name)
			}
		}
		if !slices.Equal(names, cuts) {
			t.Errorf("seed %d: cuts %q, want %q", seed, names, cuts)
		}
		bare := settings
		bare.Cuts = base
		e, err := New(g, bare)
		expect.NoError(t, err)
		if e, err = e.With(fitted...); err != nil {
			t.Fatal(err)
		}
		if later, err := e.Run(t.Context(), m); err != nil || !bytes.Equal(mustJSON(t, r), mustJSON(t, later)) {
			t.Errorf("seed %d: thresholds given later: another report, %v", seed, err)
		}
		settings.Threads, settings.Block = 3, 5
		if !bytes.Equal(mustJSON(t, r), mustJSON(t, mustRun(t, m, g, settings))) {
			t.Errorf("seed %d: other threads and blocks: another report", seed)
		}
		compared := CompareSettings{CutA: "fitted-f1", CutB: "margin", Resamples: 10}
		if _, err := Compare(t.Context(), r, r, compared); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestNaNIsCountedInFittedCuts: a NaN is in no set and is counted.
func TestNaNIsCountedInFittedCuts(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(600), 16, 4, 0)
	g := f.graph(t)
	m := &fake{g: g, levels: 1 << 40, gamma: 3, nan: 30}
	list, err := Fit(t.Context(), m, g, FitSettings{})
	expect.NoError(t, err)
	for _, s := range []Settings{{Cuts: with(Tops(1, 3), cutsOf(list)...)}, {Cuts: append(cutsOf(list), TopMean{})},
		{Cuts: []Cut{TopMean{}}, SkipRanking: true}} {
		s.Cuts = append([]Cut{Criterion(sphere.CriterionIntersect)}, s.Cuts...)
		r := mustRun(t, m, g, s)
		want := int64(newTwin(f, g, m, s).nanValues(sphere.CriterionMargin))
		if want == 0 {
			t.Fatal("there is no NaN")
		}
		for _, c := range r.Cuts {
			if extra := strings.HasPrefix(c.Name, "fitted-") ||
				strings.HasPrefix(c.Name, "top-"); extra && c.NaN != want {
				t.Errorf("%s: %d NaN, want %d", c.Name, c.NaN, want)
			}
		}
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	r := newRand(9)
	for range 300 {
		threshold := make([]float32, 1+r.IntN(40))
		for i := range threshold {
			switch r.IntN(8) {
			case 0:
				threshold[i] = 0
			case 1:
				threshold[i] = math.Float32frombits(r.Uint32() &^ (1 << 30)) // small or subnormal
			default:
				threshold[i] = float32(r.NormFloat64())
			}
			if threshold[i] != threshold[i] {
				threshold[i] = 1
			}
		}
		threshold = thin(threshold)
		l := newCandidates(threshold)
		for range 200 {
			v := float32(r.NormFloat64())
			switch r.IntN(6) {
			case 0:
				v = threshold[r.IntN(len(threshold))]
			case 1:
				v = float32(math.Inf(1 - 2*r.IntN(2)))
			case 2:
				v = math.Float32frombits(r.Uint32())
			}
			want := 0
			for want < len(threshold) && !(v <= threshold[want]) {
				want++
			}
			if got := l.first(v); got != want {
				t.Fatalf("%g is at %d of %v, want %d", v, got, threshold, want)
			}
		}
	}
}

func TestThin(t *testing.T) {
	t.Parallel()
	values := make([]float32, 3*maxCandidates)
	for i := range values {
		values[i] = float32((i * 7919) % (2 * maxCandidates))
	}
	few := thin(values)
	if len(few) != maxCandidates || few[0] != 0 || few[len(few)-1] != 2*maxCandidates-1 || !slices.IsSorted(few) {
		t.Errorf("%d values from %g to %g", len(few), few[0], few[len(few)-1])
	}
	for i := 1; i < len(few); i++ {
		if gap := few[i] - few[i-1]; gap < 1 || gap > 3 {
			t.Fatalf("a gap of %g between %g and %g", gap, few[i-1], few[i])
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	for _, x := range []float32{0, float32(math.Copysign(0, -1)), 1, -1, 3.25, -7,
		math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32} {
		if got, want := below(x), math.Nextafter32(x, float32(math.Inf(-1))); got != want {
			t.Errorf("below %g is %g, want %g", x, got, want)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	t.Parallel()
	f := randomFacts(newRand(700), 16, 4, 0)
	g := f.graph(t)
	m := &fake{g: g, levels: 9, gamma: 3}
	for _, s := range []FitSettings{{Threads: -1}, {Pseudo: math.NaN()}, {Pseudo: math.Inf(1)}} {
		if _, err := Fit(t.Context(), m, g, s); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
	bare := f
	bare.valid = nil
	h := bare.graph(t)
	_, err := Fit(t.Context(), &fake{g: h, levels: 9}, h, FitSettings{})
	if err == nil || !strings.Contains(err.Error(), "valid") {
		t.Errorf("without validation facts: %v", err)
	}
	other := randomFacts(newRand(701), 30, 4, 0).graph(t)
	if _, err := Fit(t.Context(), m, other, FitSettings{}); err == nil ||
		!strings.Contains(err.Error(), "another graph") {
		t.Errorf("another graph: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Fit(ctx, m, g, FitSettings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	good := mustFit(t, m, g, FitSettings{})["fitted-f1"]
	named := func(name string) Cut {
		return FittedAt(&sphere.Thresholds{Name: name, Head: good.Head, Tail: good.Tail})
	}
	if _, err := New(g, Settings{Cuts: []Cut{named("fitted-f1"), named("fitted-mine")}}); err != nil {
		t.Error(err)
	}
	for _, bad := range [][]Cut{
		{named("")}, {named("margin")}, {named("top-3")}, {named("lookup")}, {named("fitted-a/b")},
		{named("fitted-f1"), named("fitted-f1")}, {Fitted{name: "fitted-f1"}},
		{FittedAt(&sphere.Thresholds{Name: "fitted-short", Head: good.Head[1:], Tail: good.Tail})}, {Fitted{}},
	} {
		if _, err := New(g, Settings{Cuts: bad}); err == nil {
			t.Errorf("thresholds %+v were accepted", bad)
		}
	}
}

// TestSmallestOfEquallyGoodThresholds: of thresholds with the same sum the smallest is taken.
func TestSmallestOfEquallyGoodThresholds(t *testing.T) {
	t.Parallel()
	if got := best([]float32{1, 2, 4, 8}, []float64{5, 7, 7, 9}, []int32{0, 1, 2}); got != 2 {
		t.Errorf("threshold %v, want 2", got)
	}
}
