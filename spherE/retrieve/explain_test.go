package retrieve

import (
	"context"
	"math"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// TestExplainInSpace explains facts with models whose relations scale: both sides see the same distance.
func TestExplainInSpace(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	for _, model := range []string{sphere.Rotate3D, sphere.SpherE3D} {
		m := trained(t, g, model)
		r := mustNew(t, m, g, Options{})
		for _, triple := range append(g.Train[:10:10], kg.Triple{Head: 3, Relation: 1, Tail: 2}) {
			x, err := r.Explain(context.Background(), triple)
			expect.NoError(t, err)
			if gap := math.Abs(float64(x.AsHead.Distance - x.AsTail.Distance)); gap > 1e-5*float64(x.Distance) ||
				x.Distance != m.Distance(triple.Query(kg.TailSide), triple.Tail) {
				t.Errorf("%s: %v: %g from the head, %g from the tail", model, triple, x.AsHead.Distance,
					x.AsTail.Distance)
			}
			if x.HasRadii != (model == sphere.SpherE3D) || x.HeadRadius != m.Radius(triple.Head) ||
				x.TailRadius != m.Radius(triple.Tail) {
				t.Errorf("%s: %v: radii %g and %g", model, triple, x.HeadRadius, x.TailRadius)
			}
			checkVerdict(t, x)
		}
	}
}

func shorten(list []Member, n int) []Member {
	if n > 0 && len(list) > n {
		return list[:n]
	}
	return list
}

func TestExplainMatchesTwin(t *testing.T) {
	t.Parallel()
	g, parts := people(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	r := mustNew(t, m, g, Options{})
	shortened := 0
	for h := range int32(g.Entities.Len()) {
		for tail := range int32(g.Entities.Len()) {
			triple := kg.Triple{Head: h, Relation: (h + tail) % int32(g.Relations.Len()), Tail: tail}
			x, err := r.Explain(context.Background(), triple)
			expect.NoError(t, err)
			names := [3]string{g.Entities.Name(h), g.Relations.Name(triple.Relation), g.Entities.Name(tail)}
			splits := splitsByName(parts, names)
			mark := twinMark(splits, x.AsTail.InSet || x.AsHead.InSet)
			if !reflect.DeepEqual(x.Splits, splits) || x.Mark != mark || x.Known != (mark == Known) {
				t.Fatalf("%v: %v, splits %v, want %v, %v", names, x.Mark, x.Splits, mark, splits)
			}
			if x.HeadRadius != m.Radius(h) || x.TailRadius != m.Radius(tail) || x.Gamma != 2 || !x.HasRadii ||
				x.Distance != x.AsTail.Distance {
				t.Fatalf("%v: %+v", names, x)
			}
			for _, p := range []Position{x.AsTail, x.AsHead} {
				entity := triple.Answer(p.Query.Side)
				all, threshold := twinAnswers(g, parts, m, sphere.CriterionMargin, p.Query)
				var me Member
				var facts []Member // without the entity
				size, before, known, heldOut := 0, 0, 0, 0
				for _, a := range all {
					if a.Entity == entity {
						me = a
					} else if a.Splits != nil {
						facts = append(facts, a)
					}
					switch a.Mark {
					case Known:
						known++
					case HeldOut:
						heldOut++
					}
					if a.Value <= threshold {
						size++
					}
				}
				for _, a := range all {
					if a.Value < me.Value {
						before++
					}
				}
				if p.Distance != me.Distance || p.Value != me.Value || p.Threshold != threshold ||
					p.Slack != me.Slack ||
					p.InSet != (me.Value <= threshold) || p.SetSize != size || p.Before != before {
					t.Fatalf("%v: %+v, want %+v, %d, %d", names, p, me, size, before)
				}
				if p.AllKnown != known || p.AllHeldOut != heldOut {
					t.Fatalf("%v: %d known and %d held out, want %d and %d", names, p.AllKnown, p.AllHeldOut, known,
						heldOut)
				}
				if !equalMembers(p.Nearest, shorten(facts, 5)) {
					t.Fatalf("%v: nearest %+v, want %+v", names, p.Nearest, facts)
				}
				sort.SliceStable(facts, func(i, j int) bool { return facts[i].Entity < facts[j].Entity })
				apart := func(i int) float64 { return math.Abs(float64(facts[i].Value) - float64(me.Value)) }
				sort.SliceStable(facts, func(i, j int) bool { return apart(i) < apart(j) })
				if !equalMembers(p.Similar, shorten(facts, 5)) {
					t.Fatalf("%v: similar %+v, want %+v", names, p.Similar, facts)
				}
				if len(facts) > len(p.Similar) {
					shortened++
				}
			}
			checkVerdict(t, x)
		}
	}
	if shortened == 0 {
		t.Error("no query has more facts than are listed")
	}
}

// checkVerdict holds that the words say what the numbers say.
func checkVerdict(t *testing.T, x *Explanation) {
	t.Helper()
	says := func(part string) bool { return strings.Contains(x.Verdict, part) }
	tail, head := x.AsTail.InSet, x.AsHead.InSet
	known, unseen, absent := x.Known, len(x.Splits) == 1 && x.Splits[0] == "test", len(x.Splits) == 0
	for part, want := range map[string]bool{
		"in the sets of both queries":       tail && head,
		"in the set of neither query":       !tail && !head,
		"of the tail query, but not":        tail && !head,
		"of the head query, but not":        head && !tail,
		" is a known fact (tr":              known && strings.HasPrefix(x.Splits[0], "tr"),
		" is a known fact (valid":           known && x.Splits[0] == "valid",
		" is a held-out fact (test)":        unseen,
		" is not in the graph":              absent,
		"of 100 such new answers are right": x.Probability != nil,
		"the model misses it":               !absent && !tail && !head,
	} {
		if says(part) != want {
			t.Fatalf("verdict %q; %q expected: %v", x.Verdict, part, want)
		}
	}
}
