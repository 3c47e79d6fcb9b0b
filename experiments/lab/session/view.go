package session

import (
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// View returns a value of packages tracker, eval or results as the table of this package that shows it, and whether
// there is one. Those packages do not depend on notebooks.
func View(v any) (any, bool) {
	switch v := v.(type) {
	case *tracker.Table:
		if v != nil {
			return newRows(v), true
		}
	case tracker.Table:
		return newRows(&v), true
	case *eval.Report:
		if v != nil {
			return newReport(v), true
		}
	case eval.Report:
		return newReport(&v), true
	case *results.ResultTable:
		if v != nil {
			return newTable(v), true
		}
	case *results.Grid:
		if v != nil {
			return newGrid(v), true
		}
	case results.Grid:
		return newGrid(&v), true
	}
	return nil, false
}
