package session

import (
	"fmt"

	"github.com/spherelab/spherelab/chart"
)

// Curves draws the F1 of the validations of the list's runs over the epochs. Runs that differ only by their seed are
// one line: the mean, within a band of one standard deviation.
//
//	lab.Runs().Named("seeds").Curves()
func (l *RunList) Curves() Chart {
	type group struct {
		name       string
		runs       int
		head, tail []chart.Series
	}
	var groups []*group
	at := map[string]*group{}
	for i := len(l.runs) - 1; i >= 0; i-- { // oldest first
		r := l.runs[i]
		key := r.run.Stored.ID
		if c := r.run.Config; c != nil {
			alike := *c
			alike.Seed = 0
			key = alike.IdentityHash()
		}
		ctx := r.context()
		t := r.session.tracker(ctx)
		line := func(key string) chart.Series {
			x, y := history(ctx, t, r.run.Stored.ID, key)
			return chart.Series{X: x, Y: y}
		}
		head, tail := line("valid/head_f1"), line("valid/tail_f1")
		if len(head.Y) == 0 {
			continue
		}
		g := at[key]
		if g == nil {
			g = &group{name: r.run.Stored.Name}
			at[key], groups = g, append(groups, g)
		}
		g.runs++
		g.head, g.tail = append(g.head, head), append(g.tail, tail)
	}
	if len(groups) == 0 {
		panic(fail(NotDrawn, "no run of the list has validations"))
	}
	var head, tail []chart.Series
	caption := ""
	for _, g := range groups {
		name := g.name
		if g.runs > 1 {
			name = fmt.Sprintf("%s, %d seeds", g.name, g.runs)
			caption = "a band is one standard deviation over the seeds"
		}
		head, tail = append(head, chart.Over(name, g.head...)), append(tail, chart.Over(name, g.tail...))
	}
	panel := func(label string, series []chart.Series) chart.Chart {
		return chart.Line(chart.Options{YLabel: label, XLabel: "epoch"}, series...)
	}
	return Chart{chart.Stack(chart.Options{Title: "F1 of validations", Caption: caption},
		panel("head F1", head), panel("tail F1", tail))}
}
