package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/chart"
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/dataset"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
	sphere "github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
	"github.com/spherelab/spherelab/spherE/retrieve"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// mostAnswers and mostNear are how many rows an answer in the browser has, mostNames how many names it offers, and
// mostLoaded how many models the pages keep in memory.
const (
	mostAnswers = 200
	mostNear    = 10
	mostLoaded  = 2
	mostNames   = 30
)

func (r *runReader) CanAsk(info tracker.RunInfo) bool {
	saved := info.Status != string(tracker.Running) && experiments.CanResume(info) // a running run has another one soon
	return experiments.ReadLogged(info).Config != nil && (experiments.HasModel(info) || saved)
}

// Cuts are the names of cuts that fit a run but the example of a precision, which readers choose themselves.
func (r *runReader) Cuts(info tracker.RunInfo) []string {
	return slices.DeleteFunc(experiments.ReadLogged(info).Config.AnswerCutNames(), func(name string) bool {
		return strings.HasPrefix(name, "precision-")
	})
}

func (r *runReader) PrecisionCut(precision float64) string {
	cut, _ := eval.PromisedPrecision(precision) // the page has checked it
	return cut.Name()
}

// model loads a run's model and graph, or takes those that were used lately.
func (r *runReader) model(ctx context.Context, info tracker.RunInfo) (*experiments.TrainedRun, error) {
	leave, err := r.loading.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	at := slices.IndexFunc(r.loaded, func(run *experiments.TrainedRun) bool {
		return run.Info.ID == info.ID && run.Info.End.Equal(info.End) // a resumed run may have another model
	})
	if at >= 0 {
		run := r.loaded[at]
		r.loaded = slices.Insert(slices.Delete(r.loaded, at, at+1), 0, run)
		return run, nil
	}
	dirs, err := r.dataDirs()
	if err != nil {
		return nil, err
	}
	run, err := experiments.OpenRun(ctx, r.tracker, info.ID, dirs)
	if err != nil {
		return nil, r.graphTrouble(info, err)
	}
	r.loaded = slices.Insert(r.loaded[:min(len(r.loaded), mostLoaded-1)], 0, run)
	return run, nil
}

// graphTrouble says what to do where a run's graph cannot be read. Which line of which file is wrong goes to the log: a
// client of the server may have named the file.
func (r *runReader) graphTrouble(info tracker.RunInfo, err error) error {
	_, damaged := errors.AsType[*kg.FileError](err)
	if _, missing := errors.AsType[*dataset.NotFoundError](err); !damaged && !missing {
		return err
	}
	fmt.Fprintln(r.stderr, visible.Line(fmt.Sprintf("run %s: %v", tracker.ShortID(info.ID), err)))
	logged := experiments.ReadLogged(info)
	name, place := logged.Graph, cmp.Or(logged.Source, logged.Config.Data)
	hints := []hint.Hint{{Action: hint.NameDataFolder}}
	if _, err := dataset.Lookup(name); err == nil {
		hints = slices.Insert(hints, 0, hint.Hint{Action: hint.FetchGraph, Subject: name})
	}
	return hint.With(fmt.Errorf("its graph %s cannot be read: put it back at %s, as it was when the run was trained; "+
		"the server's log says what is wrong with it", name, place), hints...)
}

func (r *runReader) Ask(ctx context.Context, info tracker.RunInfo, q web.Question) (web.Answer, error) {
	run, reply, err := r.reply(ctx, info, q, retrieve.Options{Limit: mostAnswers, NearMisses: mostNear})
	if err != nil {
		return web.Answer{}, err
	}
	answer := answerPage(reply)
	if note := run.UnfinishedNote(); note != "" {
		answer.Notes = append(answer.Notes, note)
	}
	if note := run.CutNote(experiments.AnswerCut{Name: q.Cut}); note != "" {
		answer.Notes = append(answer.Notes, note)
	}
	return answer, nil
}

func (r *runReader) WriteCSV(ctx context.Context, info tracker.RunInfo, q web.Question, w io.Writer) error {
	_, reply, err := r.reply(ctx, info, q, retrieve.Options{NearMisses: mostNear})
	if err != nil {
		return err
	}
	return reply.WriteCSV(w)
}

// Draws is true of (head, relation, ?) and (?, relation, tail) for models of the plane.
func (r *runReader) Draws(info tracker.RunInfo, q web.Question) bool {
	c := experiments.ReadLogged(info).Config
	return c != nil && len(experiments.ReadLogged(info).Stack) == 0 && c.Model == sphere.SpherE2D && c.Dimension == 1 &&
		q.Expression == "" && q.Relation != retrieve.Unknown
}

func (r *runReader) Draw(ctx context.Context, info tracker.RunInfo, q web.Question) (chart.Chart, error) {
	run, err := r.model(ctx, info)
	if err != nil {
		return chart.Chart{}, err
	}
	query, err := retrieve.ParseQuery(run.Graph, q.Head, q.Relation, q.Tail)
	if err != nil {
		return chart.Chart{}, err
	}
	return run.Circles(ctx, query, experiments.AnswerCut{Name: q.Cut})
}

// reply answers a question with the model of a run.
func (r *runReader) reply(ctx context.Context, info tracker.RunInfo, q web.Question, o retrieve.Options) (
	*experiments.TrainedRun, *retrieve.Reply, error,
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
	retriever, err := r.retriever(ctx, run, experiments.AnswerCut{Name: q.Cut}, o)
	if err != nil {
		return nil, nil, err
	}
	reply, err := retriever.Reply(ctx, question)
	return run, reply, err
}

func (r *runReader) Names(ctx context.Context, info tracker.RunInfo, relations bool, typed string) ([]string, error) {
	run, err := r.model(ctx, info)
	if err != nil {
		return nil, err
	}
	words := run.Graph.EntityWords()
	if relations {
		words = run.Graph.RelationWords()
	}
	found := proposals(words, typed)
	return found[:min(len(found), mostNames)], nil
}

// answerPage lays a reply of a run out for a page.
func answerPage(x *retrieve.Reply) web.Answer {
	a := web.Answer{Title: x.Question.String()}
	switch {
	case x.Answer != nil:
		a.Cut = x.Answer.Cut
		a.Title = strings.Join([]string{x.Answer.Head, x.Answer.Relation, x.Answer.Tail}, " ")
		a.Counts = fmt.Sprintf("cut %s; %s; the graph has %d held-out answers", x.Answer.Cut, x.Answer.Words(),
			x.Answer.AllHeldOut)
		known := func(m retrieve.Member) bool { return m.Known }
		novel := slices.DeleteFunc(slices.Clone(x.Answer.Set), known)
		a.Tables = []web.Table{memberTable("New answers", novel)}
		if x.Answer.Known > 0 {
			a.Tables = append(a.Tables, memberTable("Known answers", slices.DeleteFunc(slices.Clone(x.Answer.Set),
				func(m retrieve.Member) bool { return !known(m) })))
		}
		a.Tables = append(a.Tables, memberTable("Near misses", x.Answer.Near))
		if len(x.Answer.Missed) > 0 {
			a.Tables = append(a.Tables, memberTable("Held-out facts outside the set", x.Answer.Missed))
		}
		if x.Answer.Note != "" {
			a.Notes = append(a.Notes, x.Answer.Note)
		}
		a.Notes = append(a.Notes, leftOut(x.Answer.Total, len(x.Answer.Set))...)
	case x.Combination != nil:
		a.Cut, a.Counts = x.Combination.Cut, countsText(x.Combination.Counts, x.Combination.Cut)
		t := web.Table{Title: "Answers", Columns: append(slices.Clip(memberColumns[:2]), probabilityColumn)}
		scored := slices.ContainsFunc(x.Combination.Set, func(m retrieve.CombinedMember) bool { return m.Score != nil })
		if scored {
			t.Columns[2] = scoreColumn
		}
		for _, m := range x.Combination.Set {
			number := probabilityText(m.Probability)
			if m.Score != nil {
				number = decimal(float32(*m.Score))
			}
			t.Rows = append(t.Rows, []string{m.Label, markText(m.Mark, m.Itself), number})
		}
		a.Tables = []web.Table{t}
		a.Notes = append(a.Notes, x.Combination.Notes...)
		a.Notes = append(a.Notes, leftOut(x.Combination.Total, len(x.Combination.Set))...)
	default:
		t := web.Table{Title: "Relations", Columns: []web.Column{{Heading: "relation"}, {Heading: "mark"},
			{Heading: "in the set"}, {Heading: "score", Right: true}}}
		calibrated := slices.ContainsFunc(x.Relations.Facts, func(f retrieve.Fact) bool { return f.Probability != nil })
		if calibrated {
			t.Columns = append(t.Columns, probabilityColumn)
		}
		for _, f := range x.Relations.Facts {
			in := "no"
			if f.InSet {
				in = "yes"
			}
			row := []string{f.Relation, f.Mark.String(), in, decimal(f.Score)}
			if calibrated {
				row = append(row, probabilityText(f.Probability))
			}
			t.Rows = append(t.Rows, row)
		}
		a.Cut = x.Relations.Cut
		by := "score"
		if calibrated {
			by = "probability"
		}
		a.Counts = fmt.Sprintf("cut %s; %s by %s", x.Relations.Cut, countText(x.Relations.Total, "relation"), by)
		a.Tables = []web.Table{t}
		a.Notes = leftOut(x.Relations.Total, len(x.Relations.Facts))
	}
	if x.Combination == nil && !slices.ContainsFunc(a.Tables, func(t web.Table) bool {
		return slices.Contains(t.Columns, probabilityColumn)
	}) {
		a.Notes = append(a.Notes, probabilityNote)
	}
	return a
}

// probabilityNote says how to see probabilities, for answers without them.
var probabilityNote = "Answers by the wanted precision have probabilities, and so have those by the cuts " +
	strings.Join(eval.ExpectedNames(), ", ") + "."

func countsText(c retrieve.Counts, cut string) string {
	return fmt.Sprintf("cut %s; %s: %d known, %d held out, %d inferred", cut, countText(c.Total, "answer"), c.Known,
		c.HeldOut, c.Inferred)
}

// memberColumns head answers; scoreColumn follows for queries, and probabilityColumn where answers have probabilities.
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

// probabilityText is a probability in a table, "" where there is none.
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

// leftOut says how many rows a page does not show.
func leftOut(total, shown int) []string {
	if total <= shown {
		return nil
	}
	return []string{fmt.Sprintf("%d more are left out.", total-shown)}
}
