package results

import "strings"

// PaperGrid puts runs beside the paper's numbers, a line per run and then the paper's, for each cut that the paper
// prints of their models. It has no rows where the paper has none of their graphs and models.
func PaperGrid(runs []Run) (*Grid, error) {
	paper, err := readPaper()
	if err != nil {
		return nil, err
	}
	g := &Grid{Title: "Beside the paper", Columns: []Column{{Key: "model"}, {Key: "cut"}, {Key: "variant"},
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
					line = append(line, fraction(x))
				}
				g.Rows = append(g.Rows, line)
			}
		}
	}
	if len(g.Rows) > 0 {
		g.AddNote("In brackets: the run's number less the paper's.")
	}
	return g, nil
}

// besidePaper are the numbers of a row that the paper prints too, with what they are above the paper's.
func besidePaper(row Row) []string {
	var cells []string
	for _, m := range paperMetrics {
		text := ""
		if n, ok := row.Numbers[m]; ok {
			text = fraction(n.Value)
			if d := row.lessPaper(m); d != nil {
				text += " (" + signed(*d) + ")"
			}
		}
		cells = append(cells, text)
	}
	return cells
}
