package draw

import (
	"slices"
	"testing"
)

// TestSample: the places never change, since runs are compared on them; the sides have different ones. A smaller sample
// is part of a larger one.
func TestSample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		side, total, n int
		want           []uint32
	}{
		{0, 20, 5, []uint32{4, 7, 11, 16, 18}}, {1, 20, 5, []uint32{0, 8, 11, 15, 18}},
		{0, 21, 3, []uint32{10, 12, 15}}, {1, 3, 3, []uint32{0, 1, 2}}, {0, 3, 0, []uint32{0, 1, 2}},
		{1, 2, 9, []uint32{0, 1}}, {0, 0, 4, nil},
	} {
		got := Sample(c.side, c.total, c.n)
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	large := Sample(1, 500, 90)
	for _, at := range Sample(1, 500, 40) {
		if !slices.Contains(large, at) {
			t.Errorf("place %d is not in the larger sample", at)
		}
	}
}
