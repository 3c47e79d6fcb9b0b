package retrieve

import (
	"context"
	"math"
	"reflect"
	"sort"
	"strings"
	"testing"

	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestExplainInSpace explains facts with models whose relations scale: both sides see the same distance.
func TestExplainInSpace(t *testing.T) {
	g, _ := people(t)
	for _, model := range []string{sphere.Rotate3D, sphere.SpherE3D} {
		m := trained(t, g, model)
		r := mustNew(t, m, g, Options{})
		for _, triple := range append(g.Train[:10:10], kg.Triple{Head: 3, Relation: 1, Tail: 2}) {
			x, err := r.Explain(context.Background(), triple)
			if err != nil {
				t.Fatal(err)
			}
			if gap := math.Abs(float64(x.AsHead.Distance - x.AsTail.Distance)); gap > 1e-5*float64(x.Distance) || x.Distance != m.Distance(triple.Query(kg.TailSide), triple.Tail) {
				t.Errorf("%s: %v: %g from the head, %g from the tail", model, triple, x.AsHead.Distance, x.AsTail.Distance)
			}
			if x.HasRadii != (model == sphere.SpherE3D) || x.HeadRadius != m.Radius(triple.Head) || x.TailRadius != m.Radius(triple.Tail) {
				t.Errorf("%s: %v: radii %g and %g", model, triple, x.HeadRadius, x.TailRadius)
			}
			checkVerdict(t, x)
		}
	}
}

func shorten(list []Answer, n int) []Answer {
	if n > 0 && len(list) > n {
		return list[:n]
	}
	return list
}

func TestExplainMatchesTwin(t *testing.T) {
	g, parts := people(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	r := mustNew(t, m, g, Options{Neighbours: 3})
	neighbours := 0
	for h := range int32(g.Entities.Len()) {
		for tail := range int32(g.Entities.Len()) {
			triple := kg.Triple{Head: h, Relation: (h + tail) % int32(g.Relations.Len()), Tail: tail}
			x, err := r.Explain(context.Background(), triple)
			if err != nil {
				t.Fatal(err)
			}
			names := [3]string{g.Entities.Name(h), g.Relations.Name(triple.Relation), g.Entities.Name(tail)}
			if splits := splitsByName(parts, names); !reflect.DeepEqual(x.Splits, splits) || x.Known != (splits != nil) {
				t.Fatalf("%v: splits %v, want %v", names, x.Splits, splits)
			}
			if x.HeadRadius != m.Radius(h) || x.TailRadius != m.Radius(tail) || x.Gamma != 2 || !x.HasRadii || x.Distance != x.AsTail.Distance {
				t.Fatalf("%v: %+v", names, x)
			}
			for _, p := range []Position{x.AsTail, x.AsHead} {
				asked := triple.Answer(p.Query.Side)
				all, cut := twinAnswers(g, parts, m, sphere.CriterionMargin, p.Query)
				var me Answer
				var known []Answer
				size, before := 0, 0
				for _, a := range all {
					if a.Entity == asked {
						me = a
					} else if a.Known {
						known = append(known, a)
					}
					if a.Value <= cut {
						size++
					}
				}
				for _, a := range all {
					if a.Value < me.Value {
						before++
					}
				}
				if p.Distance != me.Distance || p.Value != me.Value || p.Cut != cut || p.Slack != me.Slack || p.InSet != (me.Value <= cut) ||
					p.SetSize != size || p.Before != before {
					t.Fatalf("%v: %+v, want %+v, %d, %d", names, p, me, size, before)
				}
				if n := len(known); p.AllKnown != n && !(me.Known && p.AllKnown == n+1) {
					t.Fatalf("%v: %d known answers, want %d", names, p.AllKnown, n)
				}
				if !equalAnswers(p.Nearest, shorten(known, 3)) {
					t.Fatalf("%v: nearest %+v, want %+v", names, p.Nearest, known)
				}
				sort.SliceStable(known, func(i, j int) bool { return known[i].Entity < known[j].Entity })
				sort.SliceStable(known, func(i, j int) bool {
					return math.Abs(float64(known[i].Value)-float64(me.Value)) < math.Abs(float64(known[j].Value)-float64(me.Value))
				})
				if !equalAnswers(p.Similar, shorten(known, 3)) {
					t.Fatalf("%v: similar %+v, want %+v", names, p.Similar, known)
				}
				neighbours += len(p.Similar)
			}
			checkVerdict(t, x)
		}
	}
	if neighbours == 0 {
		t.Error("no explanation had neighbours")
	}
}

// checkVerdict holds that the words say what the numbers say.
func checkVerdict(t *testing.T, x *Explanation) {
	t.Helper()
	says := func(part string) bool { return strings.Contains(x.Verdict, part) }
	tail, head := x.AsTail.InSet, x.AsHead.InSet
	unseen := len(x.Splits) == 1 && x.Splits[0] == "test"
	for part, want := range map[string]bool{
		"true, asked from either side":                           tail == head,
		"does not hold":                                          !tail && !head,
		"when the tail is asked for, but not when":               tail && !head,
		"when the head is asked for, but not when":               head && !tail,
		"It is not in the graph: the model infers it":            !x.Known && (tail || head),
		"is a known fact (" + strings.Join(x.Splits, ", ") + ")": x.Known && !unseen,
		"is a true fact (test)":                                  unseen,
		"the model misses it":                                    x.Known && !tail && !head,
		"It is not in the graph either":                          !x.Known && !tail && !head,
	} {
		if says(part) != want {
			t.Fatalf("verdict %q; %q expected: %v", x.Verdict, part, want)
		}
	}
}
