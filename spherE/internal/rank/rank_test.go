package rank

import (
	"math"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/spherE/internal/simd"
)

// TestAnswers compares ranks with counts over all entities: of filtered answers, and of others, with ties and NaN.
func TestAnswers(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	values := []float32{3, 1, 2, 2, nan, 2, 5, nan, 0, 2}
	truth := []int32{1, 2, 4, 6}
	for _, own := range [][]int32{truth, {8, 3, 5, 7, 0}} {
		got := make([]int32, len(own))
		Answers(&simd.Go().Counts, own, truth, values, 2, got)
		for k, a := range own {
			rank := 1.0
			for e, v := range values {
				if e == int(a) || slices.Contains(truth, int32(e)) {
					continue
				}
				switch of := values[a]; {
				case v < of, v == v && of != of:
					rank++
				case v == of, v != v && of != of:
					rank += .5
				}
			}
			if got[k] != int32(2*rank) {
				t.Errorf("answer %d has twice the rank %d, want %v", a, got[k], 2*rank)
			}
		}
	}
}
