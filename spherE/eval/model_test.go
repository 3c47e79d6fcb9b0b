package eval

import (
	"bytes"
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
)

// TestRealModels evaluates untrained models of all kinds against the twin, and with other threads and blocks.
func TestRealModels(t *testing.T) {
	f := randomFacts(newRand(50), 18, 4, 10)
	g := f.graph(t)
	for _, s := range []sphere.Settings{
		{Model: "rotate", Variant: "released", Dimension: 6, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "sphere-2d", Variant: "released", Dimension: 6, Gamma: 6, Epsilon: 2, Tau: .1},
		{Model: "sphere-2d", Variant: "paper", Dimension: 6, Gamma: 2, Epsilon: 2, Alpha: .1, Beta: .1},
		{Model: "sphere-2d", Variant: "clean", Dimension: 6, Gamma: 6, Epsilon: 2},
	} {
		t.Run(s.Model+" "+s.Variant, func(t *testing.T) {
			m, err := sphere.New(s, g, 1)
			if err != nil {
				t.Fatal(err)
			}
			settings := Settings{Further: sphere.Criteria(), TopL: []int{1, 5}, KeepRecords: true}
			r := mustRun(t, m, g, settings)
			if r.Primary != string(m.DefaultCriterion()) {
				t.Errorf("primary cut %q, want %q", r.Primary, m.DefaultCriterion())
			}
			cuts := []string{r.Primary}
			for _, c := range sphere.Criteria() {
				if string(c) != r.Primary {
					cuts = append(cuts, string(c))
				}
			}
			w := newTwin(f, g, m, settings)
			compareMaps(t, "twin", r.Metrics(), w.metrics(r.Primary, append(cuts, "top-1", "top-5", "lookup", "lookup-train")))
			for _, threads := range []int{1, 3} {
				for _, block := range []int{1, 7} {
					settings.Threads, settings.Block = threads, block
					if !bytes.Equal(mustJSON(t, r), mustJSON(t, mustRun(t, m, g, settings))) {
						t.Errorf("threads %d, block %d: another report", threads, block)
					}
				}
			}
		})
	}
}
