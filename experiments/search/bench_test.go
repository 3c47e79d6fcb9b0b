package search

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// BenchmarkSearchLook has a worker look at a search of SPHERELAB_BENCH_RUNS trials (100) that have all been trained:
// first without memory, then as at each further look.
func BenchmarkSearchLook(b *testing.B) {
	trials := 100
	if text := os.Getenv("SPHERELAB_BENCH_RUNS"); text != "" {
		var err error
		if trials, err = strconv.Atoi(text); err != nil || trials < 2 {
			b.Fatalf("SPHERELAB_BENCH_RUNS is %q; it must be a number from 2", text)
		}
	}
	text := "  trials: " + strconv.Itoa(trials) + "\n  set: [train.epochs=4, train.save_every=0, eval.bootstrap=0]\n" +
		"  rungs: [2]\n  space:\n    gamma: {from: 1, to: 12}\n    train.learning_rate: {from: 0.001, to: 0.1, scale: log}\n" +
		"    train.temperature: {from: 0.5, to: 3}\n"
	s, err := Load(runtest.WriteSearch(b, text), config.Layers{})
	expect.NoError(b, err)
	r := &experiments.Runner{Tracker: trackertest.Open(b)}
	if _, err := s.Search.Run(b.Context(), r, Options{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		memory := newSearchMemory()
		for _, unit := range []string{"first-ms", "further-ms"} {
			began := time.Now()
			if report, _, err := s.Search.look(b.Context(), r, memory); err != nil || !report.Ended() {
				b.Fatalf("the search has not ended: %v", err)
			}
			b.ReportMetric(time.Since(began).Seconds()*1e3, unit)
		}
	}
}
