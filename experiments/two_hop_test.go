package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/config"
	"github.com/spherelab/spherelab/experiments/runtest"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/graphtest"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// twoHops is a question of two hops, "A > r > s" or with either hop back, and its right answers by all facts.
type twoHops struct {
	text  string
	right map[int32]bool
	known map[int32]bool // by the join of training and validation
}

// hopQuestions draws n questions whose first step has a known answer and whose right answers by all facts are not none.
func hopQuestions(g *kg.Graph, n int) (list []twoHops) {
	splits := kg.Splits()
	all, known := g.Index(splits[:]...), g.Index(kg.Train, kg.Valid)
	draw := rand.New(rand.NewPCG(7, 11))
	seen := map[string]bool{}
	for len(list) < n {
		first := g.Train[draw.IntN(len(g.Train))]
		sides := [2]kg.Side{kg.Side(draw.IntN(2)), kg.Side(draw.IntN(2))}
		q := first.Query(sides[0])
		second := int32(draw.IntN(g.Relations.Len()))
		join := func(ix *kg.Index) map[int32]bool {
			found := map[int32]bool{}
			for _, x := range ix.Answers(q) {
				for _, y := range ix.Answers(kg.Query{Side: sides[1], Known: x, Relation: second}) {
					found[y] = true
				}
			}
			return found
		}
		sign := map[kg.Side]string{kg.TailSide: ">", kg.HeadSide: "<"}
		text := fmt.Sprintf("%q %s %q %s %q", g.Entities.Name(q.Known), sign[sides[0]], g.Relations.Name(q.Relation),
			sign[sides[1]], g.Relations.Name(second))
		right := join(all)
		if len(right) == 0 || seen[text] {
			continue
		}
		seen[text] = true
		list = append(list, twoHops{text, right, join(known)})
	}
	return list
}

// setF1 is that of a set of answers.
func setF1(members []int32, right map[int32]bool) float64 {
	hits := 0
	for _, e := range members {
		if right[e] {
			hits++
		}
	}
	return 2 * float64(hits) / float64(len(members)+len(right))
}

// hopF1 is the mean F1 of the answers to questions, and that of the join of known facts.
func hopF1(ctx context.Context, t testing.TB, by *retrieve.Retriever, questions []twoHops) (answer, join float64) {
	t.Helper()
	for _, q := range questions {
		x, err := retrieve.ParseExpression(q.text)
		expect.NoError(t, err)
		s, err := by.Evaluate(ctx, x)
		expect.NoError(t, err)
		var known []int32
		for e := range q.known {
			known = append(known, e)
		}
		slices.Sort(known)
		answer += setF1(s.Members, q.right) / float64(len(questions))
		join += setF1(known, q.right) / float64(len(questions))
	}
	return answer, join
}

// trainedRun trains a config on a database of its own.
func trainedRun(t *testing.T, name string) *answer.Run {
	t.Helper()
	r := &Runner{Tracker: trackertest.Open(t)}
	if graph := filepath.Dir(name); graph != config.BundledName {
		r.DataDirs = []string{filepath.Dir(graphtest.Folder(t, graph))}
	}
	cfg, err := runtest.Load(config.Layers{Config: name})
	expect.NoError(t, err)
	result, err := r.Train(t.Context(), runtest.Checked(t, cfg))
	expect.NoError(t, err)
	run, err := answer.Open(t.Context(), r.Tracker, result.RunID, r.DataDirs)
	expect.NoError(t, err)
	return run
}

// TestTwoHops measures answers to questions of two hops by trained models, next to the join of known facts, which they
// must not be below: known facts are certain, and what is taken in beyond them is expected to gain.
func TestTwoHops(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bundled/sphere-2d", "bundled/complex", "umls/sphere-2d"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := trainedRun(t, name)
			questions := hopQuestions(run.Graph, 200)
			for _, cut := range []string{"", "precision-0.5"} {
				by, err := run.Retriever(t.Context(), answer.Cut{Name: cut}, retrieve.Options{}, nil)
				expect.NoError(t, err)
				answer, join := hopF1(t.Context(), t, by, questions)
				if cut == "" {
					holdsLine(t, "answers.md", "| %s | %s | %s | %s |", run.Config.Data, sphere.Title(run.Config.Model),
						digits(join), digits(answer))
				}
				if answer < join || join < .5 {
					t.Errorf("cut %q: F1 %g is below that of the join, %g", cut, answer, join)
				}
			}
		})
	}
}
