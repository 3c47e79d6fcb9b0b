package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Ask answers a query with the trained model: the tails of head and relation, or with "?" in front the heads of
// relation and tail.
//
//	run.Ask("Max Born", "advised", "?")
//	run.Ask("?", "advised", "Max Born")
func (r *Run) Ask(head, relation, tail string) *Set {
	ctx := r.context()
	run := r.loadTrained(ctx)
	if relation == retrieve.Unknown && head != retrieve.Unknown && tail != retrieve.Unknown {
		panic(fail(BadQuestion, "run.Between(%q, %q) ranks the relations between two entities", head, tail))
	}
	if (head == retrieve.Unknown) == (tail == retrieve.Unknown) {
		panic(fail(BadQuestion, "a query needs exactly one \"?\", as head or as tail: run.Ask(%q, %q, \"?\"); got %q, %q, %q",
			"Max Born", "advised", head, relation, tail))
	}
	q, err := retrieve.ParseQuery(run.Graph, head, relation, tail)
	check(nameError(run.Graph, err))
	return r.newSet(ctx, run, q)
}

// Expression answers a combination of queries, written as on the command line: "HEAD > RELATION" are the tails of a
// head, "TAIL < RELATION" the heads of a tail, more hops may follow, and the words and, or, minus combine sets.
//
//	run.Expression("Max Born > advised > advised minus Max Born > advised")
//
// A name that has one of these words or signs is in double quotes. Paths are those of Then and Before. What "and",
// "or" and "minus" combine is one question: its members are chosen by the probability of the whole, where And, Or and
// Minus combine two sets as they are. Where there are no probabilities the sets are the same.
func (r *Run) Expression(text string) *Set {
	ctx := r.context()
	run := r.loadTrained(ctx)
	x, err := retrieve.ParseExpression(text)
	if err != nil {
		panic(&Error{Name: BadQuestion, Message: err.Error(), Err: err})
	}
	check(questionError(run.Graph, x.Check(run.Graph)))
	by := r.retriever(ctx, run)
	set, err := by.Evaluate(ctx, x)
	check(err)
	return &Set{r, run, by, set}
}

// questionError is nameError with the place in an expression or a file before it.
func questionError(g *kg.Graph, err error) error {
	wrong, ok := nameError(g, err).(*Error)
	if !ok || wrong == nil {
		return err
	}
	var missing *kg.NotFoundError
	if errors.As(err, &missing) {
		wrong.Message = strings.TrimSuffix(err.Error(), missing.Error()) + wrong.Message
	}
	return wrong
}

// nameError is the error for a name, without the prefix of package retrieve.
func nameError(g *kg.Graph, err error) error {
	var missing *kg.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	text := missing.Error()
	if missing.Kind == "relation" {
		text += "; run.Graph().Relations() lists all"
	} else if len(missing.Nearest) == 0 {
		text += "; run.Graph().Find(\"...\") looks for names"
	}
	return &Error{Name: nameOf(err), Message: text, Err: err}
}

// Explain returns how likely a fact is by the trained model, and why: the facts that support it, with what the
// probability would be without them; then the distance, the radii, the slack, and the nearest facts of the graph.
//
//	run.Explain("Max Born", "advised", "Pascual Jordan")
func (r *Run) Explain(head, relation, tail string) *Explanation {
	ctx := r.context()
	run := r.loadTrained(ctx)
	t, err := retrieve.ParseTriple(run.Graph, head, relation, tail)
	check(nameError(run.Graph, err))
	x, err := r.retriever(ctx, run).Explain(ctx, t)
	check(err)
	return &Explanation{x, strings.Join(slices.DeleteFunc([]string{run.UnfinishedNote(), run.CutNote(r.cut)},
		func(note string) bool { return note == "" }), "; ")}
}

// Explanation is how a model sees one fact.
type Explanation struct {
	*retrieve.Explanation
	cut string // why the cut is the default, "" if it was chosen
}

// Holds reports whether the fact is in the set of its tail query.
func (x *Explanation) Holds() bool { return x.AsTail.InSet }

// HTML shows the explanation in a notebook.
func (x *Explanation) HTML() string {
	var m markup
	m.open("div", cardBox+";max-width:60em")
	m.element("div", "font-weight:600", x.Head+" "+x.Relation+" "+x.Tail)
	m.element("div", "margin:.3em 0", x.Verdict)
	for _, note := range x.Notes {
		m.element("div", "margin:.3em 0", "note: "+note)
	}
	m.evidence(x.Evidence)
	var numbers []string
	for _, n := range x.Numbers() {
		numbers = append(numbers, n[0]+" "+n[1])
	}
	m.element("div", "margin-top:.6em;"+faint, strings.Join(numbers, " · "))
	m.position(fmt.Sprintf("%s %s ?", x.Head, x.Relation), x.AsTail)
	m.position(fmt.Sprintf("? %s %s", x.Relation, x.Tail), x.AsHead)
	if x.cut != "" {
		m.element("div", "margin-top:.6em;font-size:90%;"+faint, x.cut)
	}
	m.raw("</div>")
	return m.String()
}

// position shows where an entity stands among the answers to one query.
func (m *markup) position(query string, p retrieve.Position) {
	m.open("div", "margin-top:.6em")
	m.element("span", "font-weight:600", query+" ")
	if p.InSet {
		m.badge("in the set", green)
	} else {
		m.badge("outside the set", red)
	}
	m.raw("</div>")
	m.element("div", "", p.Numbers())
	g := &results.Grid{Columns: []results.Column{{Key: "nearest facts of the graph"}, {Key: "mark"},
		{Key: "slack", Right: true}}}
	for _, a := range p.Nearest {
		g.Rows = append(g.Rows, []string{a.Label, a.Words(), fmt.Sprintf("%+.3f", a.Slack)})
	}
	if len(g.Rows) > 0 {
		m.grid(g)
	}
}

// String returns the explanation as text.
func (x *Explanation) String() string {
	var b strings.Builder
	_ = x.WriteText(&b, retrieve.Text{}) // a strings.Builder takes everything
	return strings.TrimRight(b.String()+x.cut, "\n")
}

// Between ranks the relations from one entity to another, best first, with what the model says about each fact.
//
//	run.Between("Max Born", "Pascual Jordan")
func (r *Run) Between(head, tail string) *Rows {
	ctx := r.context()
	run := r.loadTrained(ctx)
	h, err := run.Graph.FindEntity(head)
	check(nameError(run.Graph, err))
	t, err := run.Graph.FindEntity(tail)
	check(nameError(run.Graph, err))
	by := r.retriever(ctx, run)
	facts, err := by.Between(ctx, h, t)
	check(err)
	rows := factRows(fmt.Sprintf("relations from %s to %s, cut %s", head, tail, by.CutText()), facts)
	rows.addNote(run.UnfinishedNote())
	rows.addNote(run.CutNote(r.cut))
	return rows
}

// Predict lists the best new facts of a relation, held out or inferred, at most top: by their probability, or on a
// graph with few validation facts by the score of the training. run.Slack is refused: slack cannot be compared across
// queries.
//
//	run.Predict("advised", 20)
//	run.Predict("advised", 20, "all", "tail")
//
// A pair is tried if training has the head as a head of the relation, or the tail as a tail of it. A note says how many
// test facts that leaves out. The options are "all", which tries every pair; "seen", which tries pairs of which
// training has both; and "head" or "tail", which asks the head or the tail queries only.
func (r *Run) Predict(relation string, top int, options ...string) *Rows {
	ctx := r.context()
	run := r.loadTrained(ctx)
	if top < 1 {
		panic(fail(Failed, "Predict(%q, %d): the number of facts must be at least 1", relation, top))
	}
	r.acrossQueries("Predict")
	o := retrieve.PredictOptions{Top: top}
	for _, option := range options {
		switch option {
		case "all":
			o.Ends = retrieve.AnyEnds
		case "seen":
			o.Ends = retrieve.BothSeen
		case "head":
			o.Sides = append(o.Sides, kg.HeadSide)
		case "tail":
			o.Sides = append(o.Sides, kg.TailSide)
		default:
			panic(fail(BadQuestion, "Predict(%q, %d, %q): the options are \"all\", \"seen\", \"head\" and \"tail\"", relation,
				top, option))
		}
	}
	if slices.Contains(options, "all") && slices.Contains(options, "seen") {
		panic(fail(BadQuestion, "Predict: \"all\" and \"seen\" exclude each other"))
	}
	id, err := run.Graph.FindRelation(relation)
	check(nameError(run.Graph, err))
	by := r.retriever(ctx, run)
	o.Relation = id
	facts, err := by.Predict(ctx, o)
	check(err)
	rows := factRows(fmt.Sprintf("new facts of %s, cut %s", relation, by.CutText()), facts)
	if o.Ends != retrieve.AnyEnds {
		note := "left out: pairs of which the relation has neither in training"
		if o.Ends == retrieve.BothSeen {
			note = "left out: pairs of which the relation has one or none in training"
		}
		if untried, test := by.Untried(id, o.Ends); test > 0 {
			note += fmt.Sprintf(" (%d of the %s of the relation)", untried, quantity.CommaCount(test, "test fact"))
		}
		rows.addNote(note + fmt.Sprintf("; run.Predict(%q, %d, \"all\") tries them", relation, top))
	}
	rows.addNote(run.UnfinishedNote())
	rows.addNote(run.CutNote(r.cut))
	return rows
}

// factRows returns a table of facts.
func factRows(title string, facts []retrieve.Fact) *Rows {
	rows := &Rows{columns: []string{"head", "relation", "tail", "mark", "score"}, title: title}
	shown := slices.ContainsFunc(facts, func(f retrieve.Fact) bool { return f.Probability != nil })
	if shown {
		rows.columns = append(rows.columns, "probability")
	}
	for _, f := range facts {
		mark := retrieve.Member{Mark: f.Mark, Splits: f.Splits}.Words()
		line := []interface{}{f.Head, f.Relation, f.Tail, mark, float64(f.Score)}
		switch {
		case f.Probability != nil:
			line = append(line, *f.Probability)
		case shown:
			line = append(line, nil)
		}
		rows.values = append(rows.values, line)
	}
	return rows
}
