package retrieve

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/kg"
)

// shown is an answer in the formats of a reply.
type shown struct {
	Label, Mark string
	Score       float32 // 0 of known answers to an expression
	InSet       bool    `json:"in_set"`
	Relation    string
}

// TestReplyForms asks the same questions in all forms and compares JSON and CSV with what the functions below Reply
// give, and text with the labels and marks.
func TestReplyForms(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	r := mustNew(t, m, g, Options{Slack: -1, NearMisses: -1})
	file := "person00\trel0\t?\n?\trel1\tperson01\nperson00\t?\tperson03\nperson00 > rel0 > rel1 or person01 < rel0\n"
	questions, err := ReadQuestions(g, "q.tsv", strings.NewReader(file))
	expect.NoError(t, err)
	var table bytes.Buffer
	want := map[string][]shown{}
	err = r.Replies(t.Context(), questions, func(i int, x *Reply) error {
		q := questions[i]
		list, err := askBelow(t, r, g, q)
		if err != nil {
			return err
		}
		if len(list) < 2 {
			t.Errorf("%s has %d answers: the test shows little", q, len(list))
		}
		want[q.String()] = list

		var object struct {
			Query              string
			Set, Missed, Facts []shown
		}
		var slacks struct{ Set []struct{ Slack float32 } }
		raw, err := json.Marshal(x)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &object); err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &slacks); err != nil {
			return err
		}
		for i := range object.Set {
			object.Set[i].InSet = slacks.Set[i].Slack >= 0
		}
		for i := range object.Facts {
			object.Facts[i].Label, object.Facts[i].Relation = object.Facts[i].Relation, ""
		}
		if got := slices.Concat(object.Set, object.Missed, object.Facts); object.Query != q.String() ||
			!slices.Equal(got, list) {
			t.Errorf("JSON of %s is %s, want %+v", q, raw, list)
		}
		var text strings.Builder
		if err := x.WriteText(&text, Text{Model: "the model", All: "all"}); err != nil {
			return err
		}
		for _, one := range list {
			line := fmt.Sprintf("score %+.3f", one.Score)
			if q.Expression != nil && one.Mark == Known.String() || x.Answer != nil {
				line = ""
			}
			if !strings.Contains(text.String(), one.Label) ||
				!strings.Contains(text.String(), one.Mark) || !strings.Contains(text.String(), line) {
				t.Errorf("the text of %s lacks %+v:\n%s", q, one, &text)
			}
		}
		return x.WriteCSVOf(&table, i == 0)
	})
	expect.NoError(t, err)
	got := readReplies(t, &table)
	for query, list := range want {
		if !slices.Equal(got[query], list) {
			t.Errorf("CSV of %s is %+v, want %+v", query, got[query], list)
		}
	}
}

// askBelow returns the answers to a question by the functions below Reply.
func askBelow(t *testing.T, r *Retriever, g *kg.Graph, q Question) (list []shown, err error) {
	t.Helper()
	switch {
	case q.Expression != nil:
		s, err := r.Evaluate(t.Context(), q.Expression)
		if err != nil {
			return nil, err
		}
		for _, e := range s.Members {
			score := float32(s.Scores[e])
			if s.Mark(e) == Known {
				score = 0 // certain, so it has none
			}
			list = append(list, shown{g.Label(e), s.Mark(e).String(), score, true, ""})
		}
	case q.Between():
		head, _ := g.FindEntity(q.Head)
		tail, _ := g.FindEntity(q.Tail)
		facts, err := r.Between(t.Context(), head, tail)
		if err != nil {
			return nil, err
		}
		for _, f := range facts {
			list = append(list, shown{f.Relation, f.Mark.String(), f.Score, f.InSet, ""})
		}
	default:
		one, err := ParseQuery(g, q.Head, q.Relation, q.Tail)
		if err != nil {
			return nil, err
		}
		a, err := r.Answer(t.Context(), one)
		if err != nil {
			return nil, err
		}
		for _, m := range slices.Concat(a.Set, a.Missed) {
			list = append(list, shown{m.Label, m.Mark.String(), m.Score, m.Slack >= 0, ""})
		}
	}
	return list, nil
}

// readReplies reads the answers to many questions from a CSV, by question.
func readReplies(t *testing.T, table *bytes.Buffer) map[string][]shown {
	t.Helper()
	rows, err := csv.NewReader(table).ReadAll() // which refuses lines of different lengths
	expect.NoError(t, err)
	if slices.Contains(rows[0], "slack") || slices.Contains(rows[0], "value") {
		t.Errorf("a file of many questions has the columns %q", rows[0])
	}
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	got := map[string][]shown{}
	for _, row := range rows[1:] {
		query := column(row, "query")
		var score float32
		if number := column(row, "score"); number != "" {
			if _, err := fmt.Sscan(number, &score); err != nil {
				t.Fatal(err)
			}
		} else if !strings.Contains(query, ">") || column(row, "mark") != Known.String() {
			t.Errorf("%s: %s has no score", query, column(row, "label"))
		}
		got[query] = append(got[query], shown{column(row, "label"), column(row, "mark"), score,
			column(row, "in_set") == "true", ""})
	}
	return got
}

func TestRepliesInOrder(t *testing.T) {
	t.Parallel()
	g, _ := people(t)
	m := smallModel(t, g, sphere.Settings{Dimension: 2, Gamma: 2})
	r := mustNew(t, m, g, Options{Threads: 3})
	var all []Question
	for len(all) <= repliesBlock {
		for _, q := range queries(g) {
			x := Question{Head: Unknown, Relation: g.Relations.Name(q.Relation), Tail: g.Entities.Name(q.Known)}
			if q.Side == kg.TailSide {
				x.Head, x.Tail = x.Tail, Unknown
			}
			all = append(all, x)
		}
	}
	next := 0
	err := r.Replies(t.Context(), all, func(i int, x *Reply) error {
		one, err := r.Reply(t.Context(), all[i])
		if err != nil || i != next || !equalMembers(x.Answer.Set, one.Answer.Set) || x.Question != all[i] {
			t.Fatalf("reply %d, want %d: %v", i, next, err)
		}
		next++
		return nil
	})
	if err != nil || next != len(all) {
		t.Errorf("%d of %d replies: %v", next, len(all), err)
	}
	ended, stop := context.WithCancel(t.Context())
	count := 0
	err = r.Replies(ended, all, func(int, *Reply) error { count++; stop(); return nil })
	if err != context.Canceled || count == 0 || count == len(all) {
		t.Errorf("%d replies after the end: %v", count, err)
	}
	if err := r.Replies(t.Context(), all,
		func(int, *Reply) error { return context.DeadlineExceeded }); err != context.DeadlineExceeded {
		t.Errorf("error %v", err)
	}
	bad := append(slices.Clone(all), Question{Head: "person00", Relation: "rel9", Tail: Unknown})
	if err := r.Replies(t.Context(), bad, func(int, *Reply) error { t.Error("answered"); return nil }); err == nil {
		t.Error("an unknown relation is accepted")
	}
}

// TestTextFitsIntoWidth: long labels stand on a line of their own, so that marks and slacks stay in columns.
func TestTextFitsIntoWidth(t *testing.T) {
	t.Parallel()
	long := "the Most Honourable " + strings.Repeat("long ", 8) + "name"
	g, err := kg.New("g", [][3]string{{"a", "knows", "b"}, {"a", "knows", long}}, nil, nil)
	expect.NoError(t, err)
	m := &scripted{fake{entities: 3, relations: 1, points: true}, []float32{0.5, 1, 1.5}}
	r := mustNew(t, m, g, Options{NearMisses: -1})
	q, err := ParseQuestion("a", "knows", "?")
	expect.NoError(t, err)
	x, err := r.Reply(t.Context(), q)
	expect.NoError(t, err)
	var b strings.Builder
	expect.NoError(t, x.WriteText(&b, Text{Model: "m", Width: 80}))
	want := `
new answers
  a                                              inferred, itself  slack +1.500

known answers
  b                                              known (train)     slack +1.000
  ` + long + `
                                                 known (train)     slack +0.500
`
	if !strings.Contains(b.String(), want) {
		t.Errorf("the text is\n%s\nwant\n%s", &b, want)
	}
}
