package sphere

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

func realGraph(tb testing.TB, name string) *kg.Graph {
	tb.Helper()
	g, err := kg.Load(graphtest.Folder(tb, name))
	expect.NoError(tb, err)
	return g
}

// newBenchTrainer returns a trainer that has run two epochs, so that its memory has been touched.
func newBenchTrainer(b *testing.B, g *kg.Graph, s Settings, t Training) *Trainer {
	b.Helper()
	m, err := New(s, g, 42)
	expect.NoError(b, err)
	trainer, err := NewTrainer(m, g, t)
	expect.NoError(b, err)
	b.Cleanup(trainer.Close)
	for range 2 {
		benchEpoch(b, trainer)
	}
	return trainer
}

func benchEpoch(b *testing.B, t *Trainer) {
	if _, err := t.Epoch(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// turningModels are those of two and three dimensions.
func turningModels() []string { return []string{RotatE, Rotate3D, SpherE2D, SpherE3D} }

// BenchmarkHouseStep measures one training step of the released configurations for FB15k-237 in more than three
// dimensions, on every path with two threads.
func BenchmarkHouseStep(b *testing.B) {
	g := realGraph(b, "fb15k-237")
	for model, dimension := range map[string]int{
		HousE5D: 120, HousE10D: 60, HousE20D: 30, SpherE5D: 120, SpherE10D: 60, SpherE20D: 30,
	} {
		for _, path := range simd.Paths() {
			b.Run(model+"/"+path.Name, func(b *testing.B) {
				s := Settings{Model: model, Variant: Released, Dimension: dimension, Gamma: 5, Epsilon: 2, Tau: 0.1}
				t := newBenchTrainer(b, g, s, Training{
					Epochs: 1 << 20, Steps: 1, Batch: 500, Negatives: 500, Sampling: "alternate", Temperature: 2,
					LearningRate: 8e-4, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-8, Seed: 42, Threads: 2,
					Subsample: true, Regularizer: .003367, WarmUp: 10_000, SIMD: path.Name,
				})
				for b.Loop() {
					benchEpoch(b, t)
				}
			})
		}
	}
}

// BenchmarkAllStep measures one step by one-vs-all on FB15k-237, for every vector path: of dot products, and of
// distances of points and of spheres.
func BenchmarkAllStep(b *testing.B) {
	g := realGraph(b, "fb15k-237")
	for _, model := range []string{ComplEx, RotatE, SpherE2D} {
		for _, path := range simd.Paths() {
			if path.Name == simd.Go().Name {
				continue
			}
			b.Run(model+"/"+path.Name, func(b *testing.B) {
				s := Settings{Model: model, Variant: Clean, Dimension: 200, Gamma: 6, Epsilon: 2,
					Reciprocal: model == ComplEx}
				t := newBenchTrainer(b, g, s, Training{
					Epochs: 1 << 20, Steps: 1, Batch: 250, Negatives: 1, Sampling: "bernoulli", Temperature: 1,
					Loss: OneVsAll, N3: .03, LearningRate: .1, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-10,
					Seed: 42, Threads: 1, SIMD: path.Name,
				})
				for b.Loop() {
					benchEpoch(b, t)
				}
			})
		}
	}
}

// BenchmarkStep measures one training step of the released configurations, for every model, path and one or two
// threads. Plain Go is measured on the smaller graph only.
func BenchmarkStep(b *testing.B) {
	for _, shape := range []stepShape{shapeFB15k, shapeWN18} {
		g := realGraph(b, shape.graph)
		for _, model := range turningModels() {
			for i, path := range simd.Paths() {
				if shape == shapeWN18 && (model != SpherE2D || i > 0 && path.Name == "go") {
					continue
				}
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("%s/%s/%s/threads=%d", shape, model, path.Name, threads), func(b *testing.B) {
						t := newBenchTrainer(b, g, shape.settings(model), shape.training(threads, path.Name))
						b.ReportAllocs()
						for b.Loop() {
							benchEpoch(b, t)
						}
						b.ReportMetric(float64(shape.batch)*float64(b.N)/b.Elapsed().Seconds(), "positives/s")
					})
				}
			}
		}
	}
}

// BenchmarkEpoch measures an epoch of FB15k-237 on all processors, and two windows of steps of WN18RR with the settings
// that the released code has for models of space: a step touches about half of the entities.
func BenchmarkEpoch(b *testing.B) {
	space := shapeWN18
	space.batch = 500
	for _, c := range []struct {
		shape  stepShape
		steps  int
		models []string
	}{
		{shapeFB15k, 100, turningModels()},
		{space, 2 * windowSteps, []string{SpherE3D}},
	} {
		g := realGraph(b, c.shape.graph)
		for _, model := range c.models {
			training := c.shape.training(0, "")
			training.Steps = c.steps
			b.Run(fmt.Sprintf("%s/%s", c.shape, model), func(b *testing.B) {
				t := newBenchTrainer(b, g, c.shape.settings(model), training)
				for b.Loop() {
					benchEpoch(b, t)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*c.steps), "ms/step")
			})
		}
	}
}

// freshProcess is set in the process that BenchmarkMemory starts.
const freshProcess = "SPHERELAB_BENCH_FRESH"

// BenchmarkMemory reports the resident memory of training, and its ratio to the minimum: the parameters, two moments of
// each, and the graph with the index of its training triples. x-triples is the ratio without that index. It runs in a
// process of its own, because memory that earlier benchmarks have freed would be counted.
func BenchmarkMemory(b *testing.B) {
	for _, shape := range []stepShape{shapeFB15k, shapeWN18} {
		b.Run(fmt.Sprintf("%s/%s", shape, SpherE2D), func(b *testing.B) {
			if os.Getenv(freshProcess) == "" {
				var measured map[string]float64
				for b.Loop() {
					measured = measureAlone(b, "MB-resident", "x-least", "x-triples")
				}
				for unit, value := range measured {
					b.ReportMetric(value, unit)
				}
				return
			}
			for range b.N {
				before := resident(b)
				g := realGraph(b, shape.graph)
				triples := resident(b) - before
				index := g.Index(kg.Train)
				graph := resident(b) - before
				runtime.KeepAlive(index)
				m, err := New(shape.settings(SpherE2D), g, 42)
				expect.NoError(b, err)
				t, err := NewTrainer(m, g, shape.training(2, ""))
				expect.NoError(b, err)
				benchEpoch(b, t)
				all := resident(b) - before
				state := 3 * 4 * float64(g.Entities.Len()*(2*shape.dimension+1)+g.Relations.Len()*shape.dimension)
				b.ReportMetric(all/1e6, "MB-resident")
				b.ReportMetric(all/(state+graph), "x-least")
				b.ReportMetric(all/(state+triples), "x-triples")
				t.Close()
				runtime.KeepAlive(t)
				runtime.KeepAlive(g)
			}
		})
	}
}

// measureAlone runs the benchmark b once in another process and returns the metrics of these units.
func measureAlone(b *testing.B, units ...string) map[string]float64 {
	b.Helper()
	pattern := "^" + strings.ReplaceAll(b.Name(), "/", "$/^") + "$"
	run := exec.Command(os.Args[0], "-test.run=^$", "-test.bench="+pattern, "-test.benchtime=1x")
	run.Env = append(os.Environ(), freshProcess+"=1")
	out, err := run.CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %v\n%s", run.Args, err, out)
	}
	fields := strings.Fields(string(out))
	measured := make(map[string]float64)
	for _, unit := range units {
		at := slices.Index(fields, unit)
		if at < 1 {
			b.Fatalf("%v reported no %s:\n%s", run.Args, unit, out)
		}
		if measured[unit], err = strconv.ParseFloat(fields[at-1], 64); err != nil {
			b.Fatalf("%v: %v", run.Args, err)
		}
	}
	return measured
}

// resident returns the resident memory of this process in bytes after a garbage collection. It does not include memory
// that was allocated and never touched, for example the alignment of large tables.
func resident(b *testing.B) float64 {
	b.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Skip("resident memory is read from /proc, which is here on Linux only")
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		b.Fatal(err)
	}
	return pages * float64(os.Getpagesize())
}

// BenchmarkGrowth measures a step of SpherE-2D while one number grows and the others stay: 20,000 entities, 200 blocks,
// 1,000 positives, 25 negatives, all processors. The graphs are random. An epoch is one window; ns/op is the time of a
// step.
func BenchmarkGrowth(b *testing.B) {
	type growth struct {
		axis, value                    string
		entities, dimension, negatives int
		threads                        int
	}
	var all []growth
	for _, n := range []int{5_000, 10_000, 20_000, 40_000, 80_000, 160_000} {
		all = append(all, growth{"entities", fmt.Sprint(n), n, 200, 25, 0})
	}
	for _, n := range []int{25, 50, 100, 200, 400, 800} {
		all = append(all, growth{"dimensions", fmt.Sprint(n), 20_000, n, 25, 0})
	}
	for _, n := range []int{5, 25, 50, 100, 200, 400} {
		all = append(all, growth{"negatives", fmt.Sprint(n), 20_000, 200, n, 0})
	}
	for n := 1; n <= runtime.GOMAXPROCS(0); n++ {
		all = append(all, growth{"threads", fmt.Sprint(n), 20_000, 200, 25, n})
	}
	graphs := make(map[int]*kg.Graph)
	for _, s := range all {
		b.Run(s.axis+"="+s.value, func(b *testing.B) {
			if graphs[s.entities] == nil {
				graphs[s.entities] = randomBenchGraph(b, s.entities)
			}
			training := publishedTraining(1, windowSteps, 1000, s.negatives, 42)
			training.Threads = s.threads
			t := newBenchTrainer(b, graphs[s.entities], publishedSettings(SpherE2D, Released, s.dimension), training)
			for b.Loop() {
				benchEpoch(b, t)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*windowSteps), "ns/op")
		})
	}
}

// randomBenchGraph has 4 triples per entity and 50 relations.
func randomBenchGraph(b *testing.B, entities int) *kg.Graph {
	b.Helper()
	state := uint64(1)
	name := func(kind string, n int) string {
		state = state*6364136223846793005 + 1442695040888963407
		return fmt.Sprintf("%s%d", kind, state>>33%uint64(n))
	}
	rows := make([][3]string, 0, 5*entities)
	for e := range entities { // every entity occurs
		for range 4 {
			rows = append(rows, [3]string{fmt.Sprintf("e%d", e), name("r", 50), name("e", entities)})
		}
	}
	g, err := kg.New("random", rows, nil, nil)
	expect.NoError(b, err)
	return g
}
