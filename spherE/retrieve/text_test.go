package retrieve

import (
	"context"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE/kg"
)

// scripted is a model with the distances that a test writes down, the same for every query.
type scripted struct {
	fake
	dist []float32
}

func (s *scripted) Distances(queries []kg.Query, dst []float32) {
	for i := range queries {
		copy(dst[i*s.entities:], s.dist)
	}
}

// acquaintances returns a graph of entities a to g, a model of points, and the query (a, knows, ?): a knows b and c
// (known), d (held out, in the set), f (held out, missed); e is inferred and g is far away. By criterion margin an
// entity is in the set up to distance 2.
func acquaintances(t *testing.T) (*kg.Graph, Model, kg.Query) {
	t.Helper()
	g, err := kg.New("g", [][3]string{{"a", "knows", "b"}, {"a", "knows", "c"}, {"g", "knows", "e"}},
		[][3]string{{"a", "knows", "c"}}, [][3]string{{"a", "knows", "d"}, {"a", "knows", "f"}})
	expect.NoError(t, err)
	m := &scripted{fake{entities: 7, relations: 1, points: true}, []float32{0.5, 1, 3, 1.5, 1.75, 9, 2.5}}
	q, err := ParseQuery(g, "a", "knows", "?")
	expect.NoError(t, err)
	return g, m, q
}

// TestTexts compares an answer with texts written by hand.
func TestTexts(t *testing.T) {
	t.Parallel()
	g, m, q := acquaintances(t)
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{NearMisses: 1}, `a knows ?
3 new answers: 1 held out, 2 inferred; 2 known answers, 1 of them in the set of the cut

new answers
  a  inferred, itself      slack +1.500
  d  held out (test)       slack +0.500
  e  inferred              slack +0.250

known answers
  b  known (train)         slack +1.000
  c  known (train, valid)  slack -1.000

near misses
  g  not in the graph      slack -0.500

held-out facts further outside
  f  held out (test)       slack -7.000

a model; cut margin: a new answer if value <= 2.000; slack is the threshold less the value
`},
		{Options{NearMisses: 3, Limit: 1}, `a knows ?
3 new answers: 1 held out, 2 inferred; 2 known answers, 1 of them in the set of the cut

new answers
  a  inferred, itself  slack +1.500
  ... and 2 more; look further

known answers
  b  known (train)     slack +1.000
  ... and 1 more; look further

near misses
  g  not in the graph  slack -0.500
  f  held out (test)   slack -7.000

a model; cut margin: a new answer if value <= 2.000; slack is the threshold less the value
`},
		{Options{NearMisses: -1, Threshold: func(kg.Query, float32) float32 { return 0 }}, `a knows ?
0 new answers; 2 known answers, 0 of them in the set of the cut

new answers
  (none)

known answers
  b  known (train)         slack -1.000
  c  known (train, valid)  slack -3.000

held-out facts further outside
  d  held out (test)       slack -1.500
  f  held out (test)       slack -9.000

a model; cut margin: a new answer if value <= 0.000; slack is the threshold less the value
`},
	} {
		a, err := mustNew(t, m, g, c.options).Answer(context.Background(), q)
		expect.NoError(t, err)
		var b strings.Builder
		expect.NoError(t, a.WriteText(&b, Text{Model: "a model", All: "look further"}))
		if got := b.String(); got != c.want {
			t.Errorf("the text is\n%s\nwant\n%s", got, c.want)
		}
	}
}

// TestAnswerAsCSV compares an answer with a file written by hand.
func TestAnswerAsCSV(t *testing.T) {
	t.Parallel()
	g, m, q := acquaintances(t)
	a, err := mustNew(t, m, g, Options{NearMisses: 1}).Answer(context.Background(), q)
	expect.NoError(t, err)
	var b strings.Builder
	expect.NoError(t, a.WriteCSV(&b))
	if got, want := b.String(), `entity,label,in_set,known,splits,distance,value,slack,itself,mark,probability,score,note
a,a,true,false,,0.5,0.5,1.5,true,inferred,,1.5,
b,b,true,true,train,1,1,1,false,known,,1,
d,d,true,false,test,1.5,1.5,0.5,false,held out,,0.5,
e,e,true,false,,1.75,1.75,0.25,false,inferred,,0.25,
c,c,false,true,train valid,3,3,-1,false,known,,-1,
g,g,false,false,,2.5,2.5,-0.5,false,not in the graph,,-0.5,
f,f,false,false,test,9,9,-7,false,held out,,-7,
`; got != want {
		t.Errorf("CSV is\n%s\nwant\n%s", got, want)
	}
}

// TestTextOfAnExplanation compares an explanation with a text written by hand.
func TestTextOfAnExplanation(t *testing.T) {
	t.Parallel()
	g, m, q := acquaintances(t)
	x, err := mustNew(t, m, g, Options{}).Explain(context.Background(), q.Triple(3))
	expect.NoError(t, err)
	var b strings.Builder
	expect.NoError(t, x.WriteText(&b, Text{}))
	if got, want := b.String(), `a knows d
"a knows d" is a held-out fact (test). It is in the sets of both queries (slack 0.500 as tail, 1.500 as head).
note: d is never tail of knows in training (0 of 3)

  distance after rotation  1.500
  margin gamma             2.000
  cut                      margin

a knows ?
  in the set: value 1.500, threshold 2.000, slack +0.500; rank 3, set of 4
  nearest facts of the graph
    b  known (train)         slack +1.000
    c  known (train, valid)  slack -1.000
    f  held out (test)       slack -7.000
  facts of the graph at a similar distance
    b  known (train)         slack +1.000
    c  known (train, valid)  slack -1.000
    f  held out (test)       slack -7.000

? knows d
  in the set: value 0.500, threshold 2.000, slack +1.500; rank 1, set of 4
`; got != want {
		t.Errorf("the explanation is\n%s\nwant\n%s", got, want)
	}
}

// TestTextOfOddNames: a name from N-Triples neither breaks a line nor steers the terminal.
func TestTextOfOddNames(t *testing.T) {
	t.Parallel()
	odd := "b\x1b[2J\n\u202ename"
	g, err := kg.New("g", [][3]string{{"a", "r", odd}, {"a", "r", "c"}}, nil, nil)
	expect.NoError(t, err)
	r := mustNew(t, &scripted{fake{entities: 3, relations: 1, points: true}, []float32{0.5, 1, 1.5}}, g, Options{})
	for _, fields := range [][]string{{"a", "r", "?"}, {"?", "r", odd}, {"a", "?", odd}, {`"` + odd + `" < r`}} {
		q, err := ParseQuestion(fields...)
		expect.NoError(t, err)
		x, err := r.Reply(t.Context(), q)
		expect.NoError(t, err)
		var b strings.Builder
		expect.NoError(t, x.WriteText(&b, Text{}))
		if text := b.String(); strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, `b\x1b[2J\n\u202ename`) {
			t.Errorf("the text of %q is %q", fields, text)
		}
	}
	x, err := r.Explain(t.Context(), kg.Triple{Head: 0, Relation: 0, Tail: 1})
	expect.NoError(t, err)
	var b strings.Builder
	expect.NoError(t, x.WriteText(&b, Text{}))
	if text := b.String(); strings.ContainsAny(text, "\x1b\u202e") || strings.Count(text, `b\x1b[2J\n\u202ename`) < 3 {
		t.Errorf("the explanation is %q", text)
	}
}
