package results

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/internal/visible"
	"github.com/spherelab/spherelab/spherE/eval"
)

// RunEntries returns a run as rows of run id, kind, key and value.
func RunEntries(run Run) *Grid {
	g := &Grid{Columns: []Column{{Key: "run_id"}, {Key: "kind"}, {Key: "key"}, {Key: "value"}}}
	s := run.Stored
	for _, key := range sortedKeys(s.Params) {
		g.Rows = append(g.Rows, []string{s.ID, "param", key, s.Params[key]})
	}
	for _, key := range sortedKeys(s.Metrics) {
		g.Rows = append(g.Rows, []string{s.ID, "metric", key, numberText(run.stored(key), true)})
	}
	for _, key := range sortedKeys(s.Tags) {
		g.Rows = append(g.Rows, []string{s.ID, "tag", key, s.Tags[key]})
	}
	return g
}

// headlineParams are the params that people see first.
var headlineParams = []string{answer.ParamGraph, "seed", "model", "variant", "dimension", "gamma", "train.epochs",
	"train.batch", "train.negatives", "train.learning_rate"}

// tunedParams are shown after those of a run without epochs where public weights were tuned.
var tunedParams = []string{"inductive.epochs", "inductive.steps", "inductive.batch", "inductive.negatives",
	"inductive.learning_rate"}

// madeParams is how many of headlineParams apply to a run without epochs.
const madeParams = 4

// WriteRun writes what a run has logged, for people: about a screen, or everything for detail Everything and for a run
// of another program. It returns how many entries it left out.
func WriteRun(w io.Writer, run Run, detail Detail) (hidden int, err error) {
	if run.ConfigHash == "" && run.GraphDigest == "" {
		detail = Everything
	}
	b := &runText{}
	s := run.Stored
	fmt.Fprintf(b, "run %s\n", visible.Line(s.ID))
	b.entry("name", s.Name)
	b.entry("experiment", s.Experiment)
	b.entry("status", run.State)
	if !s.Start.IsZero() {
		b.entry("started", s.Start.Local().Format("2006-01-02 15:04:05"))
	}
	if !s.End.IsZero() {
		b.entry("took", s.End.Sub(s.Start).Round(time.Millisecond).String())
	}
	for _, warning := range run.Warnings {
		b.entry("warning", warning)
	}
	b.entry("checkpoint digest", run.Checkpoint)
	b.entry("artifacts", s.ArtifactURI)
	b.WriteString("\nparams\n")
	if detail == Everything {
		for _, key := range sortedKeys(s.Params) {
			b.entry(key, s.Params[key])
		}
		b.WriteString("\ntags\n")
		for _, key := range sortedKeys(s.Tags) {
			b.entry(key, s.Tags[key])
		}
	} else {
		keys := headlineParams
		switch {
		case run.IsTuned():
			keys = slices.Concat(keys[:madeParams], tunedParams)
		case !run.HasEpochs():
			keys = keys[:madeParams]
		}
		hidden = len(s.Params) + len(s.Tags) - b.pairs(keys, func(key string) string { return s.Params[key] })
	}
	ofSets := ""
	if run.Evaluated() && detail != Everything {
		ofSets = fmt.Sprintf("; those of sets are at cut %s", run.Criterion)
	}
	if fmt.Fprintf(b, "\nmetrics (newest value%s)\n", ofSets); detail == Everything {
		keys := sortedKeys(s.Metrics)
		slices.SortStableFunc(keys, func(x, y string) int { return strings.Count(x, "/") - strings.Count(y, "/") })
		for _, key := range keys {
			b.entry(key, numberText(run.stored(key), false))
		}
	} else {
		hidden += len(s.Metrics) - b.pairs(run.headlines(), func(key string) string { return run.headline(key) })
	}
	_, err = io.WriteString(w, b.String())
	return hidden, err
}

// runText collects the text of a run.
type runText struct{ strings.Builder }

func (b *runText) entry(key, value string) {
	if value != "" {
		fmt.Fprintf(b, "  %-22s %s\n", visible.Line(key), visible.Line(value))
	}
}

// pairs writes two entries on a line, those without a value left out, and returns how many it wrote.
func (b *runText) pairs(keys []string, value func(key string) string) (written int) {
	left := ""
	for _, key := range keys {
		text := value(key)
		if text == "" {
			continue
		}
		written++
		text = visible.Line(fmt.Sprintf("%-19s %s", key, text))
		switch {
		case left == "":
			left = text
		case len([]rune(left)) > 37:
			fmt.Fprintf(b, "  %s\n", left)
			left = text
		default:
			fmt.Fprintf(b, "  %-38s %s\n", left, text)
			left = ""
		}
	}
	if left != "" {
		fmt.Fprintf(b, "  %s\n", left)
	}
	return written
}

// headlines returns the run's metrics that people see first: those on the test triples or, without a final evaluation,
// the newest ones on the validation triples.
func (r Run) headlines() []string {
	split := "test"
	if !r.Evaluated() {
		split = "valid"
	}
	keys := []string{"loss"}
	for _, m := range headlineMetrics {
		keys = append(keys, eval.Key{Split: split, Metric: m.String()}.String())
	}
	return keys
}

// headline returns a metric for people, with half of its 95 % interval if one is logged.
func (r Run) headline(key string) string {
	text := numberText(r.stored(key), false)
	k, ok := eval.ParseKey(key)
	if !ok || k.Split != "test" {
		return text
	}
	for m, n := range r.Primary {
		if m.String() == k.Metric && n.Interval != nil {
			text += " ±" + strconv.FormatFloat((n.Interval.High-n.Interval.Low)/2, 'g', 2, 64)
		}
	}
	return text
}

// ofFurtherCut reports whether a metric is of another cut than the primary one, or of a part of the relations.
func ofFurtherCut(key string) bool {
	k, ok := eval.ParseKey(key)
	return ok && (k.Cut != "" || k.Category != "")
}
