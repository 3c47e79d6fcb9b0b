package present

import (
	"maps"
	"slices"
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/web"
)

// columns are the columns of a file.
func columns(names ...string) []web.Column {
	list := make([]web.Column, len(names))
	for i, name := range names {
		list[i].Heading = name
	}
	return list
}

// numberRows returns numbers with their 95 % intervals as rows of a file, after a first cell unless that is "".
func numberRows(first string, n results.Numbers, fits func(results.Metric) bool) (rows [][]string) {
	for _, m := range slices.Sorted(maps.Keys(n)) {
		if !fits(m) {
			continue
		}
		x, row := n[m], []string{m.String(), quantity.Exact(n[m].Value), "", ""}
		if x.Interval != nil {
			row[2], row[3] = quantity.Exact(x.Interval.Low), quantity.Exact(x.Interval.High)
		}
		if first != "" {
			row = slices.Insert(row, 0, first)
		}
		rows = append(rows, row)
	}
	return rows
}

func isRank(m results.Metric) bool { return m >= results.MRR && m <= results.Hits10 }

// cutFile returns the results of a run by cut, a number per row.
func cutFile(run results.Run) *web.Table {
	t := web.Table{Columns: columns("cut", "metric", "value", "low", "high")}
	for _, c := range run.Cuts {
		t.Rows = append(t.Rows, numberRows(c.Name(), c.Numbers, func(m results.Metric) bool { return !isRank(m) })...)
	}
	return &t
}

func rankFile(run results.Run) *web.Table {
	return &web.Table{Columns: columns("metric", "value", "low", "high"), Rows: numberRows("", run.Primary, isRank)}
}

// thresholdFile returns the fitted thresholds of a run, one per row.
func thresholdFile(info tracker.RunInfo) *web.Table {
	t := web.Table{Columns: columns("cut", "relation", "side", "threshold")}
	list, relations := answer.StoredThresholds(info)
	for _, cut := range list {
		for i, relation := range relations {
			for side, limits := range map[string][]float32{"head": cut.Head, "tail": cut.Tail} {
				limit := strconv.FormatFloat(float64(limits[i]), 'g', -1, 32)
				t.Rows = append(t.Rows, []string{cut.Name, relation, side, limit})
			}
		}
	}
	slices.SortStableFunc(t.Rows, slices.Compare)
	return &t
}
