package prelude

import (
	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/experiments/lab"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/spherE/eval"
	"github.com/spherelab/spherelab/tracker"
)

// render shows the values of our packages that are tables and know nothing of notebooks themselves, as package lab shows its own.
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
	case *experiments.ResultGrid:
		if v != nil {
			return display.Render(lab.NewTable(v))
		}
	case *experiments.Grid:
		if v != nil {
			return display.Render(lab.NewGrid(v))
		}
	case experiments.Grid:
		return display.Render(lab.NewGrid(&v))
	}
	return display.Data{}, false
}
