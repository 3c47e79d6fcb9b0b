package sphere

import (
	"context"
	"fmt"
	"testing"

	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE/internal/simd"
	"github.com/spherelab/spherelab/spherE/kg"
)

func realGraph(tb testing.TB, name string) *kg.Graph {
	tb.Helper()
	g, err := kg.Load(graphtest.Folder(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// BenchmarkStep is one training step of FB15k-237 in the released configuration: 2,721 positives, 25 negatives.
func BenchmarkStep(b *testing.B) {
	g := realGraph(b, "fb15k-237")
	for _, model := range Models() {
		for _, path := range simd.Paths() {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/threads=%d", model, path.Name, threads), func(b *testing.B) {
					m, err := New(Settings{Model: model, Variant: Released, Dimension: 200}, g, 42)
					if err != nil {
						b.Fatal(err)
					}
					t, err := NewTrainer(m, g, Training{
						Epochs: 1, Steps: 1, Batch: 2721, Negatives: 25, Seed: 42, Threads: threads, SIMD: path.Name,
					})
					if err != nil {
						b.Fatal(err)
					}
					defer t.Close()
					for b.Loop() {
						if _, err := t.Epoch(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
