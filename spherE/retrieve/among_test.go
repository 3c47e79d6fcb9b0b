package retrieve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// typedGraph has 12 people, 5 cities and a ship, and of each of three people a fact of validation or test.
func typedGraph(t *testing.T) *kg.Graph {
	t.Helper()
	dir := t.TempDir()
	var train, types strings.Builder
	for i := range 12 {
		fmt.Fprintf(&train, "p%02d\tlives_in\tc%d\n", i, i%4)
		fmt.Fprintf(&types, "p%02d\tperson\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&train, "p%02d\tknows\tp%02d\n", i, i+2)
		}
	}
	train.WriteString("c4\tport_of\tship\n")
	types.WriteString("c0\tcity\nc2\tcity\nc4\tcity\nship\tthing\n")
	for name, content := range map[string]string{"train.txt": train.String(), "types.tsv": types.String(),
		"valid.txt": "p01\tlives_in\tc4\np04\tknows\tc1\n", "test.txt": "p02\tlives_in\tship\np05\tknows\tp11\n"} {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	g, err := kg.Load(dir)
	expect.NoError(t, err)
	return g
}

// TestAmong: new answers are those of the whole set that training has on the side, or that have a type of these. Known
// answers stay, and a border made of values does not see the others.
func TestAmong(t *testing.T) {
	t.Parallel()
	g := typedGraph(t)
	m := &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}
	typing := g.Typing()
	allowed := func(among Among, q kg.Query, e int32) bool {
		for _, f := range g.Train {
			s := f.Answer(q.Side)
			shared := slices.ContainsFunc(typing.Of[s], func(kind int32) bool {
				return slices.Contains(typing.Of[e], kind)
			})
			if f.Relation == q.Relation && (among == AmongSeen && s == e || among == AmongType && shared) {
				return true
			}
		}
		return false
	}
	fewer, missed := 0, 0
	for _, among := range []Among{AmongSeen, AmongType} {
		may, err := among.Of(g)
		expect.NoError(t, err)
		limit := func(_ kg.Query, known []int32, values []float32) float32 { return 6 }
		whole := mustNew(t, m, g, Options{Border: limit})
		steps := &Steps{
			Probability: func(kg.Query, []float32) func(float32) float64 { return func(float32) float64 { return .5 } },
			Size:        func(falling []float64, _ int) int { return len(falling) },
		}
		o := Options{Among: may, AmongName: among, Steps: func(context.Context) (*Steps, error) { return steps, nil }}
		o.Border = func(q kg.Query, known []int32, values []float32) float32 {
			for e, v := range values {
				if hidden := v != v; hidden == (allowed(among, q, int32(e)) || slices.Contains(known, int32(e))) {
					t.Errorf("%s, %v: entity %d is hidden: %v", among, q, e, hidden)
				}
			}
			return 6
		}
		r := mustNew(t, m, g, o)
		for _, asked := range queries(g) {
			all, err := whole.Answer(t.Context(), asked)
			expect.NoError(t, err)
			some, err := r.Answer(t.Context(), asked)
			expect.NoError(t, err)
			var want []int32
			for _, x := range all.Set {
				if x.Known || allowed(among, asked, x.Entity) {
					want = append(want, x.Entity)
				} else {
					fewer++
				}
			}
			got := []int32{}
			for _, x := range some.Set {
				got = append(got, x.Entity)
			}
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("%s, %v: set %v, want %v", among, asked, got, want)
			}
			for _, x := range some.Near {
				if !allowed(among, asked, x.Entity) {
					t.Errorf("%s, %v: %s is near", among, asked, x.Name)
				}
			}
			for _, x := range slices.Concat(some.Set, some.Missed) {
				if out := !x.Known && !allowed(among, asked, x.Entity); x.LeftOut != out ||
					out != strings.HasSuffix(x.Words(), "left out") || out && x.Slack >= 0 {
					t.Errorf("%s, %v: %+v is left out: %v", among, asked, x, out)
				} else if out {
					missed++
				}
			}
			checkAmongShown(t, some, among)
			set, err := r.ScoredSet(t.Context(), asked)
			expect.NoError(t, err)
			two, err := set.Hop(t.Context(), kg.HeadSide, asked.Relation)
			expect.NoError(t, err)
			for _, x := range set.At("all", -math.MaxFloat32).Members {
				if set.Marks[x] != Known && !allowed(among, asked, x) {
					t.Errorf("%s, %v: %d is in a wider set", among, asked, x)
				}
			}
			for _, x := range two.Members {
				from := kg.Query{Side: kg.HeadSide, Relation: asked.Relation}
				if two.Mark(x) != Known && !allowed(among, from, x) {
					t.Errorf("%s, %v: %d is behind another step", among, asked, x)
				}
			}
		}
	}
	if fewer < 20 || missed < 2 {
		t.Errorf("only %d answers are left out, and %d held-out facts", fewer, missed)
	}
	if _, err := Among("kinds").Of(g); err == nil {
		t.Error("other words are accepted")
	}
	if _, err := AmongType.Of(g.Without(nil)); err != nil {
		t.Errorf("a graph without a fact has no types: %v", err)
	}
}

// checkAmongShown: text and JSON of an answer say among which entities new answers are, and give no slack of what is
// left out.
func checkAmongShown(t *testing.T, a *Answer, among Among) {
	t.Helper()
	var text, lines strings.Builder
	expect.NoError(t, a.WriteText(&text, Text{Model: "m"}))
	expect.NoError(t, a.WriteCSV(&lines))
	raw, err := json.Marshal(a)
	expect.NoError(t, err)
	words := map[Among]string{AmongSeen: "among the entities that training has there:",
		AmongType: "among the entities of a type that training has there:"}[among]
	if !strings.Contains(text.String(), words) || !strings.Contains(string(raw), `"among":"`+string(among)+`"`) {
		t.Errorf("%s is not said: %s\n%s", among, text.String(), raw)
	}
	for _, m := range a.Missed {
		if strings.Contains(lines.String(), fmt.Sprintf("%s,%s,false,false,test,%v,%v,,", m.Name, m.Label, m.Distance,
			m.Value)) != m.LeftOut {
			t.Errorf("%+v in CSV: %s", m, lines.String())
		}
	}
	if strings.Contains(text.String(), "left out  slack") {
		t.Errorf("a slack of what is left out: %s", text.String())
	}
}

// TestNoteOfType: a note says of what type the entities in a place are, if the asked one is of another.
func TestNoteOfType(t *testing.T) {
	t.Parallel()
	g := typedGraph(t)
	r := mustNew(t, &fake{entities: g.Entities.Len(), relations: g.Relations.Len()}, g, Options{})
	lives, _ := g.Relations.ID("lives_in")
	for name, want := range map[string]string{
		"c2": "c2 is never head of lives_in in training (0 of 12), and tail of it 3 times: ? lives_in c2 is the reversed " +
			"question; its heads are person 100 %, and this is city",
		"c1": "c1 is never head of lives_in in training (0 of 12), and tail of it 3 times: ? lives_in c1 is the reversed question",
	} {
		e, _ := g.Entities.ID(name)
		if got := r.Note(kg.Query{Side: kg.TailSide, Known: e, Relation: lives}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
