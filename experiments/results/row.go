package results

import (
	"fmt"
	"maps"
	"math"

	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
)

// lookupModel is the name of the row that needs no model: it returns the answers that are known at test time.
const lookupModel = "lookup"

// lookupCut is the cut of the lookup row.
const lookupCut = "known"

// protocolClean is the evaluation protocol of this project: the ground truth is from all splits, and nothing leaks. The
// released code of HousE and of SpherE in more than three dimensions has another one, see eval.Released.
const protocolClean = eval.ProtocolClean

// Row is one model under one cut.
type Row struct {
	Model    string // "SpherE-2D", "RotatE", "lookup"
	Cut      eval.Cut
	Variant  string // "" for lookup
	Protocol string
	Primary  bool // the cut is the criterion of the run
	// RunIDs are the runs whose evaluation logged the numbers, one per seed. Lookup needs no model, but runs log it. A
	// row without runs is missing: it has only the paper's numbers.
	RunIDs  []string
	Numbers             // with the ranks of the run, which do not depend on the cut
	Paper   *PaperCells // what the paper prints for this row, nil if nothing
	// Unlike is how the runs differ from the embedded config that trains the row, such as "train.epochs 2"; "" if they
	// do not, or if there is no such config.
	Unlike string
	cost   Cost // of all its runs together; lookup has none of its own
}

// CutName returns the name of the row's cut in tables.
func (r Row) CutName() string {
	if r.Cut.Kind() == eval.KindLookup {
		return lookupCut
	}
	return r.Cut.Name()
}

// cutText returns the name of the row's cut for people, with the protocol if it is not this project's.
func (r Row) cutText() string {
	if r.Protocol == protocolClean {
		return r.CutName()
	}
	return fmt.Sprintf("%s (protocol %s)", r.CutName(), r.Protocol)
}

// isClean reports whether the row's cut is under the protocol of this project.
func (r Row) isClean(cut string) bool { return r.Protocol == protocolClean && r.Cut.Name() == cut }

// Missing reports whether no run has logged the row.
func (r Row) Missing() bool { return len(r.RunIDs) == 0 }

// MarshalJSON writes the row as one flat object; a metric that was not logged is null.
func (r Row) MarshalJSON() ([]byte, error) {
	var object jsonvalue.Object
	add := func(key string, value any) { object = append(object, jsonvalue.Member{Key: key, Value: value}) }
	add("model", r.Model)
	add("cut", r.CutName())
	add("variant", r.Variant)
	add("protocol", r.Protocol)
	add("primary", r.Primary)
	for _, c := range r.columns() {
		add(c.key, optional(c.value))
	}
	runs := r.RunIDs
	if runs == nil {
		runs = []string{}
	}
	add("run_ids", runs)
	add("unlike_config", r.Unlike)
	for _, c := range r.cost.columns() {
		add(c.key, optional(c.value))
	}
	if r.Paper != nil {
		add("paper", r.paperJSON())
	}
	for _, c := range append(r.rankColumns(), r.cost.cpuColumns()...) {
		add(c.key, optional(c.value))
	}
	return object.MarshalJSON()
}

// optional returns a number for JSON, null for nil.
func optional(x *float64) any {
	if x == nil {
		return nil
	}
	return jsonvalue.Number(*x)
}

// column is a number with its key in CSV and JSON. The number is nil if it is unknown.
type column struct {
	key   string
	value *float64
}

// columns returns all numbers of the row, in the order of CSV and JSON.
func (r Row) columns() []column {
	var list []column
	for _, m := range cutMetrics() {
		var value, low, high *float64
		n, logged := r.Numbers[m]
		if logged {
			value = &n.Value
		}
		if n.Interval != nil {
			low, high = &n.Interval.Low, &n.Interval.High
		}
		list = append(list, column{m.String(), value})
		if m.hasInterval() {
			name := m.String()
			list = append(list, column{name + "_lo", low}, column{name + "_hi", high}, column{name + "_sd", n.Spread})
		}
	}
	return list
}

// rankMetrics are the numbers of the filtered ranks of both sides.
var rankMetrics = []Metric{MRR, MeanRank, Hits1, Hits3, Hits10}

// rankColumns returns the numbers of the ranks, the last columns of CSV and JSON.
func (r Row) rankColumns() []column {
	var list []column
	for _, m := range rankMetrics {
		var value *float64
		if n, logged := r.Numbers[m]; logged {
			value = &n.Value
		}
		list = append(list, column{m.String(), value})
	}
	return list
}

// paperJSON has the paper's numbers, and ours minus the paper's, in an object of their own.
func (r Row) paperJSON() map[string]any {
	differences := map[string]any{}
	object := map[string]any{"table": r.Paper.Table, "row": r.Paper.Printed, "met_under": r.Paper.MetUnder,
		"difference": differences}
	for m, value := range r.Paper.Values {
		object[m.String()], differences[m.String()] = value, optional(r.lessPaper(m))
	}
	return object
}

// lessPaper returns our number minus the paper's, nil if one of them is missing.
func (r Row) lessPaper(m Metric) *float64 {
	if r.Paper == nil {
		return nil
	}
	paper, printed := r.Paper.Values[m]
	ours, logged := r.Numbers[m]
	if !printed || !logged {
		return nil
	}
	d := ours.Value - paper
	return &d
}

// adapts reports whether a cut is fitted to data, instead of having a margin or a fixed size.
func adapts(c eval.Cut) bool { return c.Kind() == eval.KindFitted || c.Kind() == eval.KindTopMean }

// runRows returns the rows of one run, its criterion first. The intersection of spheres retrieves almost nothing, so it
// comes after the other criteria. The lookup row is not included, since it is the same for every run on a graph.
func runRows(run Run) (rows []Row, lookup *Row) {
	for i, c := range run.Cuts {
		protocol, cut := eval.ProtocolOf(c.Cut)
		row := Row{Model: run.Title(), Cut: cut, Variant: run.Variant, Protocol: protocol,
			Primary: i == 0 && c.Name() == run.Criterion, RunIDs: []string{run.Stored.ID}, Numbers: c.Numbers}
		_, measured := c.Numbers[HeadF1]
		switch {
		case c.Kind() != eval.KindLookup && measured:
			row.Numbers = maps.Clone(row.Numbers)
			for _, m := range rankMetrics {
				if n, logged := run.Primary[m]; logged {
					row.Numbers[m] = n
				}
			}
			rows = append(rows, row)
		case c.Name() == "lookup":
			lookup = lookupRow(c.Cut)
			lookup.RunIDs, lookup.Numbers = row.RunIDs, row.Numbers
		}
	}
	if len(rows) > 0 && rows[0].Cut.Name() == intersection.Name() {
		last := 1
		for last < len(rows) && rows[last].Cut.Kind() == eval.KindCriterion {
			last++
		}
		first := rows[0]
		copy(rows, rows[1:last])
		rows[last-1] = first
	}
	return rows, lookup
}

func lookupRow(c eval.Cut) *Row { return &Row{Model: lookupModel, Cut: c, Protocol: protocolClean} }

// groupRows returns the rows of runs that differ only in the seed: the numbers of one run, or the means of several.
func groupRows(group []Run) (rows []Row, lookup *Row) {
	rows, lookup = runRows(group[0])
	for i := range rows {
		all := []Row{rows[i]}
		for _, run := range group[1:] {
			others, _ := runRows(run)
			for _, other := range others {
				if other.Cut.Name() == rows[i].Cut.Name() && other.Protocol == rows[i].Protocol {
					all = append(all, other)
				}
			}
		}
		if len(all) > 1 {
			rows[i] = meanRow(all)
		}
	}
	return rows, lookup
}

// meanRow returns the mean over seeds of every metric that all have logged. A metric with intervals gets the sample
// standard deviation, and the mean of the intervals' ends as its interval.
func meanRow(all []Row) Row {
	mean := all[0]
	mean.RunIDs, mean.Numbers = nil, Numbers{}
	for _, row := range all {
		mean.RunIDs = append(mean.RunIDs, row.RunIDs...)
	}
	n := float64(len(all))
	for m := range all[0].Numbers {
		var sum, low, high float64
		logged, intervals := 0, 0
		for _, row := range all {
			number, ok := row.Numbers[m]
			if !ok {
				continue
			}
			logged++
			sum += number.Value
			if number.Interval != nil {
				intervals++
				low, high = low+number.Interval.Low, high+number.Interval.High
			}
		}
		if logged < len(all) {
			continue
		}
		number := Number{Value: sum / n}
		if intervals == len(all) {
			number.Interval = &eval.Interval{Low: low / n, High: high / n}
		}
		if m.hasInterval() {
			squares := 0.0
			for _, row := range all {
				d := row.Numbers[m].Value - number.Value
				squares += d * d
			}
			spread := math.Sqrt(squares / (n - 1))
			number.Spread = &spread
		}
		mean.Numbers[m] = number
	}
	return mean
}

// margin is the cut at the trained margin.
const margin = eval.Criterion(sphere.CriterionMargin)

// intersection is the cut of the paper's text: spheres intersect.
const intersection = eval.Criterion(sphere.CriterionIntersect)
