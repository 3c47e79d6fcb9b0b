package experiments

import (
	"maps"
	"slices"

	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// A run logs hundreds of numbers per evaluation. All go into the tracker's results. Headlines are also metrics, which
// MLflow's pages draw: they are what people watch, list or search for, namely the numbers of the run's own cut over all
// relations, and those of the ranks.
var (
	headlines = []string{"head_f1", "tail_f1", "head_rr", "tail_rr", "nn_f1", "mrr", "mr", "hits_1", "hits_3",
		"hits_10"}
	testHeadlines = []string{"head_precision", "tail_precision", "head_recall", "tail_recall", "head_novel_f1",
		"tail_novel_f1", "head_union_f1", "tail_union_f1"}
)

// isHeadline reports whether a number of an evaluation is a metric too.
func isHeadline(k eval.Key) bool {
	if k.Cut != "" || k.Category != "" || k.End != eval.Value {
		return false
	}
	return slices.Contains(headlines, k.Metric) || k.Split == "test" && slices.Contains(testHeadlines, k.Metric)
}

// logEvaluation logs the numbers of an evaluation.
func logEvaluation(run runLog, epoch int64, numbers map[string]float64) error {
	results, metrics := evaluationResults(numbers)
	return run.LogResults(epoch, results, metrics)
}

// evaluationResults returns the numbers of an evaluation as results, in the order of their keys, and the headlines by
// key. A key that is not one of a report is a metric.
func evaluationResults(numbers map[string]float64) (results []tracker.EvaluationResult, metrics map[string]float64) {
	metrics = map[string]float64{}
	for _, text := range slices.Sorted(maps.Keys(numbers)) {
		k, ok := eval.ParseKey(text)
		if !ok || isHeadline(k) {
			metrics[text] = numbers[text]
		}
		if !ok || k.End != eval.Value {
			continue
		}
		r := tracker.EvaluationResult{Split: k.Split, Cut: k.Cut, Category: k.Category, Metric: k.Metric,
			Value: numbers[text]}
		low, high := k, k
		low.End, high.End = eval.Low, eval.High
		if l, ok := numbers[low.String()]; ok {
			r.Interval, r.Low, r.High = true, l, numbers[high.String()]
		}
		results = append(results, r)
	}
	return results, metrics
}
