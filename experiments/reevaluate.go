package experiments

import (
	"context"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/kg"
)

// EvalOptions change how a run is evaluated again; the zero value repeats the run's own final evaluation.
type EvalOptions struct {
	Criterion    sphere.Criterion // "": the run's
	Valid        bool             // ask the validation triples instead of the test triples; known is then training alone
	TopL         []int            // with SetTopL
	SetTopL      bool
	Fit          bool // with fitted thresholds and top-mean, also if the run's config has no eval.fit
	Resamples    int  // with SetResamples
	SetResamples bool
	Threads      int
	KeepRecords  bool // keep the counts of every query in the report, for eval.Compare
}

// Evaluate evaluates the run's checkpoint again. Nothing is logged.
func (r *TrainedRun) Evaluate(ctx context.Context, o EvalOptions, p Progress) (*eval.Report, error) {
	if p == nil {
		p = Silent{}
	}
	s := r.Config.evalSettings(r.Model.HasRadii())
	if o.Criterion != "" {
		s.Primary = o.Criterion
	}
	if o.Valid {
		s.Split = kg.Valid
	}
	if o.SetTopL {
		s.TopL, s.SkipTopL = o.TopL, len(o.TopL) == 0
	}
	s.TopMean = s.TopMean || o.Fit
	if s.TopMean && !o.Valid { // on validation the thresholds would be judged by the triples that they were fitted on
		var err error
		if s.Thresholds, err = eval.Fit(ctx, r.Model, r.Graph, eval.FitSettings{Threads: o.Threads}); err != nil {
			return nil, err
		}
	}
	if o.SetResamples {
		s.Resamples = o.Resamples
	}
	s.Threads, s.KeepRecords = o.Threads, o.KeepRecords
	s.Progress = func(done, total int) {
		p.Event(Event{Event: Evaluating, Time: time.Now(), RunID: r.Info.ID, RunName: r.Info.Name, Done: done, Total: total, Message: s.Split.String()})
	}
	return eval.Run(ctx, r.Model, r.Graph, s)
}

// ReportTable is the table of a report that was not logged, laid out like that of logged runs.
func ReportTable(r *TrainedRun, report *eval.Report) *ResultGrid {
	info := r.Info
	info.Metrics = prefixed("test/", report.Metrics())
	info.Tags = map[string]string{tagCriterion: report.Primary, "entities": strconv.Itoa(r.Graph.Entities.Len()),
		"relations": strconv.Itoa(r.Graph.Relations.Len())}
	return newResultGrid(r.Graph.Name, report.Split, info)
}
