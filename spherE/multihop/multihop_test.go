package multihop

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

func bundled(t testing.TB) *kg.Graph {
	t.Helper()
	g, err := kg.Bundled()
	expect.NoError(t, err)
	return g
}

func parsed(t testing.TB, text string) *retrieve.Expression {
	t.Helper()
	x, err := retrieve.ParseExpression(text)
	expect.NoError(t, err)
	return x
}

// members are the entities that have true.
func members(in []bool) (list []int32) {
	for e, ok := range in {
		if ok {
			list = append(list, int32(e))
		}
	}
	return list
}

// TestSample: the text of a question has its type, and its answers are those of the join of the text.
func TestSample(t *testing.T) {
	t.Parallel()
	g := bundled(t)
	splits := kg.Splits()
	all, known := g.Index(splits[:]...), g.Index(kg.Train, kg.Valid)
	s := Sampling{Number: 30, Seed: 5, MaxAnswers: 40}
	list, err := Sample(t.Context(), g, s)
	expect.NoError(t, err)
	count, seen, backwards := map[Type]int{}, map[string]bool{}, 0
	for _, q := range list {
		x := parsed(t, q.Text)
		if got := Type(x.Shape()); got != q.Type {
			t.Errorf("%s is of type %s, drawn as %s", q.Text, got, q.Type)
		}
		right, err := x.Join(g, all)
		expect.NoError(t, err)
		easy, err := x.Join(g, known)
		expect.NoError(t, err)
		var wantEasy, wantHard []int32
		for _, e := range members(right) {
			if easy[e] {
				wantEasy = append(wantEasy, e)
			} else {
				wantHard = append(wantHard, e)
			}
		}
		if !slices.Equal(q.Easy, wantEasy) || !slices.Equal(q.Hard, wantHard) {
			t.Errorf("%s has easy %v and hard %v, want %v and %v", q.Text, q.Easy, q.Hard, wantEasy, wantHard)
		}
		if len(q.Hard) == 0 || len(q.Easy)+len(q.Hard) > s.MaxAnswers || seen[q.Text] {
			t.Errorf("%s is kept with %d hard answers of %d", q.Text, len(q.Hard), len(q.Easy)+len(q.Hard))
		}
		if strings.Contains(q.Text, " < ") {
			backwards++
		}
		count[q.Type]++
		seen[q.Text] = true
	}
	for _, k := range Types() {
		if count[k] != s.Number {
			t.Errorf("%d questions of type %s, want %d", count[k], k, s.Number)
		}
	}
	if backwards < 100 || backwards > len(list)-20 {
		t.Errorf("%d of %d questions have a hop backwards", backwards, len(list))
	}
}

// TestSampleParts: parts of a question differ, nothing leads back the way it came, and what is taken away takes
// something away.
func TestSampleParts(t *testing.T) {
	t.Parallel()
	g := bundled(t)
	list, err := Sample(t.Context(), g, Sampling{Types: []Type{"2p", "3i", "2in"}, Number: 60, Seed: 1})
	expect.NoError(t, err)
	splits := kg.Splits()
	all := g.Index(splits[:]...)
	for _, q := range list {
		switch q.Type {
		case "3i":
			parts := strings.Split(q.Text, " and ")
			slices.Sort(parts)
			if len(slices.Compact(parts)) != 3 {
				t.Errorf("%s has a part twice", q.Text)
			}
		case "2in":
			whole, _, _ := strings.Cut(q.Text, " minus ")
			in, err := parsed(t, whole).Join(g, all)
			expect.NoError(t, err)
			if len(members(in)) == len(q.Easy)+len(q.Hard) {
				t.Errorf("%s takes nothing away", q.Text)
			}
		case "2p":
			words := strings.Split(q.Text, `"`) // "", entity, sign, relation, sign, relation, ""
			if len(words) == 7 && words[3] == words[5] && words[2] != words[4] {
				t.Errorf("%s leads back", q.Text)
			}
		}
	}
}

// TestSampleIsDrawn: seeds and types have draws of their own, and a seed repeats its own.
func TestSampleIsDrawn(t *testing.T) {
	t.Parallel()
	g := bundled(t)
	draw := func(s Sampling) []Question {
		t.Helper()
		list, err := Sample(t.Context(), g, s)
		expect.NoError(t, err)
		return list
	}
	s := Sampling{Types: []Type{"2i", "1p"}, Number: 10, Seed: 3}
	list := draw(s)
	if !reflect.DeepEqual(list, draw(s)) {
		t.Error("a seed draws two lists")
	}
	if !reflect.DeepEqual(list[10:], draw(Sampling{Types: []Type{"1p"}, Number: 10, Seed: 3})) {
		t.Error("a type's questions depend on the other types")
	}
	s.Seed = 4
	if reflect.DeepEqual(list, draw(s)) {
		t.Error("two seeds draw one list")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Sample(canceled, g, s); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled sample has the error %v", err)
	}
	if _, err := Sample(t.Context(), g, Sampling{Types: []Type{"4p"}}); err == nil {
		t.Error("an unknown type is drawn")
	}
	if _, err := ParseType("4p"); err == nil || !strings.Contains(err.Error(), "1p 2p 3p") {
		t.Errorf("the error of an unknown type is %v", err)
	}
}

// untrained answers with a model of points, so that few answers are tied.
func untrained(t *testing.T, g *kg.Graph) *retrieve.Retriever {
	t.Helper()
	settings := sphere.Settings{Model: sphere.RotatE, Variant: sphere.Clean, Dimension: 4, Gamma: 2, Epsilon: 2}
	m, err := sphere.New(settings, g, 9)
	expect.NoError(t, err)
	by, err := retrieve.New(m, g, retrieve.Options{})
	expect.NoError(t, err)
	return by
}

// TestMeasureMatchesTwin: every number of a report, with ranks by counting, on any number of threads.
func TestMeasureMatchesTwin(t *testing.T) {
	t.Parallel()
	g := bundled(t)
	by := untrained(t, g)
	drawn, err := Sample(t.Context(), g, Sampling{Types: []Type{"pi", "2p", "pin"}, Number: 4, Seed: 2})
	expect.NoError(t, err)
	var texts []string
	for _, q := range drawn {
		texts = append(texts, q.Text)
	}
	first := g.Train[0]
	easy := retrieve.Quote(g.Entities.Name(first.Head)) + " > " + retrieve.Quote(g.Relations.Name(first.Relation))
	none := easy + " minus " + easy
	four := easy + " and " + easy + " and " + easy + " and " + easy
	var questions []retrieve.Question
	for _, text := range append(texts, easy, none, four) {
		q, err := retrieve.ParseQuestion(text)
		expect.NoError(t, err)
		questions = append(questions, q)
	}
	var reports []*Report
	done := 0
	for _, threads := range []int{1, 3} {
		r, err := Measure(t.Context(), by, g, questions, Settings{Threads: threads, Resamples: 50,
			Progress: func(k, total int) { done = k + total }})
		expect.NoError(t, err)
		reports = append(reports, r)
	}
	if !reflect.DeepEqual(reports[0], reports[1]) {
		t.Error("threads change numbers")
	}
	r := reports[0]
	if r.Left != 1 || done != 2*len(questions) {
		t.Errorf("%d questions without an answer, want 1; progress ended at %d", r.Left, done)
	}
	splits := kg.Splits()
	narrow := false
	for _, got := range r.Types {
		want := twin(t, g, by, questions, got.Type, g.Index(splits[:]...), g.Index(kg.Train, kg.Valid))
		for name, pair := range map[string][2]float64{"questions": {float64(got.Questions), want.questions},
			"hard":  {float64(got.HardAnswers), want.hard},
			"found": {got.HardFound, want.found}, "F1": {got.F1, want.f1}, "join F1": {got.JoinF1, want.join}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12 {
				t.Errorf("%s of %s is %g, want %g", name, got.Type, pair[0], pair[1])
			}
		}
		for name, span := range map[string][3]float64{"MRR": {want.worst.mrr, got.MRR, want.best.mrr},
			"Hits@10": {want.worst.hits, got.Hits10, want.best.hits}} {
			if span[1] < span[0]-1e-12 || span[1] > span[2]+1e-12 {
				t.Errorf("%s of %s is %g, outside of %g to %g", name, got.Type, span[1], span[0], span[2])
			}
			narrow = narrow || span[0] > 0 && span[2]-span[0] < .01
		}
		if middle := got.F1 - got.JoinF1; got.Difference.Low > middle+1e-12 || got.Difference.High < middle-1e-12 {
			t.Errorf("%s: the interval %v does not hold %g", got.Type, got.Difference, middle)
		}
	}
	if !narrow {
		t.Error("no rank is certain: the test shows little")
	}
	if len(r.Types) != 5 || r.Types[0].Type != "1p" || r.Types[4].Type != Other {
		t.Errorf("types are %v", r.Types)
	}
	mean := (r.Types[0].MRR + r.Types[1].MRR + r.Types[2].MRR) / 3
	if r.Positive == nil || math.Abs(r.Positive.MRR-mean) > 1e-12 || r.Negated == nil || r.Negated.F1 != r.Types[3].F1 {
		t.Errorf("means are %v and %v", r.Positive, r.Negated)
	}
}

// ranked are the metrics of ranks.
type ranked struct{ mrr, hits float64 }

func (r *ranked) add(rank, hard float64) {
	r.mrr += 1 / rank / hard
	if rank <= 10 {
		r.hits += 1 / hard
	}
}

type twinScores struct {
	questions, hard, found, f1, join float64
	best, worst                      ranked // where answers of equal scores come first, and last
}

// twin measures the questions of a type one by one, from lists of names.
func twin(
	t *testing.T, g *kg.Graph, by *retrieve.Retriever, questions []retrieve.Question, of Type, all, known *kg.Index,
) (w twinScores) {
	t.Helper()
	withHard := 0.0
	for _, q := range questions {
		x := q.Expression
		right, err := x.Join(g, all)
		expect.NoError(t, err)
		if kind := Type(x.Shape()); kind != of && (kind != "" || of != Other) || len(members(right)) == 0 {
			continue
		}
		join, _ := x.Join(g, known)
		s, err := by.Evaluate(t.Context(), x)
		expect.NoError(t, err)
		w.questions++
		var hardAnswers []int32
		found, shared, sharedJoin := 0, 0, 0
		for _, a := range members(right) {
			if s.In[a] {
				shared++
			}
			if join[a] {
				sharedJoin++
				continue
			}
			if hardAnswers = append(hardAnswers, a); s.In[a] {
				found++
			}
		}
		hard := float64(len(hardAnswers))
		for _, a := range hardAnswers {
			better, equal := 0, 0
			for e := range right {
				if !right[e] && s.Scores[e] > s.Scores[a] {
					better++
				} else if !right[e] && s.Scores[e] == s.Scores[a] {
					equal++
				}
			}
			w.best.add(1+float64(better), hard)
			w.worst.add(1+float64(better+equal), hard)
		}
		if hard > 0 {
			withHard++
			w.found += float64(found) / hard
		}
		w.hard += hard
		n := float64(len(members(right)))
		w.f1 += 2 * float64(shared) / (n + float64(len(s.Members)))
		w.join += 2 * float64(sharedJoin) / (n + float64(len(members(join))))
	}
	if withHard > 0 {
		w.found /= withHard
		w.best = ranked{w.best.mrr / withHard, w.best.hits / withHard}
		w.worst = ranked{w.worst.mrr / withHard, w.worst.hits / withHard}
	}
	w.f1, w.join = w.f1/w.questions, w.join/w.questions
	return w
}

// TestMeasureRefuses: questions for relations, and names that the graph lacks.
func TestMeasureRefuses(t *testing.T) {
	t.Parallel()
	g := bundled(t)
	by := untrained(t, g)
	for text, want := range map[string]string{"a\t?\tb": "asks for relations", "nobody > advised": "character 1"} {
		q, err := retrieve.ParseQuestion(strings.Split(text, "\t")...)
		expect.NoError(t, err)
		_, err = Measure(t.Context(), by, g, []retrieve.Question{q}, Settings{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
