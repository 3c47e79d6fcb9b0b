package session

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// someQuestion is a form of question: a line of a file, and what a cell says for it.
type someQuestion struct {
	fields []string
	cell   func(r *Run) *Set // nil: relations
}

// someQuestions has every form of question.
var someQuestions = []someQuestion{
	{[]string{"Max Born", "advised", "?"}, func(r *Run) *Set { return r.Ask("Max Born", "advised", "?") }},
	{[]string{"?", "worked_at", "University of Göttingen"},
		func(r *Run) *Set { return r.Ask("?", "worked_at", "University of Göttingen") }},
	{[]string{"Max Born", "?", "Pascual Jordan"}, nil},
	{[]string{"Max Born > advised > advised minus Max Born > advised"}, func(r *Run) *Set {
		return r.Expression("Max Born > advised > advised minus Max Born > advised")
	}},
	{[]string{"Max Born > advised > advised"}, func(r *Run) *Set {
		return r.Ask("Max Born", "advised", "?").Then("advised")
	}},
	{[]string{`(Max Born > advised or "Niels Bohr" > advised) < advised`}, func(r *Run) *Set {
		return r.Ask("Max Born", "advised", "?").Or(r.Ask("Niels Bohr", "advised", "?")).Before("advised")
	}},
}

// asked is an answer with its mark and number, as a text that all formats give alike: three decimals of a float32. The
// number is the score, or in the answer to an expression the probability or the score, which known answers lack.
func asked(label, mark string, number float64) string {
	return fmt.Sprintf("%s: %s %+.3f", label, mark, float32(number))
}

// first is the first of the numbers that is not NaN, 0 without one.
func first(numbers ...float64) float64 {
	for _, x := range numbers {
		if x == x {
			return x
		}
	}
	return 0
}

var textLine = regexp.MustCompile(
	`(?m)^  (.*?\S) +(known|held out|inferred|not in the graph)( \([^)]*\))?(?:, itself)?(?: +(?:slack|score|probability) (\S+).*)?$`)

// TestQuestionsInEveryFormat asks every form of question by every way there is: the members, marks and scores are the
// same in text, JSON, CSV and cells, with one question and with a file of them, by several cuts.
func TestQuestionsInEveryFormat(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 3, Gamma: 2}, 5)
	var file strings.Builder
	var slice [][]string
	for _, q := range someQuestions {
		file.WriteString(strings.Join(q.fields, "\t") + "\n")
		slice = append(slice, q.fields)
	}
	path := filepath.Join(t.TempDir(), "questions.tsv")
	expect.NoError(t, os.WriteFile(path, []byte(file.String()), 0o644))
	var total retrieve.Counts
	for _, c := range []answer.Cut{{Name: "margin"}, {Name: "top-10"}, {Name: "sphere"},
		{Name: "expected-novel"}} {
		by, err := run.Retriever(t.Context(), c, retrieve.Options{NearMisses: -1}, nil)
		expect.NoError(t, err)
		moved := r.Cut(c.Name)
		ofSlice, ofFile := moved.AskAll(slice), moved.AskFile(path)
		if ofSlice.Len() != len(slice) || ofFile.Rows().String() != ofSlice.Rows().String() ||
			ofFile.String() != ofSlice.String() || ofFile.HTML() != ofSlice.HTML() {
			t.Errorf("a file and a slice of the same questions differ:\n%s\n%s", ofFile, ofSlice)
		}
		rows := ofFile.Rows()
		for i, q := range someQuestions {
			question, err := retrieve.ParseQuestion(q.fields...)
			expect.NoError(t, err)
			if ofFile.Question(i) != question.String() {
				t.Errorf("question %d is %q, want %q", i, ofFile.Question(i), question)
			}
			reply, err := by.Reply(t.Context(), question)
			expect.NoError(t, err)
			want := askedInCells(t, moved, q, ofFile, i, reply, &total)
			same := func(form string, got []string) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Errorf("%s, %s: the %s has %d answers, want %d, or other ones\n%.20q\nwant\n%.20q", by.CutText(), question,
						form, len(got), len(want), got[:min(5, len(got))], want[:min(5, len(want))])
				}
			}
			var got []string
			for k := range rows.Len() {
				if rows.Strings("query")[k] == question.String() {
					mark := strings.TrimSuffix(inBrackets.ReplaceAllString(rows.Strings("mark")[k], ""), ", itself")
					got = append(got, asked(rows.Strings("answer")[k], mark, first(rows.Numbers("score")[k],
						rows.Numbers("probability")[k])))
				}
			}
			same("table of a file", got)

			same("JSON", replyJSON(t, reply))
			same("CSV of a file", replyCSV(t, reply, q.cell == nil))
			if reply.Answer != nil { // new answers first
				var known []string
				want = slices.DeleteFunc(want, func(one string) bool {
					is := strings.Contains(one, ": known ")
					if is {
						known = append(known, one)
					}
					return is
				})
				want = append(want, known...)
			}
			same("text", replyText(t, reply, q.cell == nil))
		}
	}
	if total.Known == 0 || total.HeldOut == 0 || total.Inferred == 0 {
		t.Errorf("members %+v: the test shows little", total)
	}
}

// askedInCells asks question i in cells, and returns the members as texts. It counts them in total.
func askedInCells(t *testing.T, moved *Run, q someQuestion, ofFile *Answers, i int, reply *retrieve.Reply,
	total *retrieve.Counts) (want []string) {
	t.Helper()
	score := map[string]float64{}
	if reply.Answer != nil {
		for _, m := range reply.Answer.Set {
			score[m.Label] = float64(m.Score)
		}
	}
	if q.cell == nil {
		facts := moved.Between(q.fields[0], q.fields[2])
		for k := range facts.Len() {
			mark := inBrackets.ReplaceAllString(facts.Strings("mark")[k], "")
			want = append(want, asked(facts.Strings("relation")[k], mark, facts.Numbers("score")[k]))
		}
	} else {
		set := q.cell(moved)
		for _, e := range set.set.Members {
			number := set.set.Scores[e]
			if len(q.fields) == 3 {
				number = score[set.trained.Graph.Label(e)]
			}
			if len(q.fields) == 1 && set.mark(e) == retrieve.Known {
				number = 0
			}
			want = append(want, asked(set.trained.Graph.Label(e), set.mark(e).String(), number))
			total.Add(set.mark(e))
		}
		if again := ofFile.Set(i); !sameSet(again, set) {
			t.Errorf("set %d is %q, want %q", i, again.Names(), set.Names())
		}
		if len(q.fields) == 1 {
			if x := moved.Expression(q.fields[0]); !sameSet(x, set) {
				t.Errorf("the expression gives %q, want %q", x.Names(), set.Names())
			}
		}
	}
	return want
}

func sameSet(a, b *Set) bool {
	return a.set.Query == b.set.Query && slices.Equal(a.set.Members, b.set.Members) &&
		slices.Equal(a.set.Scores, b.set.Scores) && slices.Equal(a.set.Marks, b.set.Marks)
}

func replyText(t *testing.T, x *retrieve.Reply, between bool) (list []string) {
	t.Helper()
	var b strings.Builder
	expect.NoError(t, x.WriteText(&b, retrieve.Text{}))
	text, _, _ := strings.Cut(b.String(), "\nheld-out facts further outside")
	for _, m := range textLine.FindAllStringSubmatch(text, -1) {
		label := m[1]
		if between {
			label = strings.TrimSuffix(strings.TrimPrefix(label, x.Relations.Head+" "), " "+x.Relations.Tail)
		}
		number, err := strconv.ParseFloat(cmp.Or(m[4], "0"), 64)
		expect.NoError(t, err)
		if x.Answer != nil { // the text of one query has slack instead
			at := slices.IndexFunc(x.Answer.Set, func(m retrieve.Member) bool { return m.Label == label })
			if want := fmt.Sprintf("%+.3f", x.Answer.Set[at].Slack); m[4] != want {
				t.Errorf("%s has the slack %s, want %s", label, m[4], want)
			}
			number = float64(x.Answer.Set[at].Score)
		}
		list = append(list, asked(label, m[2], number))
	}
	return list
}

func replyJSON(t *testing.T, x *retrieve.Reply) (list []string) {
	t.Helper()
	raw, err := json.Marshal(x)
	expect.NoError(t, err)
	type one struct {
		Label, Relation, Mark string
		Score                 float64
		Probability           float64
	}
	var object struct{ Set, Facts []one }
	expect.NoError(t, json.Unmarshal(raw, &object))
	for _, m := range object.Set {
		if x.Combination != nil {
			m.Score += m.Probability
		}
		list = append(list, asked(m.Label, m.Mark, m.Score))
	}
	for _, f := range object.Facts {
		list = append(list, asked(f.Relation, f.Mark, f.Score))
	}
	return list
}

func replyCSV(t *testing.T, x *retrieve.Reply, between bool) (list []string) {
	t.Helper()
	var b bytes.Buffer
	expect.NoError(t, x.WriteCSVOf(&b, true))
	rows, err := csv.NewReader(&b).ReadAll()
	expect.NoError(t, err)
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	for _, row := range rows[1:] {
		if at(row, "in_set") == "false" && at(row, "mark") != "known" && !between {
			continue // a fact outside
		}
		number, err := strconv.ParseFloat(cmp.Or(at(row, "score"), at(row, "probability"), "0"), 64)
		expect.NoError(t, err)
		list = append(list, asked(at(row, "label"), at(row, "mark"), number))
	}
	return list
}

// TestQuestionErrors: a wrong question names its place, and nothing is answered.
func TestQuestionErrors(t *testing.T) {
	t.Parallel()
	r, _ := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 3, Gamma: 2}, 5)
	path := filepath.Join(t.TempDir(), "questions.tsv")
	expect.NoError(t, os.WriteFile(path, []byte("Max Born\tadvised\t?\nMax Bron\tadvised\t?\n"), 0o644))
	two := r.AskAll([][]string{{"Max Born", "?", "Pascual Jordan"}, {"Max Born", "advised", "?"}})
	for _, c := range []struct {
		do          func()
		name, words string
	}{
		{func() { r.AskFile(path) }, UnknownEntity, path + ":2: "},
		{func() { r.AskFile(path) }, UnknownEntity, `nearest: "Max Born"`},
		{func() { r.AskFile(path + "x") }, Failed, "no such file"},
		{func() { r.AskAll([][]string{{"Max Born", "advised", "?"}, {"Max Born", "advise", "?"}}) }, UnknownRelation,
			"question 2: "},
		{func() { r.AskAll([][]string{{"Max Born", "advised"}}) }, BadQuestion, "question 1: "},
		{func() { r.AskAll([][]string{{"Max Born > advised >"}}) }, BadQuestion, "question 1: character 21: "},
		{func() { r.Expression("Max Born > advise") }, UnknownRelation, "character 12: "},
		{func() { r.Expression("Max Born") }, BadQuestion, "character 9: "},
		{func() { r.Ask("Max Born", "?", "Pascual Jordan") }, BadQuestion, `run.Between("Max Born", "Pascual Jordan")`},
		{func() { two.Set(0) }, BadQuestion, "run.Between("},
		{func() { two.Set(2) }, Failed, "there are 2"},
		{func() { r.Cut("top-10").Slack(.5) }, BadCut, "fixed size"},
		{func() { r.Slack(.5).Cut("top-10") }, BadCut, "fixed size"},
		{func() { r.Predict("advised", 5, "every") }, BadQuestion, `"all", "seen"`},
		{func() { r.Predict("advised", 5, "all", "seen") }, BadQuestion, "exclude"},
	} {
		if err := caught(t, c.do); err.Name != c.name || !strings.Contains(err.Message, c.words) {
			t.Errorf("error %s %q, want %s %q", err.Name, err.Message, c.name, c.words)
		}
	}
}

// TestPredictEnds: the note counts the test facts that are left out, and "all" leaves none out.
func TestPredictEnds(t *testing.T) {
	t.Parallel()
	r, run := drawnRun(t, "a", sphere.Settings{Model: sphere.SpherE2D, Variant: sphere.Clean, Dimension: 3, Gamma: 2}, 5)
	r = r.Cut("top-10")
	id, err := run.Graph.FindRelation("advised")
	expect.NoError(t, err)
	by := r.retriever(t.Context(), run)
	numbers := map[string]int{}
	for options, ends := range map[string]retrieve.Ends{"": retrieve.OneSeen, "seen": retrieve.BothSeen,
		"all": retrieve.AnyEnds} {
		rows := r.Predict("advised", 100000, strings.Fields(options)...)
		facts, err := by.Predict(t.Context(), retrieve.PredictOptions{Relation: id, Ends: ends})
		if err != nil || len(facts) != rows.Len() {
			t.Fatalf("%q: %d facts, want %d (%v)", options, rows.Len(), len(facts), err)
		}
		numbers[options] = rows.Len()
		untried, test := by.Untried(id, ends)
		note := fmt.Sprintf("(%d of the %d test facts of the relation)", untried, test)
		if strings.Contains(rows.String(), note) != (ends != retrieve.AnyEnds) {
			t.Errorf("%q lacks the note %q:\n%s", options, note, rows.String())
		}
	}
	if !(numbers["seen"] < numbers[""] && numbers[""] < numbers["all"]) {
		t.Errorf("%v facts: the test shows little", numbers)
	}
}
