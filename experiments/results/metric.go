package results

import (
	"slices"

	"github.com/spherelab/spherelab/spherE/eval"
)

// Metric is a number that an evaluation logs, of a cut or of the ranks. Its String is the name in metric keys and in
// columns.
type Metric int

// The metrics of a cut in the order of the tables, then those of the filtered ranks of both sides.
const (
	HeadF1 Metric = iota
	TailF1
	HeadRR
	TailRR
	NNF1
	HeadNovelF1
	TailNovelF1
	HeadUnionF1
	TailUnionF1
	HeadQueryF1
	TailQueryF1
	HeadPrecision
	TailPrecision
	HeadRecall
	TailRecall
	HeadSize
	TailSize
	MRR
	MeanRank
	Hits1
	Hits3
	Hits10
	Distractors // share of a generated graph's distractors that the cut returns
)

var metricNames = [...]string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1", "head_novel_f1", "tail_novel_f1",
	"head_union_f1", "tail_union_f1", "head_query_f1", "tail_query_f1", "head_precision", "tail_precision",
	"head_recall",
	"tail_recall", "head_size", "tail_size", "mrr", "mr", "hits_1", "hits_3", "hits_10", "distractors"}

func (m Metric) String() string { return metricNames[m] }

// cutMetrics are the metrics that every cut has, in the order of the tables.
func cutMetrics() []Metric {
	var list []Metric
	for m := HeadF1; m <= TailSize; m++ {
		list = append(list, m)
	}
	return list
}

// hasInterval reports whether tables have columns for the metric's interval.
func (m Metric) hasInterval() bool { return m <= TailUnionF1 }

// Number is a logged number, or the mean of several seeds.
type Number struct {
	Value    float64
	Interval *eval.Interval // 95 %, nil if none is logged; for several seeds, the mean of the ends
	Spread   *float64       // standard deviation over the seeds, of a sample; nil for a single run
}

// Numbers has the logged numbers of a cut. A number that is not logged is not in the map.
type Numbers map[Metric]Number

// Cut is what a run has logged about one cut.
type Cut struct {
	eval.Cut
	Numbers
}

// readCuts parses the metrics that a report has logged about a split into cuts, the primary one first. The primary cut
// may have no name.
func readCuts(metrics map[string]float64, split, primary string) (Numbers, []Cut) {
	byName := map[string]Numbers{"": {}}
	var ends []eval.Key
	at := func(k eval.Key) Metric { return Metric(slices.Index(metricNames[:], k.Metric)) }
	for text, value := range metrics {
		k, ok := eval.ParseKey(text)
		if !ok || k.Split != split || k.Category != "" || at(k) < 0 {
			continue
		}
		if byName[k.Cut] == nil {
			byName[k.Cut] = Numbers{}
		}
		if k.End == eval.Value {
			byName[k.Cut][at(k)] = Number{Value: value}
		} else if k.End == eval.Low {
			ends = append(ends, k)
		}
	}
	for _, k := range ends {
		n, ok := byName[k.Cut][at(k)]
		low := metrics[k.String()]
		k.End = eval.High
		if high, both := metrics[k.String()]; ok && both {
			n.Interval = &eval.Interval{Low: low, High: high}
			byName[k.Cut][at(k)] = n
		}
	}
	plain := byName[""]
	delete(byName, "")
	var cuts []Cut
	for name, numbers := range byName {
		if c, _ := eval.ParseCut(name); name != primary { // ParseKey has parsed it
			cuts = append(cuts, Cut{c, numbers})
		}
	}
	slices.SortFunc(cuts, compareCuts)
	if c, ok := eval.ParseCut(primary); ok && len(plain) > 0 {
		cuts = append([]Cut{{c, plain}}, cuts...)
	}
	return plain, cuts
}

// kindOrder is the order of the cuts of a run: thresholds, then sizes. The paper's order is eval.CompareCuts.
var kindOrder = []eval.Kind{eval.KindCriterion, eval.KindFitted, eval.KindExpected,
	eval.KindPromised, eval.KindCovering, eval.KindTopMean, eval.KindTop, eval.KindLookup, eval.KindReleased,
	eval.KindTie}

func compareCuts(a, b Cut) int {
	if d := slices.Index(kindOrder, a.Kind()) - slices.Index(kindOrder, b.Kind()); d != 0 {
		return d
	}
	return a.Rank() - b.Rank()
}
