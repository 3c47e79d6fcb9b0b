package inductive

import (
	"context"
	"fmt"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// BenchmarkCost answers queries, and makes gradients, on graphs of several sizes with a network of the public one's
// size. In each of 6 layers an edge costs 64 multiply-adds and reads 4 x (64+64+4+4) bytes, in four planes, of which a
// plane of the rows of 16,000 entities takes 1 MB; an entity costs 8192 multiply-adds. ns/edge is of an edge in one
// layer, as if entities cost nothing.
func BenchmarkCost(b *testing.B) {
	tensors := randomTensors(97, 64, 6, 6)
	n := networkOf(b, tensors)
	for _, c := range []struct{ entities, facts int }{{1000, 10000}, {1000, 40000}, {1000, 160000}, {4000, 40000},
		{16000, 40000}} {
		g := graphOf(b, 101, c.entities, 12, c.facts, 0)
		m, err := n.On("random", g)
		expect.NoError(b, err)
		edges, layers := float64(2*len(g.Train)), float64(len(n.entity))
		name := fmt.Sprintf("entities=%d/facts=%d", c.entities, c.facts)
		dst := [][]float32{make([]float32, c.entities)}
		b.Run("answer/"+name, func(b *testing.B) {
			for i := range b.N {
				q := []kg.Query{g.Train[i*7919%len(g.Train)].Query(kg.TailSide)}
				expect.NoError(b, m.Scores(context.Background(), q, dst, 1))
			}
			report(b, edges*layers, 1)
		})
		tuner, err := n.NewTuner([]*kg.Graph{g}, Inverse,
			Tuning{Batch: 8, Negatives: 128, Temperature: 1, LearningRate: 1e-9, Threads: 1})
		expect.NoError(b, err)
		b.Run("tune/"+name, func(b *testing.B) {
			for range b.N {
				if _, err := tuner.Step(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			report(b, edges*layers, 8)
		})
	}
}

// report adds the time of a query, and that of an edge in one layer.
func report(b *testing.B, edges float64, queries int) {
	one := float64(b.Elapsed().Nanoseconds()) / float64(b.N*queries)
	b.ReportMetric(one/1e6, "ms/query")
	b.ReportMetric(one/edges, "ns/edge")
}
