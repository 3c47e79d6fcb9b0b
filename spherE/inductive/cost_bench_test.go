package inductive

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

// BenchmarkCost answers queries, and makes gradients, on graphs of several sizes with a network of the public one's
// size. ns/edge is of an edge in one layer, as if entities cost nothing. cost says what operations and bytes count.
func BenchmarkCost(b *testing.B) {
	tensors := randomTensors(97, 64, 6, 6)
	n := networkOf(b, tensors)
	for _, c := range []struct{ entities, facts int }{{1000, 10000}, {1000, 40000}, {1000, 160000}, {4000, 40000},
		{16000, 40000}} {
		g := graphOf(b, 101, c.entities, 12, c.facts, 0)
		m, err := n.On("random", g)
		expect.NoError(b, err)
		name := fmt.Sprintf("entities=%d/facts=%d", c.entities, c.facts)
		b.Run("answer/"+name, func(b *testing.B) {
			one := answerOneByOne(b, m, g)
			operations, bytes := m.cost()
			b.ReportMetric(operations, "operations/query")
			b.ReportMetric(bytes, "B/query")
			m.report(b, one)
		})
		tuner, err := n.NewTuner([]*kg.Graph{g}, Inverse,
			Tuning{Batch: 8, Negatives: 128, Temperature: 1, LearningRate: 1e-9, Threads: 1})
		expect.NoError(b, err)
		b.Run("tune/"+name, func(b *testing.B) {
			start := processorTime(b)
			for range b.N {
				if _, err := tuner.Step(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			m.report(b, (processorTime(b)-start)/float64(8*b.N))
		})
	}
}

// BenchmarkGrowth answers a query while one number grows and the other stays: 4,000 entities, 40,000 facts. The graphs
// are random, so that a question reaches all of a graph in a few layers. ns/op is processor time.
func BenchmarkGrowth(b *testing.B) {
	n := networkOf(b, randomTensors(97, 64, 6, 6))
	answer := func(axis string, value, entities, facts int) {
		g := graphOf(b, 101, entities, 12, facts, 0)
		m, err := n.On("random", g)
		expect.NoError(b, err)
		b.Run(fmt.Sprintf("%s=%d", axis, value), func(b *testing.B) {
			b.ReportMetric(answerOneByOne(b, m, g), "ns/op")
		})
	}
	for _, facts := range []int{10_000, 20_000, 40_000, 80_000, 160_000, 320_000} {
		answer("query-edges", 2*facts, 4000, facts)
	}
	for _, entities := range []int{1_000, 2_000, 4_000, 8_000, 16_000, 32_000} {
		answer("query-entities", entities, entities, 40_000)
	}
}

// answerOneByOne answers queries of a graph's facts on one thread. It returns the nanoseconds of processor time of one,
// which other work on the machine changes less than the time by the clock.
func answerOneByOne(b *testing.B, m *Model, g *kg.Graph) float64 {
	b.Helper()
	start := processorTime(b)
	dst := [][]float32{make([]float32, m.entities)}
	for i := range b.N {
		q := []kg.Query{g.Train[i*7919%len(g.Train)].Query(kg.TailSide)}
		expect.NoError(b, m.Scores(context.Background(), q, dst, 1))
	}
	return (processorTime(b) - start) / float64(b.N)
}

// processorTime returns the nanoseconds that the process has used.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var used syscall.Rusage
	expect.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano() + used.Stime.Nano())
}

// cost returns the least that a query costs that reaches all entities: multiply-adds, and bytes of memory. In a layer
// an edge costs a multiply-add by float, and an entity those of two square matrices; a score costs those of a matrix
// of twice the rows, and of a row. Each plane of a layer reads source and kind of all edges. Rows are read and sums
// written once, then both are read and rows written; the rows of an edge's source are then in a cache.
func (m *Model) cost() (operations, bytes float64) {
	const integer, float = 4, 4
	w, layers := float64(m.network.width), float64(len(m.network.entity))
	edges, entities := float64(len(m.edges.source)), float64(m.entities)
	operations = layers*w*(edges+2*w*entities) + 2*w*(w+1)*entities
	bytes = layers * (w/simd.Lanes*edges*2*integer + 5*w*float*entities)
	return operations, bytes
}

// report adds the time of a query in nanoseconds, and that of an edge in one layer.
func (m *Model) report(b *testing.B, one float64) {
	b.ReportMetric(one/1e6, "ms/query")
	b.ReportMetric(one/float64(len(m.edges.source)*len(m.network.entity)), "ns/edge")
}
