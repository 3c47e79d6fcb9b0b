package retrieve

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

var _ binder = (*sphere.Model)(nil)

// plain hides every method of a model but those of Model.
type plain struct{ Model }

// smallModel is an untrained model of people whose radii are wide enough for sets of several sizes.
func smallModel(t testing.TB, g *kg.Graph, s sphere.Settings) *sphere.Model {
	t.Helper()
	s.Model, s.Variant, s.Epsilon = sphere.SpherE2D, sphere.Clean, 2
	m, err := sphere.New(s, g, 4)
	expect.NoError(t, err)
	return m
}

// TestSetMatchesTwin compares sets, one by one and in batches of every size, with sorted lists of the values of all
// entities, for models with and without bound points, with ties and NaN, and for cuts of one's own.
func TestSetMatchesTwin(t *testing.T) {
	t.Parallel()
	g, parts := people(t)
	n, relations := g.Entities.Len(), g.Relations.Len()
	narrower := func(q kg.Query, own float32) float32 { return own - float32(q.Known%3) }
	for _, m := range []Model{
		&fake{entities: n, relations: relations}, &fake{entities: n, relations: relations, points: true, nan: true},
		smallModel(t, g, sphere.Settings{Dimension: 9, Gamma: 2}),
		plain{smallModel(t, g, sphere.Settings{Dimension: 9, Gamma: 2})},
	} {
		for _, replace := range []func(kg.Query, float32) float32{nil, narrower} {
			all := queries(g)
			sizes := make(map[int]bool)
			var want []Set
			for _, q := range all {
				list, threshold := twinAnswers(g, parts, m, m.DefaultCriterion(), q)
				if replace != nil {
					threshold = replace(q, threshold)
				}
				s := Set{Query: q, Threshold: threshold}
				for _, a := range list {
					if a.Value <= threshold {
						s.Entities, s.Values = append(s.Entities, a.Entity), append(s.Values, a.Value)
					}
				}
				sizes[len(s.Entities)] = true
				want = append(want, s)
			}
			if len(sizes) < 3 {
				t.Fatalf("sets of %d sizes only", len(sizes))
			}
			for _, threads := range []int{0, 1, 3} {
				r := mustNew(t, m, g, Options{Threshold: replace, Threads: threads})
				var one Set
				for i, q := range all {
					expect.NoError(t, r.Set(context.Background(), q, &one))
					if !equalSets(one, want[i]) {
						t.Fatalf("%T: the set of %v is %v, want %v", m, q, one, want[i])
					}
					a, err := r.Answer(context.Background(), q)
					expect.NoError(t, err)
					if a.Threshold != one.Threshold || len(inCut(a)) != len(one.Entities) {
						t.Fatalf("Answer has %d entities within %v, Set %d within %v", len(inCut(a)), a.Threshold,
							len(one.Entities), one.Threshold)
					}
				}
				batch := make([]Set, len(all)) // filled again each time
				for size := 0; size <= len(all); size += 1 + size/2 {
					expect.NoError(t, r.Sets(context.Background(), all[:size], batch[:size]))
					for i := range size {
						if !equalSets(batch[i], want[i]) {
							t.Fatalf("%T: in a batch of %d the set of %v is %v, want %v", m, size, all[i], batch[i],
								want[i])
						}
					}
				}
			}
		}
	}
}

func equalSets(a, b Set) bool {
	return a.Query == b.Query && a.Threshold == b.Threshold && slices.Equal(a.Entities, b.Entities) &&
		slices.Equal(a.Values, b.Values)
}

// TestSlacks: slacks in batches are those of Answer, by every criterion and by a threshold of one's own.
func TestSlacks(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 9, Gamma: 2})
	all, n := queries(g), g.Entities.Len()
	for _, o := range []Options{{}, {Criterion: sphere.CriterionMargin}, {Criterion: sphere.CriterionIntersect},
		{Threshold: func(q kg.Query, own float32) float32 { return own + float32(q.Known) }}} {
		r := mustNew(t, m, g, o)
		got := make([]float32, len(all)*n)
		expect.NoError(t, r.Slacks(context.Background(), all, got))
		for i, q := range all {
			a, err := r.Answer(context.Background(), q)
			expect.NoError(t, err)
			row, criterion := make([]float32, n), o.Criterion
			if criterion == "" {
				criterion = m.DefaultCriterion()
			}
			m.Distances([]kg.Query{q}, row)
			threshold := m.Values(criterion, q, row, row)
			if o.Threshold != nil {
				threshold = o.Threshold(q, threshold)
			}
			for e, value := range row {
				if want := threshold - value; got[i*n+e] != want || a.Slacks[e] != want {
					t.Fatalf("slack of entity %d for %v is %v and %v, want %v", e, q, got[i*n+e], a.Slacks[e], want)
				}
			}
		}
	}
}

// TestSetDoesNotAllocate: queries with a set of their own, one after the other and on several goroutines at once.
func TestSetDoesNotAllocate(t *testing.T) {
	g, _ := people(t)
	r := mustNew(t, smallModel(t, g, sphere.Settings{Dimension: 9, Gamma: 2}), g, Options{})
	all, ctx := queries(g), context.Background()
	var s Set
	next := 0
	one := func() {
		expect.NoError(t, r.Set(ctx, all[next%len(all)], &s))
		next++
	}
	for range all {
		one()
	}
	if n := testing.AllocsPerRun(10*len(all), one); n != 0 && !expect.RaceDetector {
		t.Errorf("%v allocations per query", n)
	}
}

// TestSetsConcurrently lets goroutines share a retriever; with the race detector it shows that nothing is shared.
func TestSetsConcurrently(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	r := mustNew(t, smallModel(t, g, sphere.Settings{Dimension: 9, Gamma: 2}), g, Options{Threads: 2})
	all, ctx := queries(g), context.Background()
	want := make([]Set, len(all))
	expect.NoError(t, r.Sets(ctx, all, want))
	var group sync.WaitGroup
	for k := range 4 {
		group.Go(func() {
			got := make([]Set, len(all))
			for range 3 {
				if err := r.Sets(ctx, all, got); err != nil {
					t.Error(err)
				}
				for i := range got {
					if !equalSets(got[i], want[i]) {
						t.Errorf("goroutine %d: another set for %v", k, all[i])
					}
					if err := r.Set(ctx, all[i], &got[i]); err != nil || !equalSets(got[i], want[i]) {
						t.Errorf("goroutine %d: another single set for %v (%v)", k, all[i], err)
					}
				}
			}
		})
	}
	group.Wait()
}

func TestSetErrors(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	r := mustNew(t, m, g, Options{})
	good := kg.Query{Side: kg.TailSide}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	var s Set
	for name, c := range map[string]struct {
		ctx   context.Context
		query kg.Query
		want  string
	}{
		"entity":   {context.Background(), kg.Query{Known: 99}, "entity id 99"},
		"relation": {context.Background(), kg.Query{Relation: -1}, "relation id -1"},
		"side":     {context.Background(), kg.Query{Side: 7}, "side"},
		"context":  {stopped, good, "canceled"},
	} {
		for kind, err := range map[string]error{
			"Set":    r.Set(c.ctx, c.query, &s),
			"Sets":   r.Sets(c.ctx, []kg.Query{good, c.query}, make([]Set, 2)),
			"Slacks": r.Slacks(c.ctx, []kg.Query{c.query}, make([]float32, g.Entities.Len())),
		} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
	if err := r.Set(stopped, good, &s); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := r.Sets(context.Background(), []kg.Query{good}, nil); err == nil {
		t.Error("no error for a missing set")
	}
	if err := r.Slacks(context.Background(), []kg.Query{good}, make([]float32, 1)); err == nil {
		t.Error("no error for missing room")
	}
	if _, err := New(m, g, Options{Threads: -1}); err == nil {
		t.Error("no error for -1 threads")
	}
	if !reflect.DeepEqual(s, Set{}) {
		t.Errorf("a failed call changed the set to %v", s)
	}
}

// BenchmarkSet is retrieval from an untrained model of FB15k-237 with D = 200; sphere sets of a narrow gamma, so that
// sorting a set costs little.
func BenchmarkSet(b *testing.B) {
	g, err := kg.Load(graphtest.Folder(b, "fb15k-237"))
	expect.NoError(b, err)
	m := smallModel(b, g, sphere.Settings{Dimension: 200, Gamma: 6})
	var all []kg.Query
	for _, t := range g.Test[:640] {
		all = append(all, t.Query(kg.Side(len(all)%2)))
	}
	narrow := func(_ kg.Query, own float32) float32 { return own / 2 }
	report := func(b *testing.B, queries int) {
		seconds := b.Elapsed().Seconds() / float64(b.N*queries)
		b.ReportMetric(1/seconds, "queries/s")
		b.ReportMetric(float64(g.Entities.Len()*200)/seconds, "elements/s")
	}
	b.Run("single", func(b *testing.B) {
		r := mustNew(b, m, g, Options{Threshold: narrow})
		var s Set
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			expect.NoError(b, r.Set(b.Context(), all[i%len(all)], &s))
			i++
		}
		report(b, 1)
	})
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("batch=%d/threads=%d", len(all), threads), func(b *testing.B) {
			r := mustNew(b, m, g, Options{Threshold: narrow, Threads: threads})
			sets := make([]Set, len(all))
			b.ReportAllocs()
			for b.Loop() {
				expect.NoError(b, r.Sets(b.Context(), all, sets))
			}
			report(b, len(all))
		})
	}
}
