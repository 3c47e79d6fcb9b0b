package experiments

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/spherE"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// LookupModel is the name of the row that needs no model: it returns the answers that are known at test time.
const LookupModel = "lookup"

// LookupCut is the cut of the lookup row.
const LookupCut = "known"

// ProtocolClean is the evaluation protocol of this project: ground truth from all splits, nothing leaks. The released
// code of other models has another one.
const ProtocolClean = "clean"

// Row is one model under one cut, with numbers taken from logged metrics.
type Row struct {
	Model    string // "SpherE-2D", "RotatE", "lookup"
	Cut      string // "margin", "sphere", "intersect", "fitted-f1", "top-mean", "top-10"; for lookup "known": the answers known before the split
	Variant  string // "" for lookup
	Protocol string
	Primary  bool // the cut is the criterion of the run
	// RunIDs are the runs whose evaluation logged the numbers, one per seed. Lookup needs no model, but it is a run that
	// logs it. A row without runs is missing: it has no numbers of ours.
	RunIDs []string
	// Metrics are fractions by key without the split: head_f1, tail_rr, nn_f1, head_novel_f1, ..., interval ends
	// head_f1_lo and head_f1_hi. What a run has not logged is missing. With several runs these are means, and head_f1_sd
	// is the standard deviation over the seeds.
	Metrics map[string]float64
	Paper   *PaperCells // what the paper prints for this row, nil if nothing
	// Unlike says in what the runs differ from the config inside the program that trains the row, as "train.epochs 2";
	// "" if in nothing or if there is no such config.
	Unlike string
	cost   cost // of all its runs together; lookup has none of its own
}

// Missing reports whether no run has logged the row.
func (r Row) Missing() bool { return len(r.RunIDs) == 0 }

// rowMetrics are the metrics of a row, in the order of the table.
var rowMetrics = []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1", "head_novel_f1", "tail_novel_f1", "head_union_f1",
	"tail_union_f1", "head_query_f1", "tail_query_f1", "head_precision", "tail_precision", "head_recall", "tail_recall", "head_size", "tail_size"}

// intervalMetrics are those with a 95 % interval.
var intervalMetrics = []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1"}

// MarshalJSON writes the row as one flat object; a metric that was not logged is null.
func (r Row) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	add := func(key string, value any) error {
		raw, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(key) + ":" + string(raw))
		return nil
	}
	type item struct {
		key   string
		value any
	}
	items := []item{{"model", r.Model}, {"cut", r.Cut}, {"variant", r.Variant}, {"protocol", r.Protocol}, {"primary", r.Primary}}
	metric := func(key string) {
		if value, ok := r.Metrics[key]; ok {
			items = append(items, item{key, value})
		} else {
			items = append(items, item{key, nil})
		}
	}
	for _, key := range rowMetrics {
		metric(key)
		if slices.Contains(intervalMetrics, key) {
			metric(key + "_lo")
			metric(key + "_hi")
			metric(key + "_sd")
		}
	}
	runs := r.RunIDs
	if runs == nil {
		runs = []string{}
	}
	items = append(items, item{"run_ids", runs}, item{"unlike_config", r.Unlike})
	for i, seconds := range r.cost.seconds() {
		if seconds > 0 {
			items = append(items, item{costKeys[i], seconds})
		} else {
			items = append(items, item{costKeys[i], nil})
		}
	}
	if r.Paper != nil {
		items = append(items, item{"paper", r.paperJSON()})
	}
	for _, i := range items {
		if err := add(i.key, i.value); err != nil {
			return nil, err
		}
	}
	return []byte("{" + b.String() + "}"), nil
}

// paperJSON is the paper's numbers and ours less the paper's, in an object of their own.
func (r Row) paperJSON() map[string]any {
	difference := map[string]any{}
	object := map[string]any{"table": r.Paper.Table, "row": r.Paper.Printed, "difference": difference}
	for key, value := range r.Paper.Values {
		object[key], difference[key] = value, nil
		if ours, ok := r.Metrics[key]; ok {
			difference[key] = ours - value
		}
	}
	return object
}

// meanF1 ranks cuts of one run.
func (r Row) meanF1() float64 { return (r.Metrics["head_f1"] + r.Metrics["tail_f1"]) / 2 }

// runRows are the rows of one run, best known first: its criterion, the other criteria, top-l by size. The lookup row,
// which is the same for every run on a graph, comes separately.
func runRows(info tracker.RunInfo) (rows []Row, lookup *Row) {
	primary := info.Tags[tagCriterion]
	metrics := map[string]map[string]float64{} // by cut
	for key, value := range info.Metrics {
		key, ok := strings.CutPrefix(key, "test/")
		if !ok {
			continue
		}
		cut, name, nested := strings.Cut(key, "/")
		if !nested {
			cut, name = primary, key
		}
		if metrics[cut] == nil {
			metrics[cut] = map[string]float64{}
		}
		metrics[cut][name] = value
	}
	cuts := []string{primary}
	for _, c := range []sphere.Criterion{sphere.CriterionMargin, sphere.CriterionSphere, sphere.CriterionIntersect} {
		if !slices.Contains(cuts, string(c)) {
			cuts = append(cuts, string(c))
		}
	}
	cuts = append(append(cuts, eval.FittedNames()...), eval.CutTopMean)
	var sizes []int
	for cut := range metrics {
		if size, ok := topSize(cut); ok {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	for _, size := range sizes {
		cuts = append(cuts, "top-"+strconv.Itoa(size))
	}
	for _, cut := range cuts {
		if _, ok := metrics[cut]["head_f1"]; ok && cut != "" {
			rows = append(rows, Row{Model: ModelTitle(info.Params["model"]), Cut: cut, Variant: info.Params["variant"],
				Protocol: ProtocolClean, Primary: cut == primary, RunIDs: []string{info.ID}, Metrics: metrics[cut]})
		}
	}
	if m, ok := metrics["lookup"]; ok {
		lookup = &Row{Model: LookupModel, Cut: LookupCut, Protocol: ProtocolClean, RunIDs: []string{info.ID}, Metrics: m}
	}
	return rows, lookup
}

func topSize(cut string) (int, bool) {
	text, ok := strings.CutPrefix(cut, "top-")
	if !ok {
		return 0, false
	}
	size, err := strconv.Atoi(text)
	return size, err == nil
}

// plainMetrics are the metrics that every cut has: the primary one also has ranks and categories.
func plainMetrics(row Row) map[string]float64 {
	plain := map[string]float64{}
	for _, key := range rowMetrics {
		if value, ok := row.Metrics[key]; ok {
			plain[key] = value
		}
	}
	return plain
}

// fitted reports whether a cut follows the data instead of a margin or a fixed size.
func fitted(cut string) bool {
	return cut == eval.CutTopMean || slices.Contains(eval.FittedNames(), cut)
}

// ofPoints reports whether the row's model has no radii.
func (r Row) ofPoints() bool {
	return r.Model == ModelTitle(sphere.RotatE) || r.Model == ModelTitle(sphere.Rotate3D)
}

// essential picks what a short table shows of one run: its criterion, the margin where that is not the same set (for
// variant clean it is), what was fitted, and for a model without radii the best top-l row, chosen with hindsight.
func essential(rows []Row) []Row {
	var short []Row
	best := -1
	for i, row := range rows {
		if _, top := topSize(row.Cut); top {
			if row.ofPoints() && (best < 0 || row.meanF1() > rows[best].meanF1()) {
				best = i
			}
		} else if fitted(row.Cut) || row.Primary || row.Cut == string(sphere.CriterionMargin) && !maps.Equal(plainMetrics(row), plainMetrics(rows[0])) {
			short = append(short, row)
		}
	}
	if best >= 0 {
		short = append([]Row{rows[best]}, short...)
	}
	return short
}
