package tracker

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/spherelab/spherelab/internal/jsonvalue"
)

// EvaluationResult is a number of an evaluation, with its interval if it has one. A run has hundreds of them, and among
// MLflow's metrics they would hide the few that its pages are for.
type EvaluationResult struct {
	Step     int64  // of the model that was evaluated
	Split    string // "valid", "test"
	Cut      string // "" for the run's own cut, and for numbers of no cut, as ranks
	Category string // of relations; "" for all
	Metric   string // "head_f1", "mrr"
	Value    float64
	Interval bool // whether Low and High are there
	Low      float64
	High     float64
	At       int64 // when it was logged, in Unix milliseconds
}

// The ends of the keys under which the ends of an interval are read.
const (
	LowSuffix  = "_lo"
	HighSuffix = "_hi"
)

const CategoryPart = "category"

// resultName is what names a result.
type resultName struct{ Split, Cut, Category, Metric string }

func (r EvaluationResult) name() resultName { return resultName{r.Split, r.Cut, r.Category, r.Metric} }

// Key is the metric key of the name. Runs of earlier versions have such a metric in place of the result.
func (n resultName) Key() string {
	parts := []string{n.Split}
	if n.Cut != "" {
		parts = append(parts, n.Cut)
	}
	if n.Category != "" {
		parts = append(parts, CategoryPart, n.Category)
	}
	return strings.Join(append(parts, n.Metric), "/")
}

// ParseResultKey reads the key of a result or, with part, of an end of its interval. It is not ok if no result has such
// a key.
func ParseResultKey(key string) (n resultName, part string, ok bool) {
	parts := strings.Split(key, "/")
	n.Split, n.Metric = parts[0], parts[len(parts)-1]
	for _, suffix := range []string{LowSuffix, HighSuffix} {
		if metric, found := strings.CutSuffix(n.Metric, suffix); found {
			n.Metric, part = metric, suffix
			break
		}
	}
	switch len(parts) {
	case 2:
	case 3:
		n.Cut = parts[1]
	case 4:
		n.Category = parts[2]
	case 5:
		n.Cut, n.Category = parts[1], parts[3]
	}
	return n, part, n.check() == nil && n.Key()+part == key
}

// check is an error unless parseResultKey finds the name again in its key.
func (n resultName) check() error {
	for _, part := range []string{n.Split, n.Cut, n.Category, n.Metric} {
		if strings.Contains(part, "/") {
			return Errorf(CodeInvalid, nil, "the name %.40q of a result contains a slash", part)
		}
	}
	switch {
	case n.Split == "" || n.Metric == "":
		return Errorf(CodeInvalid, nil, "a result needs a split and a metric, not %.40q and %.40q", n.Split, n.Metric)
	case n.Cut == CategoryPart:
		return Errorf(CodeInvalid, nil, "a cut cannot have the name %q", CategoryPart)
	case strings.HasSuffix(n.Metric, LowSuffix), strings.HasSuffix(n.Metric, HighSuffix):
		return Errorf(CodeInvalid, nil, "the metric %.40q of a result ends like an end of an interval", n.Metric)
	}
	return CheckKey("result", n.Key()+LowSuffix)
}

// Numbers are the result and the ends of its interval by the keys that metrics of earlier versions have:
// "test/top-10/head_f1", "test/top-10/head_f1_lo".
func (r EvaluationResult) Numbers() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		key := r.name().Key()
		if yield(key, r.Value) && r.Interval && yield(key+LowSuffix, r.Low) {
			yield(key+HighSuffix, r.High)
		}
	}
}

// number is one of Numbers by the end of its key.
func (r EvaluationResult) number(part string) (float64, bool) {
	switch part {
	case LowSuffix:
		return r.Low, r.Interval
	case HighSuffix:
		return r.High, r.Interval
	}
	return r.Value, true
}

// Equal reports whether two results of one name and step have the same numbers.
func (r EvaluationResult) Equal(other EvaluationResult) bool {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	return r.Interval == other.Interval && same(r.Value, other.Value) && same(r.Low, other.Low) &&
		same(r.High, other.High)
}

// CompareResults is the order of Results.
func CompareResults(a, b EvaluationResult) int {
	return cmp.Or(strings.Compare(a.Split, b.Split), cmp.Compare(a.Step, b.Step), strings.Compare(a.Cut, b.Cut),
		strings.Compare(a.Category, b.Category), strings.Compare(a.Metric, b.Metric))
}

// storedResult is an EvaluationResult in JSON.
type storedResult struct {
	Step     int64            `json:"step"`
	Time     int64            `json:"time,omitempty"`
	Split    string           `json:"split"`
	Cut      string           `json:"cut,omitempty"`
	Category string           `json:"category,omitempty"`
	Metric   string           `json:"metric"`
	Value    *jsonvalue.Exact `json:"value"`
	Low      *jsonvalue.Exact `json:"low,omitempty"`
	High     *jsonvalue.Exact `json:"high,omitempty"`
}

// MarshalJSON writes the numbers so that they are read back to the same bits.
func (r EvaluationResult) MarshalJSON() ([]byte, error) {
	s := storedResult{Step: r.Step, Time: r.At, Split: r.Split, Cut: r.Cut, Category: r.Category, Metric: r.Metric,
		Value: (*jsonvalue.Exact)(&r.Value)}
	if r.Interval {
		s.Low, s.High = (*jsonvalue.Exact)(&r.Low), (*jsonvalue.Exact)(&r.High)
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *EvaluationResult) UnmarshalJSON(raw []byte) error {
	var s storedResult
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if s.Value == nil || (s.Low == nil) != (s.High == nil) {
		return fmt.Errorf("result %.100q lacks its value or an end of its interval", s.Metric)
	}
	*r = EvaluationResult{Step: s.Step, At: s.Time, Split: s.Split, Cut: s.Cut, Category: s.Category, Metric: s.Metric,
		Value: float64(*s.Value)}
	if s.Low != nil {
		r.Interval, r.Low, r.High = true, float64(*s.Low), float64(*s.High)
	}
	return nil
}
