package kg

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// corruptedTriples draws the look-ups of a negative sampler: training triples with one side replaced by a random
// entity.
func corruptedTriples(g *Graph, n int) []Triple {
	state := uint64(1)
	next := func(limit int) int32 {
		state = state*6364136223846793005 + 1442695040888963407
		return int32(state >> 33 % uint64(limit))
	}
	out := make([]Triple, n)
	var t Triple
	for i := range out {
		if i%25 == 0 {
			t = g.Train[next(len(g.Train))]
		}
		out[i] = t
		if i/25%2 == 0 {
			out[i].Head = next(g.Entities.Len())
		} else {
			out[i].Tail = next(g.Entities.Len())
		}
	}
	return out
}

func BenchmarkIndexHas(b *testing.B) {
	g := realGraph(b, "fb15k-237")
	ix := g.Index(Train)
	questions := corruptedTriples(g, 70_000)
	b.ReportAllocs()
	hits := 0
	for b.Loop() {
		for _, t := range questions {
			if ix.Has(t) {
				hits++
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(questions)), "ns/question")
}

func BenchmarkIndexAnswers(b *testing.B) {
	g := realGraph(b, "fb15k-237")
	ix := g.Index(Train)
	questions := corruptedTriples(g, 70_000)
	b.ReportAllocs()
	total := 0
	for b.Loop() {
		for i, t := range questions {
			total += len(ix.Answers(t.Query(Side(i & 1))))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(questions)), "ns/question")
}

func BenchmarkNewIndex(b *testing.B) {
	g := realGraph(b, "fb15k-237")
	b.ReportAllocs()
	for b.Loop() {
		g.Index()
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := realGraph(b, "fb15k-237").Source
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDraw draws the positives and negatives of one step of FB15k-237, on one thread.
func BenchmarkDraw(b *testing.B) {
	g := realGraph(b, "fb15k-237")
	s, err := NewSampler(g, Bernoulli, 42, 1)
	expect.NoError(b, err)
	const positives = 2721
	negatives := make([]Negative, 25)
	b.ReportAllocs()
	step := uint64(0)
	for b.Loop() {
		for i := range uint32(positives) {
			drawOne(s, step, i, negatives)
		}
		step++
	}
	b.ReportMetric(positives*float64(len(negatives))*float64(b.N)/b.Elapsed().Seconds(), "negatives/s")
}
