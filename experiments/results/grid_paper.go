package results

import (
	"strings"

	"github.com/spherelab/spherelab/internal/quantity"
)

// PaperGrid shows runs next to the paper's numbers: for each cut that the paper prints for their models, a line per run
// and then the paper's. It has no rows if the paper does not have their graphs and models.
func PaperGrid(runs []Run) (*Grid, error) {
	paper, err := readPaper()
	if err != nil {
		return nil, err
	}
	g := &Grid{Title: "Next to the paper", Columns: []Column{{Key: "model"}, {Key: "cut"}, {Key: "variant"},
		{Key: "source"}}}
	for _, m := range paperMetrics {
		g.Columns = append(g.Columns, Column{Key: strings.ReplaceAll(m.String(), "_", " "), Right: true})
	}
	rows := make([][]Row, len(runs))
	for i, run := range runs {
		rows[i], _ = runRows(run)
	}
	for _, table := range paper.Results {
		for _, printed := range table.Rows {
			found := false
			for i, run := range runs {
				for _, row := range rows[i] {
					if run.Graph != table.Graph || row.Model != printed.Model || row.CutName() != printed.CutName {
						continue
					}
					row.Paper = table.cells(row.Model, row.Cut)
					g.Rows = append(g.Rows, append([]string{row.Model, row.cutText(), row.Variant, run.String()},
						besidePaper(row)...))
					found = true
				}
			}
			if found {
				line := []string{printed.Model, printed.CutName, table.Variant, "paper: " + printed.Printed}
				for _, x := range printed.Values {
					line = append(line, quantity.Fraction(x, 3))
				}
				g.Rows = append(g.Rows, line)
			}
		}
	}
	if len(g.Rows) > 0 {
		g.AddNote("In brackets: the run's number minus the paper's.")
	}
	return g, nil
}

// besidePaper returns the numbers of a row that the paper prints too, with the difference to the paper's.
func besidePaper(row Row) []string {
	var cells []string
	for _, m := range paperMetrics {
		text := ""
		if n, ok := row.Numbers[m]; ok {
			text = quantity.Fraction(n.Value, 3)
			if d := row.lessPaper(m); d != nil {
				text += " (" + signed(*d) + ")"
			}
		}
		cells = append(cells, text)
	}
	return cells
}
