package explore

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
)

// space is that of an untrained model of the bundled graph.
func space(t *testing.T, s sphere.Settings) *Space {
	t.Helper()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	s.Epsilon, s.Tau, s.Alpha, s.Beta = 2, .1, .1, .06
	m, err := sphere.New(s, g, 7)
	expect.NoError(t, err)
	c := config.Default()
	c.Model, c.Variant, c.Dimension, c.Gamma = s.Model, s.Variant, s.Dimension, s.Gamma
	made, err := New(t.Context(), &answer.Run{Info: tracker.RunInfo{Name: "drawn"}, Graph: g, Model: m, Config: c})
	expect.NoError(t, err)
	return made
}

// A model of the plane is shown as it is. Others are turned and stretched until discs are small.
func TestSpaceOnAPlane(t *testing.T) {
	t.Parallel()
	flat := space(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: 1})
	model := flat.Run.Model.(*sphere.Model)
	if !flat.Exact || flat.Stretch != 1 || flat.Share != 1 {
		t.Errorf("a model of the plane has stretch %g and share %g", flat.Stretch, flat.Share)
	}
	for e := range flat.X {
		c := model.Center(int32(e))
		r := float64(model.Radius(int32(e)))
		if flat.X[e] != float64(c[0]) || flat.Y[e] != float64(c[1]) || flat.Radius[e] != r {
			t.Fatalf("entity %d is at (%g, %g), radius %g", e, flat.X[e], flat.Y[e], flat.Radius[e])
		}
	}
	solid := space(t, sphere.Settings{Model: sphere.SpherE3D, Variant: sphere.Clean, Dimension: 1, Gamma: 1})
	longest := 0. // no two centres are farther from each other on the plane than in the model
	for e := range solid.X {
		for o, n := range solid.Nearest(int32(e), 3) {
			apart := math.Hypot(solid.X[e]-solid.X[n.Entity], solid.Y[e]-solid.Y[n.Entity])
			if longest = max(longest, apart/n.Distance); apart > n.Distance+1e-6 {
				t.Fatalf("neighbour %d of entity %d is %g away on the plane, %g in the model", o, e, apart, n.Distance)
			}
		}
	}
	if solid.Exact || solid.Stretch != 1 || longest < .9 || !strings.Contains(solid.Note(), "one block of 3") {
		t.Errorf("a model of one block in space has stretch %g: %s", solid.Stretch, solid.Note())
	}
	for _, name := range []string{sphere.SpherE2D, sphere.SpherE3D, sphere.RotatE} {
		s := space(t, sphere.Settings{Model: name, Variant: sphere.Clean, Dimension: 6, Gamma: 1})
		extent := max(slices.Max(s.X)-slices.Min(s.X), slices.Max(s.Y)-slices.Min(s.Y))
		sorted := slices.Sorted(slices.Values(s.Radius))
		share := sorted[len(sorted)/2] / extent
		discs := share * share * math.Pi * float64(len(sorted))
		if s.Exact || s.Radius[0] > 0 && math.Abs(discs-.04) > 1e-9 {
			t.Errorf("%s: the disc in the middle has %g of the extent", name, share)
		}
	}
}

// The nearest spheres are those of least distance less radii, where the distance is that of the model between an entity
// and another that a relation does not move.
func TestNearestSpheres(t *testing.T) {
	t.Parallel()
	for _, name := range []string{sphere.SpherE2D, sphere.SpherE3D, sphere.RotatE} {
		s := space(t, sphere.Settings{Model: name, Variant: sphere.Clean, Dimension: 5, Gamma: 3})
		model := s.Run.Model.(*sphere.Model)
		const entity = 11
		near := s.Nearest(entity, 1000)
		if len(near) != model.Entities()-1 {
			t.Fatalf("%s: %d entities are near", name, len(near))
		}
		each := len(model.Center(0)) / 5
		for i, n := range near {
			want, a, b := 0., model.Center(entity), model.Center(n.Entity)
			for at := 0; at < len(a); at += each {
				length := 0.
				for j := range each {
					length = math.Hypot(length, float64(a[at+j])-float64(b[at+j]))
				}
				want += length
			}
			if math.Abs(n.Distance-want) > 1e-9 {
				t.Fatalf("%s: the distance to %d is %g, want %g", name, n.Entity, n.Distance, want)
			}
			want -= float64(model.Radius(entity)) + float64(model.Radius(n.Entity))
			if math.Abs(n.Gap-want) > 1e-9 || i > 0 && n.Gap < near[i-1].Gap {
				t.Fatalf("%s: place %d has the gap %g, want %g", name, i, n.Gap, want)
			}
		}
	}
}

// A path begins at the entity and ends at the moved point. In the plane it is an arc around the origin.
func TestPathOfARelation(t *testing.T) {
	t.Parallel()
	for dimension, least := range map[int]int{1: 100, 6: 100, 300: 100} {
		s := space(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: dimension, Gamma: 2})
		model := s.Run.Model.(*sphere.Model)
		for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
			q := kg.Query{Side: side, Relation: 1, Known: 20}
			path := s.Path(q)
			x, y := s.Project(model.Point(q))
			first, last := path[0], path[len(path)-1]
			if math.Hypot(first[0]-s.X[20], first[1]-s.Y[20]) > 1e-5*s.Stretch || last != [2]float64{x, y} {
				t.Errorf("dimension %d: the path is from %v to %v", dimension, first, last)
			}
			if len(path) < least || len(path) > 2*pathPoints {
				t.Errorf("dimension %d: the path has %d points", dimension, len(path))
			}
			for i, p := range path {
				if i > 0 && dimension == 1 { // it does not hurry
					step := math.Hypot(p[0]-path[i-1][0], p[1]-path[i-1][1])
					if want := math.Hypot(path[1][0]-first[0], path[1][1]-first[1]); math.Abs(step-want) > 1e-4 {
						t.Fatalf("step %d has length %g, the first %g", i, step, want)
					}
				}
				far := math.Hypot(p[0], p[1]) - math.Hypot(s.X[20], s.Y[20])
				if dimension == 1 && math.Abs(far) > 1e-5 {
					t.Fatalf("the path leaves its arc by %g", far)
				}
			}
		}
	}
}

// What is touched at the usual cut is the answer to the same question, and by a wider cut in the order of values. In
// the plane the moved sphere touches exactly those.
func TestTouched(t *testing.T) {
	t.Parallel()
	s := space(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 1, Gamma: .7})
	cut := answer.Cut{Name: string(sphere.CriterionSphere)}
	retriever, err := s.Run.Retriever(t.Context(), cut, retrieve.Options{}, nil)
	expect.NoError(t, err)
	facts, seen := s.FactsOf(20), 0
	for _, f := range facts {
		a, err := retriever.Answer(t.Context(), f.Query)
		expect.NoError(t, err)
		touched, err := s.Touch(t.Context(), f.Query, cut, 30, 1000, nil)
		expect.NoError(t, err)
		got := touched.Size(touched.Usual)
		want := a.Counts
		want.Total -= a.Known - a.KnownInSet
		want.Known = a.KnownInSet
		if got != want || touched.Known+touched.HeldOut != len(f.List) {
			t.Errorf("%s: touched are %+v of %d facts, want %+v", a.QueryText(), got, len(f.List), want)
		}
		at := s.model.Point(f.Query)
		for i, m := range touched.Members {
			if i > 0 && m.Value < touched.Members[i-1].Value {
				t.Fatalf("%s: answer %d has value %g after %g", a.QueryText(), i, m.Value, touched.Members[i-1].Value)
			}
			apart := math.Hypot(s.X[m.Entity]-float64(at[0]), s.Y[m.Entity]-float64(at[1]))
			if gap := apart - touched.Factor*s.Radius[m.Entity] - touched.Reach; math.Abs(gap-float64(m.Value)) > 1e-5 {
				t.Fatalf("%s: the gap to %s is %g, its value %g", a.QueryText(), m.Label, gap, m.Value)
			}
			seen++
		}
	}
	if len(facts) < 2 || seen < 60 {
		t.Errorf("%d facts, %d touched: too few to tell", len(facts), seen)
	}
}

// Guesses are inferred answers to the questions of an entity, the best first, and none of the best is left out.
func TestGuesses(t *testing.T) {
	t.Parallel()
	s := space(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 4, Gamma: 3})
	cut := answer.Cut{Name: "top-30"}
	facts := s.FactsOf(20)
	const count = 6
	guesses, err := s.Guesses(t.Context(), facts, cut, count, nil)
	expect.NoError(t, err)
	retriever, err := s.Run.Retriever(t.Context(), cut, retrieve.Options{}, nil)
	expect.NoError(t, err)
	var want []float32
	for _, f := range facts {
		a, err := retriever.Answer(t.Context(), f.Query)
		expect.NoError(t, err)
		for _, m := range a.Set {
			if m.Mark == retrieve.Inferred && !m.Itself {
				want = append(want, m.Slack)
			}
		}
	}
	slices.Sort(want)
	slices.Reverse(want)
	if len(guesses) != count || len(want) <= count {
		t.Fatalf("%d of %d guesses", len(guesses), len(want))
	}
	for i, g := range guesses {
		mark := retriever.Mark(g.Query.Triple(g.Entity))
		if g.Slack != want[i] || mark != retrieve.NotInGraph || g.Query.Known != 20 {
			t.Errorf("guess %d is %s with slack %g, mark %v; want slack %g", i, g.Label, g.Slack, mark, want[i])
		}
	}
}

// Another model is asked the same question; one of another graph is refused.
func TestAgainst(t *testing.T) {
	t.Parallel()
	s := space(t, sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 4, Gamma: 3})
	other := space(t, sphere.Settings{Model: sphere.RotatE, Variant: sphere.Clean, Dimension: 3, Gamma: 1}).Run
	other.Config.Eval.Criterion = string(sphere.CriterionMargin)
	q := kg.Query{Side: kg.TailSide, Relation: 1, Known: 20}
	a, err := s.Against(t.Context(), other, q, nil)
	expect.NoError(t, err)
	margin := answer.Cut{Name: string(sphere.CriterionMargin)}
	retriever, err := other.Retriever(t.Context(), margin, retrieve.Options{}, nil)
	expect.NoError(t, err)
	want, err := retriever.Answer(t.Context(), q)
	expect.NoError(t, err)
	inside := slices.DeleteFunc(want.Set, func(m retrieve.Member) bool { return m.Slack < 0 })
	if !slices.Equal(a.Names(), retrieve.Members(inside).Names()) || len(a.Set) == 0 {
		t.Errorf("the other model answers %q, want %q", a.Names(), retrieve.Members(inside).Names())
	}
	g, err := kg.New("other", [][3]string{{"a", "r", "b"}, {"b", "r", "c"}}, nil, nil)
	expect.NoError(t, err)
	stranger := &answer.Run{Graph: g, Model: other.Model, Config: other.Config}
	if _, err := s.Against(t.Context(), stranger, q, nil); err == nil ||
		!strings.Contains(err.Error(), "is of the graph other") {
		t.Errorf("a run of another graph: %v", err)
	}
}
