package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"

	"github.com/spherelab/spherelab/chart"
)

// importanceTable returns what the page shows about each param.
func importanceTable(list []importance, metric string) Table {
	t := Table{Title: "Params that explain " + metric, Columns: []Column{{Heading: "param"}, {"runs", true}, {"share", true},
		{"correlation", true}, {Heading: "best value"}, {"median there", true}, {"runs there", true}}}
	for _, one := range list {
		correlation := ""
		if !math.IsNaN(one.Correlation) {
			correlation = strconv.FormatFloat(one.Correlation, 'f', 2, 64)
		}
		t.Rows = append(t.Rows, []string{one.Name(), strconv.Itoa(one.Of), strconv.FormatFloat(one.Share, 'f', 2, 64),
			correlation, one.Best, number(one.Median), strconv.Itoa(one.Runs)})
	}
	return t
}

// paramsCSV writes which params matter, with exact numbers.
func (s *site) paramsCSV(w http.ResponseWriter, r *http.Request) error {
	p, err := s.study(r)
	if err != nil {
		return err
	}
	t := Table{Columns: []Column{{Heading: "param"}, {Heading: "share"}, {Heading: "correlation"}, {Heading: "best_value"},
		{Heading: "median"}, {Heading: "runs_there"}, {Heading: "runs"}}}
	for _, one := range p.Params {
		correlation := ""
		if !math.IsNaN(one.Correlation) {
			correlation = exact(one.Correlation)
		}
		t.Rows = append(t.Rows, []string{one.all(), exact(one.Share), correlation, one.Best, exact(one.Median),
			strconv.Itoa(one.Runs), strconv.Itoa(one.Of)})
	}
	writeTable(w, "params.csv", "", t)
	return nil
}

// importance draws which params matter.
func (s *site) importance(format string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, err := s.study(r)
		if err != nil {
			return err
		}
		var names []string
		var shares chart.Series
		for _, one := range p.Params {
			if len(names) < maxTexts {
				name := plain(one.Keys[0])
				if n := len(one.Keys); n > 1 {
					name += fmt.Sprintf(" and %d more", n-1)
				}
				names, shares.Y = append(names, name), append(shares.Y, one.Share)
			}
		}
		return sendChart(w, r, chart.Bar(chart.Options{Title: "Share of the ranks of " + plain(p.Metric)}, names, shares), format,
			"importance")
	}
}
