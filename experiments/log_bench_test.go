package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// BenchmarkLogWhileTraining trains on all processors in bursts of a second, in turn without and with a log call of
// ten metrics after every so many steps, while the background writer stores them every second in a private database
// on the same machine. What is left at the end of a burst is stored before the next one. slower-% is the median,
// over the turns, of how much longer a step with logging takes; slower-min-% compares the fastest bursts, which
// other work on the machine disturbs least. log-p50-us and log-p99-us are of the log calls of all bursts.
func BenchmarkLogWhileTraining(b *testing.B) {
	trackertest.Skip(b)
	ctx := context.Background()
	dir := filepath.Join(b.TempDir(), "d")
	tr, err := tracker.Open(ctx, "", tracker.Options{DataDir: dir, Idle: time.Second})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		tr.Close()
		// The server's folder is about to be removed.
		for s, err := pgprivate.Inspect(tracker.ClusterDir(dir)); err == nil && s.PID != 0; {
			time.Sleep(50 * time.Millisecond)
			s, err = pgprivate.Inspect(tracker.ClusterDir(dir))
		}
	})
	for _, every := range []int{1, 10} {
		b.Run(fmt.Sprintf("every=%d", every), func(b *testing.B) {
			trainer := benchTrainer(b)
			run, err := tr.StartRun(ctx, tracker.RunSpec{})
			if err != nil {
				b.Fatal(err)
			}
			values, calls := map[string]float64{}, []float64(nil)
			names := make([]string, 10)
			for k := range names {
				names[k] = fmt.Sprintf("valid/metric_%d", k)
			}
			step := 0
			burst := func(log bool) float64 { // seconds of a step
				began, first := time.Now(), step
				for time.Since(began) < time.Second {
					stats, err := trainer.Epoch(ctx)
					if err != nil {
						b.Fatal(err)
					}
					if step++; !log || step%every != 0 {
						continue
					}
					for k, name := range names {
						values[name] = stats.Loss / float64(k+1)
					}
					call := time.Now()
					if err := run.LogMetrics(int64(step), values); err != nil {
						b.Fatal(err)
					}
					calls = append(calls, float64(time.Since(call).Nanoseconds())/1e3)
				}
				seconds := time.Since(began).Seconds() / float64(step-first)
				if err := run.Flush(ctx); err != nil {
					b.Fatal(err)
				}
				return seconds
			}
			burst(false)
			const turns = 11
			var bare, logged, ratios []float64
			for b.Loop() {
				for turn := range turns {
					var x, y float64
					if turn%2 == 0 {
						x, y = burst(false), burst(true)
					} else {
						y, x = burst(true), burst(false)
					}
					bare, logged, ratios = append(bare, x), append(logged, y), append(ratios, y/x)
				}
			}
			if err := run.Finish(ctx, tracker.Finished); err != nil {
				b.Fatal(err)
			}
			slices.Sort(ratios)
			slices.Sort(calls)
			b.ReportMetric(100*(ratios[len(ratios)/2]-1), "slower-%")
			b.ReportMetric(100*(slices.Min(logged)/slices.Min(bare)-1), "slower-min-%")
			b.ReportMetric(slices.Min(bare)*1e3, "ms/step")
			b.ReportMetric(calls[len(calls)/2], "log-p50-us")
			b.ReportMetric(calls[len(calls)*99/100], "log-p99-us")
		})
	}
}

// benchTrainer trains SpherE-2D on the bundled graph, one step per epoch.
func benchTrainer(b *testing.B) *sphere.Trainer {
	b.Helper()
	g, err := kg.Bundled()
	if err != nil {
		b.Fatal(err)
	}
	cfg := DefaultConfig()
	cfg.Dimension, cfg.Train.Epochs, cfg.Train.Steps, cfg.Train.Batch, cfg.Train.Negatives = 64, 1<<30, 1, 256, 16
	model, err := sphere.New(cfg.Settings(), g, 1)
	if err != nil {
		b.Fatal(err)
	}
	trainer, err := sphere.NewTrainer(model, g, cfg.Training())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(trainer.Close)
	return trainer
}
