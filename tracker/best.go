package tracker

import (
	"slices"
	"strings"
	"unicode"
)

// BestSuffix turns the key of a metric into that of the best value that a run logged under it, instead of the newest:
// "valid/mrr@best". MLflow's clients refuse such a key, so no metric has it.
const BestSuffix = "@best"

// BestKey returns the key of the best value of a metric, which may be a key of CutKey. ok is false if a best value has
// no meaning: for values on test data, by which nothing may be chosen, for ends of intervals, for system metrics, and
// for a best value.
func BestKey(metric string) (key string, ok bool) {
	plain := metric
	if at, _, ok := ParseCutKey(metric); ok && !strings.HasSuffix(metric, BestSuffix) {
		plain = at
	}
	first := strings.FieldsFunc(strings.ToLower(metric), func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case len(first) == 0, first[0] == "test", first[0] == "system",
		strings.HasSuffix(plain, LowSuffix), strings.HasSuffix(plain, HighSuffix), strings.Contains(plain, "@"):
		return "", false
	}
	return metric + BestSuffix, true
}

// WithoutBest returns the metric of a key of BestKey, and any other key unchanged.
func WithoutBest(key string) string { return strings.TrimSuffix(key, BestSuffix) }

// lowWords are words in the names of metrics whose lowest value is the best: errors, and mean ranks (mr).
var lowWords = []string{"err", "error", "mse", "rmse", "mae", "mape", "nll", "perplexity", "ppl", "wer", "cer", "mr",
	"ece", "brier"}

// LowestIsBest reports whether the lowest value of a metric, or of a key of BestKey, is the best. It judges by the
// name.
func LowestIsBest(metric string) bool {
	metric, _, _ = strings.Cut(strings.ToLower(metric), "@")
	if strings.Contains(metric, "loss") {
		return true
	}
	words := strings.FieldsFunc(metric, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(lowWords, word) })
}
