package lab

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/spherE/retrieve"
)

// Report is the result of an evaluation.
type Report struct{ *eval.Report }

// NewReport wraps a report of package eval.
func NewReport(r *eval.Report) *Report { return &Report{r} }

// Metric is one number of the report, by the key under which it is logged without the split: report.Metric("head_f1").
func (r *Report) Metric(key string) float64 {
	all := r.Metrics()
	value, ok := all[key]
	if !ok {
		panic(fail(Failed, "the report has no metric %q%s", key, didYouMean(key, slices.Sorted(maps.Keys(all)))))
	}
	return value
}

// Relations lists the relations of the split with their F1, most facts first, for the run's own criterion.
func (r *Report) Relations() *Rows {
	rows := &Rows{columns: []string{"relation", "category", "facts", "head F1", "tail F1"}, title: fmt.Sprintf("relations of %s, %s facts", r.Graph, r.Split)}
	for _, g := range byFacts(r.Report) {
		rows.values = append(rows.values, []interface{}{g.Name, g.Category, int64(g.Head.Triples), g.Head.F1, g.Tail.F1})
	}
	return rows
}

// byFacts are the groups of a report's first cut by relation, most facts first.
func byFacts(r *eval.Report) []eval.Group {
	if len(r.Cuts) == 0 {
		return nil
	}
	groups := slices.Clone(r.Cuts[0].Relations)
	slices.SortStableFunc(groups, func(a, b eval.Group) int { return b.Head.Triples - a.Head.Triples })
	return groups
}

func (r *Report) grid() *experiments.Grid {
	g := &experiments.Grid{
		Title: fmt.Sprintf("%s, %s: %s facts, %s distinct head queries, %s distinct tail queries", r.Graph, r.Split,
			thousands(r.Triples), thousands(r.HeadQueries), thousands(r.TailQueries)),
	}
	for i, heading := range []string{"cut", "head F1", "tail F1", "head RR", "tail RR", "n-n F1", "head precision", "tail precision", "head size", "tail size"} {
		g.Columns = append(g.Columns, experiments.Column{Key: heading, Right: i > 0})
	}
	for i, c := range r.Cuts {
		nn := "" // there are no n-to-n facts
		if r.NNTriples > 0 {
			nn = fraction(c.NNF1)
		}
		if c.Name == r.Primary {
			g.Bold = append(g.Bold, [2]int{i, 0})
		}
		g.Rows = append(g.Rows, []string{c.Name, fraction(c.Head.F1), fraction(c.Tail.F1), fraction(c.Head.RR), fraction(c.Tail.RR), nn,
			fraction(c.Head.Precision), fraction(c.Tail.Precision), fmt.Sprintf("%.1f", c.Head.Size), fmt.Sprintf("%.1f", c.Tail.Size)})
	}
	if k := r.Ranking; k != nil {
		g.Notes = append(g.Notes, fmt.Sprintf("filtered ranking: MRR %s, hits@1 %s, hits@3 %s, hits@10 %s, mean rank %.1f",
			fraction(k.Both.MRR), fraction(k.Both.Hits1), fraction(k.Both.Hits3), fraction(k.Both.Hits10), k.Both.MR))
	}
	return g
}

func fraction(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// HTML shows the report as a table in a notebook, a row for each cut.
func (r *Report) HTML() string { return gridHTML(r.grid()) }

// String is the report as text.
func (r *Report) String() string { return gridText(r.grid()) }

// Write writes the table to a file, in the format that the end of its name says: .csv, .md, .tex, .html, .json or .txt.
func (r *Report) Write(path string) {
	writeGrid(path, func(string) *experiments.Grid { return r.grid() })
}

// Explanation says how a model sees one fact.
type Explanation struct{ *retrieve.Explanation }

// Holds reports whether the model takes the fact for true, asked for its tail.
func (x *Explanation) Holds() bool { return x.AsTail.InSet }

// HTML shows the explanation in a notebook.
func (x *Explanation) HTML() string {
	var m markup
	m.open("div", cardBox+";max-width:60em")
	m.element("div", "font-weight:600", x.Head+" "+x.Relation+" "+x.Tail)
	m.element("div", "margin:.3em 0", x.Verdict)
	numbers := fmt.Sprintf("distance after rotation %.3f", x.Distance)
	if x.HasRadii {
		numbers += fmt.Sprintf(" · radius of the head %.3f · radius of the tail %.3f", x.HeadRadius, x.TailRadius)
	}
	m.element("div", faint, fmt.Sprintf("%s · margin gamma %.3f · criterion %s", numbers, x.Gamma, x.Criterion))
	m.position(fmt.Sprintf("%s %s ?", x.Head, x.Relation), x.AsTail)
	m.position(fmt.Sprintf("? %s %s", x.Relation, x.Tail), x.AsHead)
	m.raw("</div>")
	return m.String()
}

// position shows where an entity stands among the answers to one question.
func (m *markup) position(question string, p retrieve.Position) {
	m.open("div", "margin-top:.6em")
	m.element("span", "font-weight:600", question+" ")
	if p.InSet {
		m.badge("in the set", green)
	} else {
		m.badge("outside the set", red)
	}
	m.raw("</div>")
	m.element("div", "", fmt.Sprintf("value %.3f, cut %.3f, slack %+.3f; rank %d, set of %d", p.Value, p.Cut, p.Slack, p.Before+1, p.SetSize))
	g := &experiments.Grid{Columns: []experiments.Column{{Key: "nearest facts of the graph"}, {Key: "slack", Right: true}}}
	for _, a := range p.Nearest {
		g.Rows = append(g.Rows, []string{a.Label, fmt.Sprintf("%+.3f", a.Slack)})
	}
	if len(g.Rows) > 0 {
		m.grid(g)
	}
}

// String is the explanation as text.
func (x *Explanation) String() string {
	var b strings.Builder
	_ = experiments.WriteExplanation(&b, x.Explanation) // a strings.Builder takes everything
	return strings.TrimRight(b.String(), "\n")
}
