package prelude

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// shownRows is how many rows of a query a notebook shows; the value in the cell has them all.
const shownRows = 200

// render shows the values of our packages that are tables. They know nothing of notebooks themselves.
func render(v interface{}) (display.Data, bool) {
	switch v := v.(type) {
	case *tracker.Table:
		if v != nil {
			return gridData(queryGrid(v))
		}
	case tracker.Table:
		return gridData(queryGrid(&v))
	case *eval.Report:
		if v != nil {
			return gridData(reportGrid(v))
		}
	case eval.Report:
		return gridData(reportGrid(&v))
	case *experiments.ResultGrid:
		if v != nil {
			return gridData(v.Grid("html"))
		}
	case *experiments.Grid:
		if v != nil {
			return gridData(v)
		}
	case experiments.Grid:
		return gridData(&v)
	}
	return display.Data{}, false
}

// gridData is a table as HTML, with its text for front ends without.
func gridData(g *experiments.Grid) (display.Data, bool) {
	var text, html bytes.Buffer
	if g.Write(&text, "text") != nil || g.Write(&html, "html") != nil {
		return display.Data{}, false
	}
	return display.MakeData3(display.MIMETypeHTML, text.String(), html.String()), true
}

func queryGrid(t *tracker.Table) *experiments.Grid {
	g := &experiments.Grid{}
	for j, name := range t.Columns {
		right := len(t.Rows) > 0
		for _, row := range t.Rows {
			switch row[j].(type) {
			case int64, float64, nil:
			default:
				right = false
			}
		}
		g.Columns = append(g.Columns, experiments.Column{Key: name, Right: right})
	}
	for i, row := range t.Rows {
		if i == shownRows {
			break
		}
		cells := make([]string, len(row))
		for j, value := range row {
			cells[j] = cellText(value)
		}
		g.Rows = append(g.Rows, cells)
	}
	switch n := len(t.Rows); {
	case n > shownRows:
		g.Notes = []string{fmt.Sprintf("the first %d of %d rows", shownRows, n)}
	case n == 1:
		g.Notes = []string{"1 row"}
	default:
		g.Notes = []string{fmt.Sprintf("%d rows", n)}
	}
	return g
}

// cellText shows a value of the database: NULL is empty, times are in UTC to the second.
func cellText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05")
	}
	return fmt.Sprint(value)
}

// reportGrid has a row for each cut of an evaluation.
func reportGrid(r *eval.Report) *experiments.Grid {
	g := &experiments.Grid{
		Title: fmt.Sprintf("%s, %s: %d triples, %d distinct head queries, %d distinct tail queries", r.Graph, r.Split, r.Triples, r.HeadQueries, r.TailQueries),
	}
	for i, heading := range []string{"cut", "head F1", "tail F1", "head RR", "tail RR", "n-n F1", "head precision", "tail precision", "head size", "tail size"} {
		g.Columns = append(g.Columns, experiments.Column{Key: heading, Right: i > 0})
	}
	for _, c := range r.Cuts {
		row := []string{c.Name}
		nn := "" // there are no n-to-n triples
		if r.NNTriples > 0 {
			nn = fraction(c.NNF1)
		}
		row = append(row, fraction(c.Head.F1), fraction(c.Tail.F1), fraction(c.Head.RR), fraction(c.Tail.RR), nn,
			fraction(c.Head.Precision), fraction(c.Tail.Precision), fmt.Sprintf("%.1f", c.Head.Size), fmt.Sprintf("%.1f", c.Tail.Size))
		g.Rows = append(g.Rows, row)
	}
	if k := r.Ranking; k != nil {
		g.Notes = append(g.Notes, fmt.Sprintf("filtered ranking: MRR %s, hits@1 %s, hits@3 %s, hits@10 %s, mean rank %.1f",
			fraction(k.Both.MRR), fraction(k.Both.Hits1), fraction(k.Both.Hits3), fraction(k.Both.Hits10), k.Both.MR))
	}
	return g
}

func fraction(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
