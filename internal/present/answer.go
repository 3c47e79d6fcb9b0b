package present

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/internal/spelling"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// maxAnswers and maxNear are the max numbers of rows of an answer in the browser, maxNames that of suggested names.
const (
	maxAnswers = 200
	maxNear    = 10
	maxNames   = 30
)

func (r *Reader) CanAsk(info tracker.RunInfo) bool {
	saved := info.Status != string(tracker.Running) && answer.CanResume(info) // a running run changes its model
	return answer.ReadLogged(info).Config != nil && (answer.HasModel(info) || saved)
}

// Cuts returns the names of cuts that fit a run, without the example of a precision, which readers choose themselves.
func (r *Reader) Cuts(info tracker.RunInfo) []string {
	return slices.DeleteFunc(answer.CutNamesFor(answer.ReadLogged(info).Config), func(name string) bool {
		return strings.HasPrefix(name, "precision-")
	})
}

func (r *Reader) PrecisionCut(precision float64) string {
	cut, _ := eval.PromisedPrecision(precision) // the page has already checked it
	return cut.Name()
}

func (r *Reader) Ask(ctx context.Context, info tracker.RunInfo, q web.Question) (web.Answer, error) {
	run, reply, err := r.reply(ctx, info, q, retrieve.Options{Limit: maxAnswers, NearMisses: maxNear})
	if err != nil {
		return web.Answer{}, err
	}
	page := answerPage(reply, wordsOf(run.Graph))
	if note := run.UnfinishedNote(); note != "" {
		page.Notes = append(page.Notes, note)
	}
	if note := run.CutNote(answer.Cut{Name: q.Cut}); note != "" {
		page.Notes = append(page.Notes, note)
	}
	return page, nil
}

func (r *Reader) WriteCSV(ctx context.Context, info tracker.RunInfo, q web.Question, w io.Writer) error {
	_, reply, err := r.reply(ctx, info, q, retrieve.Options{NearMisses: maxNear})
	if err != nil {
		return err
	}
	return reply.WriteCSV(w)
}

// Draws reports whether a question can be drawn: (head, relation, ?) and (?, relation, tail) with models of the plane.
func (r *Reader) Draws(info tracker.RunInfo, q web.Question) bool {
	c := answer.ReadLogged(info).Config
	return c != nil && len(answer.ReadLogged(info).Stack) == 0 && c.Model == sphere.SpherE2D && c.Dimension == 1 &&
		q.Expression == "" && q.Relation != retrieve.Unknown
}

func (r *Reader) Draw(ctx context.Context, info tracker.RunInfo, q web.Question) (chart.Chart, error) {
	run, err := r.model(ctx, info)
	if err != nil {
		return chart.Chart{}, err
	}
	query, err := retrieve.ParseQuery(run.Graph, q.Head, q.Relation, q.Tail)
	if err != nil {
		return chart.Chart{}, err
	}
	return run.Circles(ctx, query, answer.Cut{Name: q.Cut})
}

// reply answers a question with the model of a run.
func (r *Reader) reply(ctx context.Context, info tracker.RunInfo, q web.Question, o retrieve.Options) (
	*answer.Run, *retrieve.Reply, error,
) {
	fields := []string{q.Head, q.Relation, q.Tail}
	if q.Expression != "" {
		fields = []string{q.Expression}
	}
	question, err := retrieve.ParseQuestion(fields...)
	if err != nil {
		return nil, nil, err
	}
	run, err := r.model(ctx, info)
	if err != nil {
		return nil, nil, err
	}
	if err := question.Check(run.Graph); err != nil {
		return nil, nil, err
	}
	p, end := r.o.Progress()
	retriever, err := run.Retriever(ctx, answer.Cut{Name: q.Cut}, o, p)
	end()
	if err != nil {
		return nil, nil, err
	}
	reply, err := retriever.Reply(ctx, question)
	return run, reply, err
}

func (r *Reader) Names(ctx context.Context, info tracker.RunInfo, relations bool, typed string) ([]string, error) {
	run, err := r.model(ctx, info)
	if err != nil {
		return nil, err
	}
	words := run.Graph.EntityWords()
	if relations {
		words = run.Graph.RelationWords()
	}
	return spelling.Completions(words, typed, maxNames), nil
}

// answerPage returns a reply of a run, laid out for a page.
func answerPage(x *retrieve.Reply, w graphWords) web.Answer {
	a := web.Answer{Title: x.Question.String()}
	switch {
	case x.Answer != nil:
		layAnswer(&a, x.Answer, w)
	case x.Combination != nil:
		layCombination(&a, x.Combination)
	default:
		layRelations(&a, x.Relations, w)
	}
	if x.Combination == nil && !slices.ContainsFunc(a.Tables, func(t web.Table) bool {
		return slices.Contains(t.Columns, probabilityColumn)
	}) {
		a.Notes = append(a.Notes, probabilityNote)
	}
	return a
}

// layAnswer lays out an answer: tables of new answers, known answers, near misses, and held-out facts outside the set.
func layAnswer(a *web.Answer, x *retrieve.Answer, w graphWords) {
	a.Cut = x.Cut
	a.Title = strings.Join([]string{x.Head, x.Relation, x.Tail}, " ")
	a.Counts = fmt.Sprintf("cut %s; %s; the graph has %d held-out answers", x.Cut, x.Words(), x.AllHeldOut)
	known := func(m retrieve.Member) bool { return m.Known }
	table := func(title string, list []retrieve.Member) web.Table {
		t := memberTable(title, list)
		t.Facts = w.facts(x.Query, list)
		return t
	}
	a.Tables = []web.Table{table("New answers", slices.DeleteFunc(slices.Clone(x.Set), known))}
	if x.Known > 0 {
		a.Tables = append(a.Tables, table("Known answers", slices.DeleteFunc(slices.Clone(x.Set),
			func(m retrieve.Member) bool { return !known(m) })))
	}
	a.Tables = append(a.Tables, table("Near misses", x.Near))
	if len(x.Missed) > 0 {
		a.Tables = append(a.Tables, table("Held-out facts outside the set", x.Missed))
	}
	if x.Note != "" {
		a.Notes = append(a.Notes, x.Note)
	}
	a.Notes = append(a.Notes, leftOut(x.Total, len(x.Set))...)
}

// layCombination lays out the set of an expression in one table.
func layCombination(a *web.Answer, x *retrieve.Combination) {
	a.Cut, a.Counts = x.Cut, countsText(x.Counts, x.Cut)
	t := web.Table{Title: "Answers", Columns: append(slices.Clip(memberColumns[:2]), probabilityColumn)}
	if slices.ContainsFunc(x.Set, func(m retrieve.CombinedMember) bool { return m.Score != nil }) {
		t.Columns[2] = scoreColumn
	}
	for _, m := range x.Set {
		number := probabilityText(m.Probability)
		if m.Score != nil {
			number = decimal(float32(*m.Score))
		}
		t.Rows = append(t.Rows, []string{m.Label, markText(m.Mark, m.Itself), number})
	}
	a.Tables = []web.Table{t}
	a.Notes = append(a.Notes, x.Notes...)
	a.Notes = append(a.Notes, leftOut(x.Total, len(x.Set))...)
}

// layRelations lays out the relations between two entities in one table.
func layRelations(a *web.Answer, x *retrieve.Relations, w graphWords) {
	t := web.Table{Title: "Relations", Columns: []web.Column{{Heading: "relation"}, {Heading: "mark"},
		{Heading: "in the set"}, {Heading: "score", Right: true}}}
	by := "score"
	calibrated := slices.ContainsFunc(x.Facts, func(f retrieve.Fact) bool { return f.Probability != nil })
	if calibrated {
		by, t.Columns = "probability", append(t.Columns, probabilityColumn)
	}
	for _, f := range x.Facts {
		in := "no"
		if f.InSet {
			in = "yes"
		}
		row := []string{f.Relation, f.Mark.String(), in, decimal(f.Score)}
		if calibrated {
			row = append(row, probabilityText(f.Probability))
		}
		t.Rows = append(t.Rows, row)
		t.Facts = append(t.Facts, w.fact(f.Triple))
	}
	a.Cut = x.Cut
	a.Counts = fmt.Sprintf("cut %s; %s by %s", x.Cut, quantity.Count(x.Total, "relation"), by)
	a.Tables = []web.Table{t}
	a.Notes = leftOut(x.Total, len(x.Facts))
}

// probabilityNote tells readers of answers without probabilities how to see them.
var probabilityNote = "Answers by the wanted precision have probabilities, and so have those by the cuts " +
	strings.Join(eval.ExpectedNames(), ", ") + "."

func countsText(c retrieve.Counts, cut string) string {
	return fmt.Sprintf("cut %s; %s: %d known, %d held out, %d inferred", cut, quantity.Count(c.Total, "answer"), c.Known,
		c.HeldOut, c.Inferred)
}

// memberColumns are the first columns of answers. scoreColumn follows for queries, and probabilityColumn if answers
// have probabilities.
var (
	memberColumns     = []web.Column{{Heading: "entity"}, {Heading: "mark"}, {Heading: "slack", Right: true}}
	scoreColumn       = web.Column{Heading: "score", Right: true}
	probabilityColumn = web.Column{Heading: "probability", Right: true}
)

func memberTable(title string, list []retrieve.Member) web.Table {
	t := web.Table{Title: title, Columns: append(slices.Clip(memberColumns), scoreColumn)}
	calibrated := slices.ContainsFunc(list, func(m retrieve.Member) bool { return m.Probability != nil })
	if calibrated {
		t.Columns = append(t.Columns, probabilityColumn)
	}
	for _, m := range list {
		row := []string{m.Label, markText(m.Mark, m.Itself), decimal(m.Slack), decimal(m.Score)}
		if calibrated {
			row = append(row, probabilityText(m.Probability))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// probabilityText returns a probability for a table, "" if there is none.
func probabilityText(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(*p, 'f', 3, 64)
}

func markText(m retrieve.Mark, itself bool) string {
	if itself {
		return m.String() + ", itself"
	}
	return m.String()
}

func decimal(x float32) string { return strconv.FormatFloat(float64(x), 'g', 4, 32) }

// leftOut returns a note on how many rows a page does not show.
func leftOut(total, shown int) []string {
	if total <= shown {
		return nil
	}
	return []string{fmt.Sprintf("%d more are left out.", total-shown)}
}
