package eval

import (
	"slices"
	"strings"
)

// Key names one number of a report, as a tracker logs it: "test/head_f1", "test/top-10/head_f1_lo",
// "valid/category/n-n/tail_rr".
type Key struct {
	Split    string // "valid" or "test"; "" where it is clear
	Cut      string // the cut's name; "" for the primary cut, and for numbers without a cut, such as ranks
	Category string // of relations, "n-n"; "" for all
	Metric   string // "head_f1", "nn_f1", "mrr", "head_mrr"
	End      End
}

// End is which number of a metric a key names: its value or an end of its interval.
type End int

const (
	Value End = iota
	Low
	High
)

var endSuffix = [...]string{Value: "", Low: "_lo", High: "_hi"}

const categoryPart = "category"

// String is the one place where keys are made; ParseKey is the one where they are read.
func (k Key) String() string {
	parts := make([]string, 0, 5)
	for _, part := range []string{k.Split, k.Cut} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if k.Category != "" {
		parts = append(parts, categoryPart, k.Category)
	}
	return strings.Join(append(parts, k.Metric+endSuffix[k.End]), "/")
}

// ParseKey reads a key. ok is false if the text is not the key of a report: the split, the cut's name or the metric is
// unknown.
func ParseKey(text string) (k Key, ok bool) {
	parts := strings.Split(text, "/")
	last := len(parts) - 1
	parts, k.Metric = parts[:last], parts[last]
	for end := Low; end <= High; end++ {
		if metric, found := strings.CutSuffix(k.Metric, endSuffix[end]); found {
			k.Metric, k.End = metric, end
			break
		}
	}
	if len(parts) > 0 && (parts[0] == "valid" || parts[0] == "test") {
		k.Split, parts = parts[0], parts[1:]
	}
	if len(parts) > 0 {
		if _, isCut := ParseCut(parts[0]); isCut {
			k.Cut, parts = parts[0], parts[1:]
		}
	}
	if len(parts) == 2 && parts[0] == categoryPart {
		k.Category, parts = parts[1], nil
	}
	return k, len(parts) == 0 && isMetric(k.Metric)
}

// Metrics of a report that are not one of Scores or RankScores.
const (
	nnF1        = "nn_f1"
	nanValues   = "nan_values"
	distractors = "distractors"
)

var sidePrefix = [...]string{"head_", "tail_"}

// isMetric reports whether a report has numbers of that name.
func isMetric(name string) bool {
	if name == nnF1 || name == nanValues || name == distractors {
		return true
	}
	for _, prefix := range sidePrefix {
		if of, found := strings.CutPrefix(name, prefix); found {
			return slices.Contains(scoreNames[:], of) || slices.Contains(rankNames[:], of) ||
				slices.Contains(probabilityNames[:], of)
		}
	}
	return slices.Contains(rankNames[:], name)
}
