package session

import (
	"fmt"
	"os"
	"strings"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Answers are the answers to several questions, in their order. As the last line of a cell they are shown with a line
// for each question. Rows returns every answer, Set the answer to one question as a set.
type Answers struct {
	run     *Run
	by      *retrieve.Retriever
	trained *answer.Run
	replies []*retrieve.Reply
}

// AskAll answers several questions. A question is a head, a relation and a tail, one of them "?", or an expression
// alone:
//
//	run.AskAll([][]string{{"Max Born", "advised", "?"}, {"Max Born", "?", "Pascual Jordan"},
//		{"Max Born > advised > advised"}})
//
// All are checked before the first is answered.
func (r *Run) AskAll(questions [][]string) *Answers {
	ctx := r.context()
	run := r.loadTrained(ctx)
	var list []retrieve.Question
	for i, fields := range questions {
		q, err := retrieve.ParseQuestion(fields...)
		if err != nil {
			panic(&Error{Name: BadQuestion, Message: fmt.Sprintf("question %d: %v", i+1, err), Err: err})
		}
		if err := q.Check(run.Graph); err != nil {
			check(questionError(run.Graph, fmt.Errorf("question %d: %w", i+1, err)))
		}
		list = append(list, q)
	}
	return r.answers(run, list)
}

// AskFile answers the questions of a file, one a line: a head, a relation and a tail, one of them ?, or an expression
// alone. Tabs separate the fields, in a .csv file commas. The format is that of `query --file`. All lines are checked
// before the first question is answered.
//
//	run.AskFile("questions.tsv")
func (r *Run) AskFile(path string) *Answers {
	run := r.loadTrained(r.context())
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	list, err := retrieve.ReadQuestions(run.Graph, path, file)
	if err = questionError(run.Graph, err); err != nil {
		wrong := asError(err)
		if wrong.Name == Failed {
			wrong.Name = BadQuestion
		}
		panic(wrong)
	}
	return r.answers(run, list)
}

func (r *Run) answers(run *answer.Run, questions []retrieve.Question) *Answers {
	r.acrossQueries("AskAll")
	ctx := r.context()
	a := &Answers{run: r, by: r.retriever(ctx, run), trained: run}
	check(a.by.Replies(ctx, questions, func(_ int, x *retrieve.Reply) error {
		if x.Answer != nil {
			x.Answer.Slacks, x.Answer.Depths = nil, nil
			x.Answer.Near, x.Answer.Missed = nil, nil // as many as the graph has entities
		}
		a.replies = append(a.replies, x)
		return nil
	}))
	return a
}

// acrossQueries refuses run.Slack for lists of answers to several queries.
func (r *Run) acrossQueries(call string) {
	if r.cut.Slack != 0 {
		panic(fail(BadCut, "run.Slack(%g) cannot be used with %s: slack can be compared within one query only, and each query has "+
			"its own threshold; run.Precision(0.8) asks all queries for surer answers, run.Recall(0.5) for more", r.cut.Slack,
			call))
	}
}

// Len returns the number of questions.
func (a *Answers) Len() int { return len(a.replies) }

// reply returns the answer to a question.
func (a *Answers) reply(i int) *retrieve.Reply {
	if i < 0 || i >= len(a.replies) {
		panic(fail(Failed, "question %d does not exist: there are %d, counted from 0", i, len(a.replies)))
	}
	return a.replies[i]
}

// Question returns question i, counted from 0, as it was asked.
func (a *Answers) Question(i int) string { return a.reply(i).Question.String() }

// Set returns the answer to question i, counted from 0, as a set. The answer to HEAD ? TAIL is not a set of entities:
// Rows lists its relations.
func (a *Answers) Set(i int) *Set {
	q := a.reply(i).Question
	if q.Between() {
		panic(fail(BadQuestion, "%s is answered by relations, not by a set of entities; run.Between(%q, %q) and Rows() list them",
			q, q.Head, q.Tail))
	}
	ctx := a.run.context()
	var set *retrieve.ScoredSet
	if q.Expression != nil {
		var err error
		set, err = a.by.Evaluate(ctx, q.Expression)
		check(err)
		return &Set{a.run, a.trained, a.by, set}
	}
	query, err := retrieve.ParseQuery(a.trained.Graph, q.Head, q.Relation, q.Tail)
	check(err)
	set, err = a.by.ScoredSet(ctx, query)
	check(err)
	return &Set{a.run, a.trained, a.by, set}
}

// answered is one answer to a question: an entity, or a relation of HEAD ? TAIL.
type answered struct {
	label, words       string
	inSet              bool
	score, probability interface{} // nil where there is none
}

// list returns the answers of a reply and the counts of those in the set.
func (a *Answers) list(x *retrieve.Reply) (list []answered, counts retrieve.Counts) {
	switch {
	case x.Answer != nil:
		for _, m := range x.Answer.Set {
			list = append(list, answered{m.Label, m.Words(), m.Slack >= 0, float64(m.Score), number(m.Probability)})
		}
		return list, x.Answer.Counts
	case x.Combination != nil:
		for _, m := range x.Combination.Set {
			list = append(list, answered{m.Label, retrieve.Member{Mark: m.Mark, Itself: m.Itself}.Words(), true,
				number(m.Score), number(m.Probability)})
		}
		return list, x.Combination.Counts
	}
	for _, f := range x.Relations.Facts {
		words := retrieve.Member{Mark: f.Mark, Splits: f.Splits}.Words()
		list = append(list, answered{f.Relation, words, f.InSet, float64(f.Score), number(f.Probability)})
		if f.InSet {
			counts.Add(f.Mark)
		}
	}
	return list, counts
}

// number returns what p points to, nil if p is nil.
func number(p *float64) interface{} {
	if p == nil {
		return nil
	}
	return *p
}

// Rows returns every answer as a table: query, answer, in_set, mark, score, probability. There is no slack, since it
// cannot be compared across queries. The answers to HEAD ? TAIL are relations, best first, including those outside the
// set.
func (a *Answers) Rows() *Rows {
	rows := &Rows{columns: []string{"query", "answer", "in_set", "mark", "score", "probability"},
		title: fmt.Sprintf("answers to %s, cut %s", quantity.CommaCount(len(a.replies), "question"), a.by.CutText())}
	for _, x := range a.replies {
		list, _ := a.list(x)
		for _, one := range list {
			rows.values = append(rows.values, []interface{}{x.Question.String(), one.label, one.inSet, one.words,
				one.score, one.probability})
		}
	}
	return rows
}

// bestShown is the number of answers in the line of a question.
const bestShown = 3

// overview returns a table with a line for each question.
func (a *Answers) overview() *results.Grid {
	g := &results.Grid{Title: fmt.Sprintf("%s, cut %s", quantity.CommaCount(len(a.replies), "question"), a.by.CutText()),
		Columns: []results.Column{{Key: "question"}, {Key: "answers", Right: true}, {Key: "known", Right: true},
			{Key: "held out", Right: true}, {Key: "inferred", Right: true}, {Key: "best"}}}
	for i, x := range a.replies {
		if i == shownRows {
			g.AddNote("the first %d of %s", shownRows, quantity.CommaCount(len(a.replies), "question"))
			break
		}
		list, c := a.list(x)
		var best []string
		for _, one := range list[:min(bestShown, len(list))] {
			best = append(best, one.label)
		}
		g.Rows = append(g.Rows, []string{x.Question.String(), quantity.Commas(c.Total), quantity.Commas(c.Known),
			quantity.Commas(c.HeldOut), quantity.Commas(c.Inferred), strings.Join(best, ", ")})
	}
	g.AddNote("%s; Rows() has every answer, Set(0) the first set", a.trained.Title())
	return g
}

// HTML shows a line for each question in a notebook.
func (a *Answers) HTML() string { return gridHTML(a.overview()) }

// String returns a line for each question as text.
func (a *Answers) String() string { return gridText(a.overview()) }
