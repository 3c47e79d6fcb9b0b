package results

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spherelab/spherelab/internal/jsonvalue"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// archiveResults is a line with the results of a split that were logged at one moment. These lines follow those of
// metrics.
type archiveResults struct {
	Kind   string          `json:"kind"` // "results"
	Step   int64           `json:"step"`
	Time   int64           `json:"time"` // Unix milliseconds
	Split  string          `json:"split"`
	Values []archiveResult `json:"values"`
}

// archiveResult is one of them.
type archiveResult struct {
	Cut      string           `json:"cut,omitempty"`
	Category string           `json:"category,omitempty"`
	Metric   string           `json:"metric"`
	Value    *jsonvalue.Exact `json:"value"`
	Low      *jsonvalue.Exact `json:"low,omitempty"`
	High     *jsonvalue.Exact `json:"high,omitempty"`
}

// evaluations returns the lines of the results.
func (a *Archive) evaluations() (lines []archiveResults) {
	for i := range a.Results {
		r := &a.Results[i]
		n := len(lines)
		if n == 0 || lines[n-1].Split != r.Split || lines[n-1].Step != r.Step || lines[n-1].Time != r.At {
			lines = append(lines, archiveResults{Kind: "results", Step: r.Step, Time: r.At, Split: r.Split})
		}
		value := archiveResult{Cut: r.Cut, Category: r.Category, Metric: r.Metric, Value: (*jsonvalue.Exact)(&r.Value)}
		if r.Interval {
			value.Low, value.High = (*jsonvalue.Exact)(&r.Low), (*jsonvalue.Exact)(&r.High)
		}
		last := &lines[len(lines)-1]
		last.Values = append(last.Values, value)
	}
	return lines
}

// addResults adds what a line holds.
func (a *Archive) addResults(line archiveResults) error {
	for _, v := range line.Values {
		if v.Value == nil || (v.Low == nil) != (v.High == nil) {
			return fmt.Errorf("result %.100q lacks its value or an end of its interval", v.Metric)
		}
		r := tracker.EvaluationResult{Step: line.Step, Split: line.Split, Cut: v.Cut, Category: v.Category,
			Metric: v.Metric, Value: float64(*v.Value), At: line.Time}
		if v.Low != nil {
			r.Interval, r.Low, r.High = true, float64(*v.Low), float64(*v.High)
		}
		a.Results = append(a.Results, r)
	}
	return nil
}

// latestResults adds the results with the greatest steps to the latest values.
func (a *Archive) latestResults() {
	for _, r := range a.Results {
		for key, value := range r.Numbers() {
			if step, there := a.Info.Steps[key]; !there || r.Step > step {
				a.Info.Metrics[key], a.Info.Steps[key] = value, r.Step
			}
		}
	}
}

// formatOf returns the format of a file of several runs.
func formatOf(list []*Archive) int {
	if slices.ContainsFunc(list, func(a *Archive) bool { return len(a.Results) > 0 }) {
		return newestFormat
	}
	return severalFormat
}

// resultDifference describes the first result in which two archives of a run differ, "" if they agree.
func resultDifference(a, b []tracker.EvaluationResult, inA, inB string) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("%s is only in %s", resultText(b[i]), inB)
		case i >= len(b):
			return fmt.Sprintf("%s is only in %s", resultText(a[i]), inA)
		case resultText(a[i]) != resultText(b[i]):
			return fmt.Sprintf("%s is in %s and %s in %s", resultText(a[i]), inA, resultText(b[i]), inB)
		}
	}
	return ""
}

// resultText has every digit of a result.
func resultText(r tracker.EvaluationResult) string {
	var numbers []string
	for key, value := range r.Numbers() {
		numbers = append(numbers, key+" = "+quantity.Exact(value))
	}
	return fmt.Sprintf("%s at step %d (%s)", strings.Join(numbers, ", "), r.Step, timeText(time.UnixMilli(r.At)))
}
