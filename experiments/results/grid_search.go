package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/spherelab/spherelab/experiments/search"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/quantity"
	"github.com/spherelab/spherelab/tracker"
)

// SearchGrid ranks the trials of a search: those that were trained longest first. queue has the jobs that workers
// share; it is empty for a search that was not enqueued.
func SearchGrid(r *search.Report, queue []tracker.Job) *Grid {
	s := r.Search
	g := &Grid{Columns: []Column{{Key: "rank", Right: true}, {Key: "trial", Right: true}}}
	for _, d := range s.Space {
		g.Columns = append(g.Columns, Column{Key: d.Key, Right: d.Values == nil})
	}
	hasSeeds := len(s.Seeds) > 1
	g.Columns = append(g.Columns, Column{Key: s.Metric, Right: true})
	if hasSeeds {
		g.Columns = append(g.Columns, Column{Key: "interval", Heading: "±", Right: true})
	}
	g.Columns = append(g.Columns, Column{Key: "epochs", Right: true}, Column{Key: "run", Heading: "run"})
	best := -1
	for i, t := range r.Trials {
		values := map[string]string{}
		for _, item := range t.Items {
			key, value, _ := strings.Cut(item, "=")
			values[key] = value
		}
		row := []string{strconv.Itoa(i + 1), strconv.Itoa(t.Number)}
		for _, d := range s.Space {
			value, drawn := values[d.Key]
			if !drawn && len(t.Items) == 0 {
				value = r.ValueOfConfig(d.Key)
			}
			row = append(row, value)
		}
		row = append(row, scoreText(s.Metric, t))
		if hasSeeds {
			row = append(row, halfInterval(t.Scores))
		}
		ids := slices.Clone(t.Runs)
		for k, id := range ids {
			ids[k] = tracker.ShortID(id)
		}
		g.Rows = append(g.Rows, append(row, strconv.Itoa(t.Epochs), strings.Join(ids, " ")))
		if best < 0 && t.Failed == "" && len(t.Scores) > 0 && r.Whole {
			best = i
		}
	}
	if best >= 0 {
		g.Bold = append(g.Bold, [2]int{best, 2 + len(s.Space)})
	}
	g.AddNote("trial 1 is %s itself. Trials that were trained for more epochs come first.", s.Config)
	if hasSeeds {
		g.AddNote("%s is the mean over the seeds %s; ± is half of the 95 %% interval of that mean (Student's t).",
			s.Metric, strings.Trim(fmt.Sprint(s.Seeds), "[]"))
	}
	switch {
	case !r.Whole:
		g.AddNote("%d of %d trials have a score; the search has not ended.", scored(r), s.Trials)
		if len(r.Trials) > 0 && !math.IsNaN(r.Trials[0].Score()) {
			first := r.Trials[0]
			g.AddNote("best so far: trial %d, %s %s after %d epochs", first.Number, s.Metric, scoreText(s.Metric, first),
				first.Epochs)
		}
	case len(r.Winner) > 0:
		var hints []hint.Hint
		if len(r.Trials[0].Items) > 0 {
			hints = append(hints, hint.Hint{Action: hint.CompareRuns})
		}
		short := make([]string, len(r.Winner))
		for i, id := range r.Winner {
			short[i] = tracker.ShortID(id)
		}
		g.Notes = append(g.Notes, note("Only the best config was evaluated on the test triples: run "+
			strings.Join(short, ", ")+".", hints...))
	}
	if r.Epochs < r.Most {
		g.AddNote("%d of at most %d epochs are trained", r.Epochs, r.Most)
	}
	g.addQueue(queue, searchLeft(queue, r.Epochs, r.Most))
	return g
}

func scored(r *search.Report) int {
	n := 0
	for _, t := range r.Trials {
		if len(t.Scores) > 0 || t.Failed != "" {
			n++
		}
	}
	return n
}

// scoreText returns a score in the form of its metric.
func scoreText(metric string, t *search.Trial) string {
	x := t.Score()
	switch {
	case t.Failed != "":
		return t.Failed
	case math.IsNaN(x):
		return "-"
	case metric == "valid/mr":
		x = -x
	}
	return validationText(metric, x)
}

// validationText returns a metric of validations for people.
func validationText(metric string, x float64) string {
	if metric == "valid/mr" {
		return fmt.Sprintf("%.1f", x)
	}
	return quantity.Fraction(x, 4)
}

// halfInterval returns half of the 95 % interval of the mean of scores, "-" for fewer than two.
func halfInterval(scores []float64) string {
	if len(scores) < 2 {
		return "-"
	}
	n := float64(len(scores))
	_, deviation := stat.MeanStdDev(scores, nil)
	return quantity.Fraction(distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(.975)*deviation/math.Sqrt(n), 4)
}
