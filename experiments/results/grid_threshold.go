package results

import (
	"strconv"

	"github.com/spherelab/spherelab/experiments/answer"
	"github.com/spherelab/spherelab/tracker"
)

// ThresholdGrid returns the fitted thresholds that a run keeps on this machine: a row per relation, and for each fitted
// cut a column per side. It has no rows if there are none.
func ThresholdGrid(info tracker.RunInfo) *Grid {
	g := &Grid{Title: "Thresholds of fitted cuts", Columns: []Column{{Key: "relation"}}}
	list, relations := answer.StoredThresholds(info)
	for _, t := range list {
		g.Columns = append(g.Columns, Column{Key: t.Name + " head", Right: true}, Column{Key: t.Name + " tail", Right: true})
	}
	text := func(x float32) string { return strconv.FormatFloat(float64(x), 'g', 5, 32) }
	for i, relation := range relations {
		row := []string{relation}
		for _, t := range list {
			row = append(row, text(t.Head[i]), text(t.Tail[i]))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}
