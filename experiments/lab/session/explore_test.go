package session

import (
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
)

// TestExploreDrawsTheSpace: an entity has its nearest spheres around it, a question the set that Ask returns, and the
// same cut. A model without distances has no space.
func TestExploreDrawsTheSpace(t *testing.T) {
	t.Parallel()
	r, _ := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 5, Gamma: 2}, 7)
	svg, err := r.Explore("Max Born").SVG()
	expect.NoError(t, err)
	if text := string(svg); strings.Count(text, `class="sphere"`) != 13 || !strings.Contains(text, "Max Born: head,") {
		t.Errorf("around an entity there are %d discs", strings.Count(text, `class="sphere"`)-1)
	}
	r = r.Cut("top-7")
	svg, err = r.Explore("Max Born", "advised", "?").SVG()
	expect.NoError(t, err)
	text := string(svg)
	set, inside := r.Ask("Max Born", "advised", "?"), 0
	for _, e := range set.set.Members {
		if set.set.Scores[e] < 0 || e == set.entity("Max Born") { // a fact outside the cut, or drawn as the head
			continue
		}
		inside++
		if label := set.trained.Graph.Label(e); !strings.Contains(text, label+": answer, "+set.mark(e).String()+",") {
			t.Errorf("the answer %s is not drawn", label)
		}
	}
	if inside < 6 || !strings.Contains(text, "7 answers by the cut top-7. ") {
		t.Errorf("%d answers, and the caption does not say 7", inside)
	}
	for want, question := range map[string][]string{"takes an entity or a question": {"Max Born", "advised"},
		"no entity": {"Max Bron"}, "no relation": {"Max Born", "advise", "?"}} {
		if e := caught(t, func() { r.Explore(question...) }); !strings.Contains(e.Message, want) {
			t.Errorf("%q: %s", question, e.Message)
		}
	}
	product, _ := drawnRun(t, "b", sphere.Settings{Model: sphere.DistMult, Variant: sphere.Clean, Dimension: 4, Gamma: 2}, 7)
	if e := caught(t, func() { product.Explore("Max Born") }); e.Name != NotDrawn {
		t.Errorf("a model without distances: %s %s", e.Name, e.Message)
	}
}
