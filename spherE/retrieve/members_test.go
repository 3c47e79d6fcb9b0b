package retrieve

import (
	"slices"
	"testing"
)

// TestAbove: known answers have no probability and are left out; near misses may be more probable than members.
func TestAbove(t *testing.T) {
	t.Parallel()
	p := func(x float64) *float64 { return &x }
	a := &Answer{
		Set:  []Member{{Name: "known"}, {Name: "less", Probability: p(.5)}, {Name: "most", Probability: p(.9)}},
		Near: []Member{{Name: "near", Probability: p(.6)}, {Name: "far", Probability: p(.2)}},
	}
	if got := a.Above(.5).Names(); !slices.Equal(got, []string{"most", "near", "less"}) {
		t.Errorf("above .5: %v", got)
	}
	if got := a.Names(); !slices.Equal(got, []string{"known", "less", "most"}) {
		t.Errorf("names: %v", got)
	}
	if got := a.Above(.95).Names(); len(got) != 0 {
		t.Errorf("above .95: %v", got)
	}
}
