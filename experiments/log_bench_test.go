package experiments

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// BenchmarkLogWhileTraining trains on all processors in blocks of a second, in the order without, with, with and
// without log calls, while the background writer stores what they log every second in a private database on the same
// machine. A block with log calls ends when all of it is stored; the training continues meanwhile. slower-% is how much
// longer steps with log calls take: the time that the two blocks with them took beyond that of as many steps without,
// the median over the fours, with the ends of its 95 % interval, which need six fours. cpu-% is the same of this
// process's processor time. "none" never logs, so it shows what the machine's other work does to these numbers.
// log-p50-us and log-p99-us are of the log calls of ten metrics each. More fours: -benchtime 12x.
func BenchmarkLogWhileTraining(b *testing.B) {
	trackertest.Skip(b)
	ctx := context.Background()
	dir := filepath.Join(b.TempDir(), "d")
	tr, err := open.Tracker(ctx, "", tracker.Options{DataDir: dir, Idle: time.Second})
	expect.NoError(b, err)
	trackertest.EndCluster(b, tr, dir)
	for _, c := range []struct {
		name  string
		every int
		large bool // as a step of a benchmark graph
	}{{"none", 0, true}, {"large-step/every=1", 1, true}, {"small-step/every=1", 1, false},
		{"small-step/every=10", 10, false}} {
		b.Run(c.name, func(b *testing.B) {
			run, err := tr.StartRun(ctx, tracker.RunSpec{})
			expect.NoError(b, err)
			l := logBench{b: b, run: run, trainer: benchTrainer(b, c.large), every: c.every,
				values: map[string]float64{}}
			for k := range 10 {
				l.values[fmt.Sprintf("valid/metric_%d", k)] = 0
			}
			l.block(false)
			const fours = 5
			var wall, cpu, bare []float64
			for b.Loop() {
				for range fours {
					first, with, more, last := l.block(false), l.block(true), l.block(true), l.block(false)
					off, on := first.and(last), with.and(more)
					bare = append(bare, off.seconds/off.steps)
					wall = append(wall, extra(on.seconds, off.seconds, on, off))
					cpu = append(cpu, extra(on.cpu, off.cpu, on, off))
				}
			}
			expect.NoError(b, run.Finish(ctx, tracker.Finished))
			for _, list := range [][]float64{wall, cpu, bare, l.calls} {
				slices.Sort(list)
			}
			low, high := medianInterval(len(wall))
			b.ReportMetric(wall[len(wall)/2], "slower-%")
			b.ReportMetric(wall[low], "slower-low-%")
			b.ReportMetric(wall[high], "slower-high-%")
			b.ReportMetric(cpu[len(cpu)/2], "cpu-%")
			b.ReportMetric(bare[len(bare)/2]*1e3, "ms/step")
			if n := len(l.calls); n > 0 {
				b.ReportMetric(l.calls[n/2], "log-p50-us")
				b.ReportMetric(l.calls[n*99/100], "log-p99-us")
			}
		})
	}
}

// extra is how much more an amount of the blocks with log calls is than that of as many steps without, in percent of
// the steps that logged.
func extra(on, off float64, with, without logBlock) float64 {
	step := off / without.steps
	return 100 * (on - with.steps*step) / (with.logged * step)
}

// medianInterval are the places of the ends of the median's 95 % interval in a sorted list, by the binomial
// distribution.
func medianInterval(n int) (low, high int) {
	low = max(0, int((float64(n)-1.96*math.Sqrt(float64(n)))/2))
	return low, n - 1 - low
}

// logBench is one training that logs in some blocks of steps.
type logBench struct {
	b       *testing.B
	run     *tracker.Run
	trainer *sphere.Trainer
	every   int // steps per log call
	values  map[string]float64
	step    int
	calls   []float64 // microseconds
}

// logBlock is what steps took.
type logBlock struct{ seconds, cpu, steps, logged float64 }

func (l logBlock) and(m logBlock) logBlock {
	return logBlock{l.seconds + m.seconds, l.cpu + m.cpu, l.steps + m.steps, l.logged + m.logged}
}

// block trains for a second, and longer until all that it logged is stored.
func (l *logBench) block(log bool) (out logBlock) {
	began, cpu := time.Now(), processorSeconds(l.b)
	for time.Since(began) < time.Second {
		loss := l.train()
		out.steps++
		out.logged++
		if !log || l.every == 0 || l.step%l.every != 0 {
			continue
		}
		for name := range l.values {
			l.values[name] = loss / float64(len(name)+l.step)
		}
		call := time.Now()
		expect.NoError(l.b, l.run.LogMetrics(int64(l.step), l.values))
		l.calls = append(l.calls, float64(time.Since(call).Nanoseconds())/1e3)
	}
	if log {
		stored := make(chan error, 1)
		go func() { stored <- l.run.Flush(context.Background()) }()
		for waiting := true; waiting; {
			select {
			case err := <-stored:
				expect.NoError(l.b, err)
				waiting = false
			default:
				l.train()
				out.steps++
			}
		}
	}
	out.seconds, out.cpu = time.Since(began).Seconds(), processorSeconds(l.b)-cpu
	return out
}

func (l *logBench) train() (loss float64) {
	stats, err := l.trainer.Epoch(context.Background())
	expect.NoError(l.b, err)
	l.step++
	return stats.Loss
}

// processorSeconds is the processor time of this process so far.
func processorSeconds(b *testing.B) float64 {
	var u unix.Rusage
	expect.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// benchTrainer trains SpherE-2D on the bundled graph, one step per epoch. A large step takes as long as one of
// FB15k-237.
func benchTrainer(b *testing.B, large bool) *sphere.Trainer {
	b.Helper()
	g, err := kg.Bundled()
	expect.NoError(b, err)
	cfg := config.Default()
	cfg.Dimension, cfg.Train.Epochs, cfg.Train.Steps, cfg.Train.Batch, cfg.Train.Negatives = 64, 1<<30, 1, 256, 16
	if large {
		cfg.Dimension, cfg.Train.Batch, cfg.Train.Negatives = 200, 2048, 25
	}
	model, err := sphere.New(cfg.Settings(), g, 1)
	expect.NoError(b, err)
	trainer, err := sphere.NewTrainer(model, g, cfg.Training())
	expect.NoError(b, err)
	b.Cleanup(trainer.Close)
	return trainer
}
