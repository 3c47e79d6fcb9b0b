package experiments_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// entitiesOfBench is 50,000, or what SPHERELAB_BENCH_ENTITIES says. A graph has ten times as many triples.
func entitiesOfBench(b *testing.B) int {
	text := os.Getenv("SPHERELAB_BENCH_ENTITIES")
	if text == "" {
		return 50_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1000 {
		b.Fatalf("SPHERELAB_BENCH_ENTITIES is %q; it must be a number of entities, at least 1000", text)
	}
	return n
}

// writePowerLaw writes a graph of 500 relations. The entity of rank k is in a triple with probability proportional to
// k^(-2/3), and so is a relation, so degrees follow a power law with exponent 2.5. Ranks are spread over the names.
func writePowerLaw(b *testing.B, folder string, entities, triples int) {
	b.Helper()
	const relations, heldOut = 500, 20_000
	r := rand.New(rand.NewPCG(1, 2))
	power := func(n int) int {
		u := r.Float64()
		return min(int(float64(n)*u*u*u), n-1)
	}
	spread := func(rank int) int { return int(uint64(rank) * 2_654_435_761 % uint64(entities)) }
	for _, split := range []struct {
		name string
		size int
	}{{"train.txt", triples}, {"valid.txt", heldOut}, {"test.txt", heldOut}} {
		f, err := os.Create(filepath.Join(folder, split.name))
		expect.NoError(b, err)
		w := bufio.NewWriterSize(f, 1<<20)
		for range split.size {
			fmt.Fprintf(w, "entity/%07d\trelation/%03d\tentity/%07d\n", spread(power(entities)), power(relations),
				spread(power(entities)))
		}
		expect.NoError(b, w.Flush())
		expect.NoError(b, f.Close())
	}
}

// residentMB is the resident memory of this process after a garbage collection.
func residentMB(b *testing.B) float64 {
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
	return pages * float64(os.Getpagesize()) / 1e6
}

// BenchmarkBigGraph loads a generated graph from its files, trains SpherE-2D on it, evaluates a sample of 200 queries
// of each side, and answers queries by 20 entities. docs/scale.md compares the memory with its formula.
func BenchmarkBigGraph(b *testing.B) {
	const dimension, batch, negatives, steps, queries = 100, 1024, 64, 20, 20
	entities := entitiesOfBench(b)
	folder := b.TempDir()
	writePowerLaw(b, folder, entities, 10*entities)
	ctx := context.Background()
	for b.Loop() {
		before, began := residentMB(b), time.Now()
		lap := func(unit string, parts int) {
			b.ReportMetric(time.Since(began).Seconds()/float64(parts), unit)
			began = time.Now()
		}
		g, err := kg.Load(folder)
		expect.NoError(b, err)
		lap("load-s", 1)
		b.ReportMetric(residentMB(b)-before, "graph-MB")

		began = time.Now()
		index := g.Index(kg.Train)
		lap("index-s", 1)
		b.ReportMetric(residentMB(b)-before, "graph+index-MB")
		runtime.KeepAlive(index)

		m, err := sphere.New(sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: dimension,
			Gamma: 9, Epsilon: 2}, g, 42)
		expect.NoError(b, err)
		t, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 1 << 20, Steps: steps, Batch: batch,
			Negatives: negatives, Sampling: "bernoulli", Temperature: 1, LearningRate: 5e-4, Beta1: .9, Beta2: .999,
			AdamEpsilon: 1e-8, Seed: 42})
		expect.NoError(b, err)
		for range 2 { // the first epoch touches the memory
			began = time.Now()
			if _, err := t.Epoch(ctx); err != nil {
				b.Fatal(err)
			}
		}
		lap("step-s", steps)
		b.ReportMetric(residentMB(b)-before, "training-MB")
		t.Close()

		began = time.Now()
		report, err := eval.Run(ctx, m, g, eval.Settings{Sample: 200, Resamples: 200})
		expect.NoError(b, err)
		lap("evaluated-query-s", report.HeadQueries+report.TailQueries)
		b.ReportMetric(float64(report.HeadOf+report.TailOf), "test-queries")
		b.ReportMetric(residentMB(b)-before, "evaluation-MB")

		// After so few steps the model's own set is every entity, which a trained model's is not.
		answers, err := retrieve.New(m, g, retrieve.Options{Size: func(kg.Query) int { return 20 }})
		expect.NoError(b, err)
		began = time.Now()
		for i := range queries {
			if _, err := answers.Answer(ctx, g.Test[i].Query(kg.TailSide)); err != nil {
				b.Fatal(err)
			}
		}
		lap("answer-s", queries)
		runtime.KeepAlive(t)
	}
}
