package kg

import (
	"math"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
)

// plainTypicality counts, for one entity, the shares of its classes by loops over all facts.
func plainTypicality(g *Graph, sd Side, relation, e int32) (mean, most float64) {
	type class struct {
		side     Side
		relation int32 // or the type
	}
	of := func(e int32) map[class]bool {
		found := map[class]bool{}
		if t := g.Typing(); t != nil {
			for _, kind := range t.Of[e] {
				found[class{TailSide, kind}] = true
			}
			return found
		}
		for _, t := range g.Train {
			for _, sd := range []Side{HeadSide, TailSide} {
				if t.Answer(sd) == e {
					found[class{sd, t.Relation}] = true
				}
			}
		}
		delete(found, class{sd, relation})
		return found
	}
	isOn := func(e int32) bool {
		for _, t := range g.Train {
			if t.Relation == relation && t.Answer(sd) == e {
				return true
			}
		}
		return false
	}
	classes := of(e)
	for c := range classes {
		on, all := 0, 0
		for other := range int32(g.Entities.Len()) {
			if other != e && of(other)[c] {
				all++
				if isOn(other) {
					on++
				}
			}
		}
		share := float64(on) / float64(all+2)
		mean, most = mean+share/float64(len(classes)), max(most, share)
	}
	return mean, most
}

// TestTypicality compares with loops over all facts, on a graph without types and on one that has some.
func TestTypicality(t *testing.T) {
	t.Parallel()
	facts := append(append(cites(), causes(9)...),
		[3]string{"gene2", "cites", "illness3"}, [3]string{"p1", "causes", "p7"})
	var typed [][3]string
	for i, f := range facts {
		typed = append(typed, f, [3]string{f[0], "rdf:type", []string{"thing", f[1], "odd"}[i%3]})
	}
	for name, rows := range map[string][][3]string{"without types": facts, "with types": typed} {
		g, err := New(name, rows, nil, nil)
		expect.NoError(t, err)
		if (g.Typing() != nil) != (name == "with types") {
			t.Fatalf("%s: %v", name, g.Typing())
		}
		n, different := g.Entities.Len(), map[float32]bool{}
		mean, most := make([]float32, n), make([]float32, n)
		for relation := range int32(g.Relations.Len()) {
			for _, sd := range []Side{HeadSide, TailSide} {
				g.Typicality(sd, relation, mean, most)
				for e := range int32(n) {
					a, b := plainTypicality(g, sd, relation, e)
					if math.Abs(float64(mean[e])-a) > 1e-6 || math.Abs(float64(most[e])-b) > 1e-6 {
						t.Errorf("%s, %v side of %s, %s: %v and %v, by loops %v and %v", name, sd,
							g.Relations.Name(relation), g.Entities.Name(e), mean[e], most[e], a, b)
					}
					different[mean[e]], different[most[e]] = true, true
				}
			}
		}
		if len(different) < 10 {
			t.Errorf("%s: only %d different values", name, len(different))
		}
	}
}
