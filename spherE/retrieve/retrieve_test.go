package retrieve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

var _ Model = (*sphere.Model)(nil)

// fake is a model whose distances are drawn per query, in coarse steps so that many are tied.
type fake struct {
	entities  int
	relations int
	points    bool // no radii
	nan       bool // some distances are NaN
}

func (f *fake) Settings() sphere.Settings { return sphere.Settings{Gamma: 2} }
func (f *fake) Entities() int             { return f.entities }
func (f *fake) Relations() int            { return f.relations }
func (f *fake) HasRadii() bool            { return !f.points }

func (f *fake) Radius(e int32) float32 {
	if f.points {
		return 0
	}
	return float32(e%4) / 4
}

func (f *fake) DefaultCriterion() sphere.Criterion { return sphere.CriterionMargin }

func (f *fake) Distances(queries []kg.Query, dst []float32) {
	for i, q := range queries {
		r := rand.New(rand.NewPCG(uint64(q.Side)*1000+uint64(q.Relation), uint64(q.Known)))
		for e := range f.entities {
			dst[i*f.entities+e] = float32(r.IntN(20)) / 2
			if f.nan && r.IntN(6) == 0 {
				dst[i*f.entities+e] = float32(math.NaN())
			}
		}
	}
}

func (f *fake) Values(c sphere.Criterion, q kg.Query, dist, dst []float32) float32 {
	for e, d := range dist {
		dst[e] = d - f.Radius(int32(e)) - f.Radius(q.Known)
	}
	if c == sphere.CriterionIntersect {
		return 0
	}
	return 2
}

// people is a graph with labels whose facts overlap between splits in two cases.
func people(t testing.TB) (*kg.Graph, [3][][3]string) {
	t.Helper()
	var parts [3][][3]string
	r := rand.New(rand.NewPCG(1, 2))
	for s := range parts {
		for range 60 {
			parts[s] = append(parts[s], [3]string{
				fmt.Sprintf("person%02d", r.IntN(25)), fmt.Sprintf("rel%d", r.IntN(3)),
				fmt.Sprintf("person%02d", r.IntN(25)),
			})
		}
	}
	parts[1] = append(parts[1], parts[0][3])
	parts[2] = append(parts[2], parts[0][3], parts[1][5])
	g, err := kg.New("people", parts[0], parts[1], parts[2])
	expect.NoError(t, err)
	g.Labels = make([]string, g.Entities.Len())
	for i := range g.Labels {
		if i%2 == 0 {
			g.Labels[i] = fmt.Sprintf("Person No. %d", i)
		}
	}
	return g, parts
}

func mustNew(t testing.TB, m Model, g *kg.Graph, o Options) *Retriever {
	t.Helper()
	r, err := New(m, g, o)
	expect.NoError(t, err)
	return r
}

// splitsByName lists the splits that hold a fact, by looking through all lines.
func splitsByName(parts [3][][3]string, fact [3]string) (names []string) {
	for s, name := range []string{"train", "valid", "test"} {
		for _, x := range parts[s] {
			if x == fact {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// hasLoop looks for a fact of the relation that leads from an entity to itself.
func hasLoop(lines [][3]string, relation string) bool {
	for _, x := range lines {
		if x[0] == x[2] && x[1] == relation {
			return true
		}
	}
	return false
}

func TestOwnEntityIsMarked(t *testing.T) {
	t.Parallel()
	g, err := kg.New("g", [][3]string{{"a", "plain", "b"}, {"a", "loops", "b"}, {"b", "loops", "b"}},
		[][3]string{{"a", "plain", "a"}}, [][3]string{{"a", "loops", "b"}})
	expect.NoError(t, err)
	r := mustNew(t, &fake{entities: 2, relations: 2}, g, Options{NearMisses: 2})
	for _, c := range []struct {
		relation, known string
		want            bool
	}{{"plain", "b", true}, {"plain", "a", false}, {"loops", "a", false}, {"loops", "b", false}} {
		for _, text := range [][2]string{{c.known, "?"}, {"?", c.known}} {
			q, err := ParseQuery(g, text[0], c.relation, text[1])
			expect.NoError(t, err)
			answers, err := r.Answer(context.Background(), q)
			expect.NoError(t, err)
			listed := append(answers.Set, answers.Near...)
			if len(listed) != 2 {
				t.Fatalf("%d entities are listed", len(listed))
			}
			for _, a := range listed {
				if want := c.want && a.Name == c.known; a.Itself != want {
					t.Errorf("%s %s %s: itself of %s is %v", text[0], c.relation, text[1], a.Name, a.Itself)
				}
			}
		}
	}
}

// twinAnswers lists every entity as an answer to q, sorted by value and id, without NaN.
func twinAnswers(g *kg.Graph, parts [3][][3]string, m Model, c sphere.Criterion, q kg.Query) (list []Member,
	threshold float32) {
	dist, values := make([]float32, m.Entities()), make([]float32, m.Entities())
	m.Distances([]kg.Query{q}, dist)
	scores := make([]float32, m.Entities())
	gamma := m.Values(sphere.CriterionMargin, q, dist, scores)
	threshold = m.Values(c, q, dist, values)
	for e := range m.Entities() {
		if math.IsNaN(float64(values[e])) {
			continue
		}
		fact := [3]string{g.Entities.Name(q.Known), g.Relations.Name(q.Relation), g.Entities.Name(int32(e))}
		if q.Side == kg.HeadSide {
			fact[0], fact[2] = fact[2], fact[0]
		}
		splits := splitsByName(parts, fact)
		label := g.Labels[e]
		if label == "" {
			label = g.Entities.Name(int32(e))
		}
		mark := twinMark(splits, values[e] <= threshold)
		list = append(list, Member{
			Entity: int32(e), Name: g.Entities.Name(int32(e)), Label: label, Distance: dist[e],
			Value: values[e], Score: gamma - scores[e], Slack: threshold - values[e], Mark: mark,
			Known: mark == Known, Splits: splits,
			Itself: fact[0] == fact[2] && splits == nil && !hasLoop(parts[0], fact[1]),
		})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Value < list[j].Value })
	return list, threshold
}

func twinMark(splits []string, inSet bool) Mark {
	switch strings.Join(splits, " ") {
	case "":
		if inSet {
			return Inferred
		}
		return NotInGraph
	case "test":
		return HeldOut
	}
	return Known
}

func queries(g *kg.Graph) (list []kg.Query) {
	for _, side := range []kg.Side{kg.HeadSide, kg.TailSide} {
		for e := range int32(g.Entities.Len()) {
			for r := range int32(g.Relations.Len()) {
				list = append(list, kg.Query{Side: side, Known: e, Relation: r})
			}
		}
	}
	return list
}

func equalMembers(a, b []Member) bool { return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) }

// trained is a released model after some steps: its scales, where it has them, are not 1.
func trained(t *testing.T, g *kg.Graph, model string) *sphere.Model {
	t.Helper()
	m, err := sphere.New(sphere.Settings{Model: model, Variant: sphere.Released, Dimension: 5, Gamma: 2, Epsilon: 2,
		Tau: .1}, g, 1)
	expect.NoError(t, err)
	trainer, err := sphere.NewTrainer(m, g, sphere.Training{Epochs: 1, Steps: 20, Batch: 20, Negatives: 3,
		Sampling:    "bernoulli",
		Temperature: 2, LearningRate: .05, Beta1: .9, Beta2: .999, AdamEpsilon: 1e-8})
	expect.NoError(t, err)
	defer trainer.Close()
	if _, err := trainer.Epoch(context.Background()); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnswerMatchesTwin(t *testing.T) {
	t.Parallel()
	g, parts := people(t)
	n, relations, held := g.Entities.Len(), g.Relations.Len(), 0
	for _, m := range []Model{&fake{entities: n, relations: relations},
		&fake{entities: n, relations: relations, points: true},
		&fake{entities: n, relations: relations, nan: true}, trained(t, g, sphere.SpherE2D),
		trained(t, g, sphere.Rotate3D),
		trained(t, g, sphere.SpherE3D)} {
		f, _ := m.(*fake)
		nan := f != nil && f.nan
		for _, o := range []Options{{}, {Criterion: sphere.CriterionIntersect, NearMisses: 2},
			{NearMisses: -1, Limit: 3}, {NearMisses: 1000, Limit: 1000}} {
			r := mustNew(t, m, g, o)
			criterion, near := sphere.CriterionMargin, o.NearMisses
			if o.Criterion != "" {
				criterion = o.Criterion
			}
			if near == 0 {
				near = 5
			}
			for _, q := range queries(g) {
				held += compareAnswer(t, r, g, parts, m, criterion, q, near, o.Limit, nan)
			}
		}
	}
	if held == 0 {
		t.Error("no set has a held-out member: the test shows little")
	}
}

// compareAnswer compares an answer with its twin, and returns how many held-out members its set has. A near below 0 is
// none; with nan some values of the model are NaN.
func compareAnswer(t *testing.T, r *Retriever, g *kg.Graph, parts [3][][3]string, m Model, criterion sphere.Criterion,
	q kg.Query, near, limit int, nan bool) (held int) {
	t.Helper()
	got, err := r.Answer(context.Background(), q)
	expect.NoError(t, err)
	all, threshold := twinAnswers(g, parts, m, criterion, q)
	var set, outside, missed, extra []Member // extra: known answers outside the cut
	var counts Counts
	known, heldOut := 0, 0
	for _, a := range all {
		switch a.Mark {
		case Known:
			known++
		case HeldOut:
			heldOut++
		}
		switch {
		case a.Value <= threshold:
			set = append(set, a)
		case a.Mark == Known:
			extra = append(extra, a)
		default:
			outside = append(outside, a)
			if a.Splits != nil {
				missed = append(missed, a)
			}
			continue
		}
		counts.Total++
		switch a.Mark {
		case Known:
			counts.Known++
		case HeldOut:
			counts.HeldOut++
		case Inferred:
			counts.Inferred++
		}
	}
	inSet := counts.Known - len(extra)
	set = append(set, extra...)
	if nan { // the twin leaves NaN out; known answers of no value come last
		got.Set = slices.DeleteFunc(got.Set, func(m Member) bool { return m.Value != m.Value })
		none := got.Total - counts.Total
		counts.Known, counts.Total = counts.Known+none, counts.Total+none
	}
	if got.KnownInSet != inSet || got.Counts != counts || !nan && counts.Total != len(set) ||
		counts.Known+counts.HeldOut+counts.Inferred != counts.Total ||
		got.Threshold != threshold || got.Criterion != criterion {
		t.Fatalf("%v: %+v, want %+v", q, got, counts)
	}
	for _, a := range all {
		if s := got.Slacks[a.Entity]; s != a.Slack || (s >= 0) != (a.Value <= threshold) {
			t.Fatalf("%v: slack of entity %d is %g, want %g", q, a.Entity, s, a.Slack)
		}
	}
	if !nan { // the twin leaves NaN out, Missed lists them last
		if got.AllKnown != known || got.AllHeldOut != heldOut {
			t.Fatalf("%v: %d known and %d held out, want %d and %d", q, got.AllKnown, got.AllHeldOut, known,
				heldOut)
		}
		if !equalMembers(got.Missed, missed) {
			t.Fatalf("%v: missed %+v, want %+v", q, got.Missed, missed)
		}
	}
	var listed []Member
	var of [2]int
	for _, a := range set {
		kind := 0
		if a.Known {
			kind = 1
		}
		if of[kind]++; limit == 0 || of[kind] <= limit {
			listed = append(listed, a)
		}
	}
	if !equalMembers(got.Set, listed) {
		t.Fatalf("%v: set %+v, want %+v", q, got.Set, listed)
	}
	if !equalMembers(got.Near, shorten(outside, near)) && near > 0 {
		t.Fatalf("%v: near %+v, want %+v", q, got.Near, shorten(outside, near))
	}
	if near < 0 && len(got.Near) > 0 {
		t.Fatalf("%v: near misses %+v, want none", q, got.Near)
	}
	if (got.Head == Unknown) == (got.Tail == Unknown) || (got.Head == Unknown) != (q.Side == kg.HeadSide) {
		t.Fatalf("%v: %q %q %q", q, got.Head, got.Relation, got.Tail)
	}
	return counts.HeldOut
}

// TestPoints: a model without radii has none to show.
func TestPoints(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	r := mustNew(t, &fake{entities: g.Entities.Len(), relations: g.Relations.Len(), points: true}, g, Options{})
	x, err := r.Explain(context.Background(), g.Train[0])
	expect.NoError(t, err)
	if x.HasRadii || x.HeadRadius != 0 || !x.Known {
		t.Errorf("%+v", x)
	}
	if _, err := json.Marshal(x); err != nil {
		t.Error(err)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	r := mustNew(t, &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}, g, Options{})
	all := queries(g)
	want := make([]*Answer, len(all))
	for i, q := range all {
		want[i], _ = r.Answer(context.Background(), q)
	}
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for i, q := range all {
				got, err := r.Answer(context.Background(), q)
				if err != nil || !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%v: another answer", q)
					return
				}
				if _, err := r.Explain(context.Background(), q.Triple(0)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestParse(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	id := func(name string) int32 {
		e, ok := g.Entities.ID(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		return e
	}
	q, err := ParseQuery(g, "person03", "rel1", "?")
	if err != nil || q != (kg.Query{Side: kg.TailSide, Known: id("person03"), Relation: 1}) {
		t.Errorf("%v, %v", q, err)
	}
	q, err = ParseQuery(g, "?", "rel2", "Person No. 4")
	if err != nil || q != (kg.Query{Side: kg.HeadSide, Known: 4, Relation: 2}) {
		t.Errorf("%v, %v", q, err)
	}
	x, err := ParseTriple(g, "person03", "rel0", "Person No. 2")
	if err != nil || x != (kg.Triple{Head: id("person03"), Relation: 0, Tail: 2}) {
		t.Errorf("%v, %v", x, err)
	}
	for _, c := range []struct{ head, relation, tail, want string }{
		{"?", "rel1", "?", "exactly one '?'"},
		{"person03", "rel1", "person04", "exactly one '?'"},
		{"persom03", "rel1", "?", `"person03"`},
		{"?", "rel1", "persn04", `"person04"`},
		{"?", "rel", "person04", `"rel0"`},
	} {
		_, err := ParseQuery(g, c.head, c.relation, c.tail)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want one with %s", c, err, c.want)
		}
	}
	var missing *kg.NotFoundError
	for _, c := range [][3]string{{"?", "rel1", "person04"}, {"person04", "r", "person04"},
		{"person04", "rel1", "nobody"}} {
		if _, err := ParseTriple(g, c[0], c[1], c[2]); !errors.As(err, &missing) {
			t.Errorf("%v: error %v", c, err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	if _, err := New(&fake{entities: g.Entities.Len(), relations: g.Relations.Len() + 1}, g, Options{}); err == nil ||
		!strings.Contains(err.Error(), "another graph") {
		t.Errorf("more relations than the graph: %v", err)
	}
	if _, err := New(&fake{entities: 3}, g, Options{}); err == nil || !strings.Contains(err.Error(), "another graph") {
		t.Errorf("error %v", err)
	}
	if _, err := New(m, g, Options{Limit: -1}); err == nil {
		t.Error("a negative limit passed")
	}
	if _, err := New(m, g, Options{Criterion: "margins"}); err == nil || !strings.Contains(err.Error(), "margins") {
		t.Errorf("error %v", err)
	}
	r := mustNew(t, m, g, Options{})
	ctx := context.Background()
	for _, q := range []kg.Query{{Known: -1}, {Known: int32(g.Entities.Len())}, {Relation: 99}, {Relation: -1}} {
		if _, err := r.Answer(ctx, q); err == nil {
			t.Errorf("%v passed", q)
		}
	}
	if _, err := r.Explain(ctx, kg.Triple{Tail: 9999}); err == nil {
		t.Error("an unknown tail passed")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Answer(ended, kg.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := r.Explain(ended, kg.Triple{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestByValue(t *testing.T) {
	t.Parallel()
	nan, zero := float32(math.NaN()), float32(0)
	ids := []int32{6, 5, 4, 3, 2, 1, 0}
	byValue(ids, []float32{nan, 2, -zero, -1, zero, nan, 2})
	if want := []int32{3, 2, 4, 1, 6, 0, 5}; !slices.Equal(ids, want) {
		t.Errorf("order %v, want %v", ids, want)
	}
}
