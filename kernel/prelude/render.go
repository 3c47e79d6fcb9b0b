package prelude

import (
	"github.com/spherelab/spherelab/experiments/lab"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// render shows values of our packages as tables. These packages do not depend on notebooks; package lab shows its own
// values.
func render(v interface{}) (display.Data, bool) {
	switch v := v.(type) {
	case *tracker.Table:
		if v != nil {
			return display.Render(lab.NewRows(v))
		}
	case tracker.Table:
		return display.Render(lab.NewRows(&v))
	case *eval.Report:
		if v != nil {
			return display.Render(lab.NewReport(v))
		}
	case eval.Report:
		return display.Render(lab.NewReport(&v))
	case *results.ResultTable:
		if v != nil {
			return display.Render(lab.NewTable(v))
		}
	case *results.Grid:
		if v != nil {
			return display.Render(lab.NewGrid(v))
		}
	case results.Grid:
		return display.Render(lab.NewGrid(&v))
	}
	return display.Data{}, false
}
