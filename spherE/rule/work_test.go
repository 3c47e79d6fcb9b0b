package rule

import (
	"fmt"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/internal/draw"
	"github.com/spherelab/spherelab/spherE/kg"
)

// drawnGraph has 1,200 random facts of 12 relations.
func drawnGraph(t *testing.T, entities uint32) *kg.Graph {
	t.Helper()
	stream := draw.New(5, draw.Mining, uint64(entities), 0)
	var facts [][3]string
	for range 1200 {
		facts = append(facts, [3]string{fmt.Sprint("e", stream.Uint32n(entities)), fmt.Sprint("r", stream.Uint32n(12)),
			fmt.Sprint("e", stream.Uint32n(entities))})
	}
	g, err := kg.New("drawn", facts, nil, nil)
	expect.NoError(t, err)
	return g
}

// TestWork: of two graphs with as many facts, the denser one takes much longer. More steps take longer, up to as many
// times as there are; none take nothing.
func TestWork(t *testing.T) {
	t.Parallel()
	dense, sparse := drawnGraph(t, 30), drawnGraph(t, 900)
	if a, b := Work(dense, 1_000_000), Work(sparse, 1_000_000); a < 5*b || b <= 0 {
		t.Errorf("dense %.2f s, sparse %.2f s", a, b)
	}
	for _, g := range []*kg.Graph{dense, sparse} {
		a, b := Work(g, 100_000), Work(g, 1_000_000)
		if b < 2*a || b > 10*a || Work(g, 0) != 0 || b != Work(g, 1_000_000) {
			t.Errorf("%d entities: %.2f s, %.2f s", g.Entities.Len(), a, b)
		}
	}
	if none := Work(&kg.Graph{Relations: dense.Relations}, 10); none != 0 {
		t.Errorf("a graph without facts: %g s", none)
	}
}
