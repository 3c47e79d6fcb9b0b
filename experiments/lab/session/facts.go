package session

import (
	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
)

// Facts ranks the facts of a file that the run's graph does not hold, for example ones that were kept back before
// everything. The ranks are filtered and among all entities, on each side and over both: facts, MRR with its 95 %
// interval, Hits@1, @3 and @10. The file is read as that of the run was. With another run, both rank the same facts,
// and the difference of the MRR has a paired interval. Refits can be measured, too.
//
//	lab.Run("last").Facts("kept-back.csv")
//	lab.Run("last").Facts("kept-back.csv", lab.Run("neighbours"))
func (r *Run) Facts(path string, against ...*Run) *Rows {
	if len(against) > 1 {
		panic(fail(Failed, "Facts compares with one run, not with %d", len(against)))
	}
	ctx := r.context()
	run, o := r.loadTrained(ctx), answer.HiddenOptions{Threads: r.session.o.Threads}
	if len(against) > 0 {
		o.Against = against[0].loadTrained(ctx)
	}
	file, err := answer.ReadHidden(path, run.Config.File.Reading())
	check(err)
	report, err := run.EvaluateHidden(ctx, file, o, nil)
	check(err)
	grid := results.HiddenGrid(run, o.Against, report, "text")
	rows := &Rows{title: grid.Title,
		columns: []string{"side", "facts", "mrr", "low", "high", "hits_1", "hits_3", "hits_10"}}
	if o.Against != nil {
		rows.columns = append(rows.columns, "other", "difference", "difference_low", "difference_high")
	}
	for _, s := range report.Scores {
		row := []interface{}{s.Side, int64(s.Triples), s.MRR, nil, nil, s.Hits1, s.Hits3, s.Hits10}
		if s.Interval != nil {
			row[3], row[4] = s.Interval.Low, s.Interval.High
		}
		if d := s.Against; d != nil {
			row = append(row, d.B, d.Difference, nil, nil)
			if s.Interval != nil {
				row[len(row)-2], row[len(row)-1] = d.Interval.Low, d.Interval.High
			}
		}
		rows.values = append(rows.values, row)
	}
	for _, note := range grid.Notes {
		rows.addNote(note.Text)
	}
	return rows
}
