package command

import (
	"io"

	"github.com/spherelab/spherelab/experiments/progress"
	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/present"
)

// page returns the properties of what results are printed on.
func (a *app) page() results.Page { return present.Of(a.stdout, a.lookup) }

// writeGrid writes a grid whose hints say what to type.
func (a *app) writeGrid(g *results.Grid, format string) error {
	return present.WriteGrid(a.stdout, a.page(), g, format)
}

// writeAnswer writes the output of write, laid out for w.
func (a *app) writeAnswer(w io.Writer, write func(w io.Writer, width int) error) error {
	p := a.page()
	if w != a.stdout {
		p = results.Page{} // a file
	}
	return present.WriteAnswer(w, p, write)
}

// progress reports in JSON for machines, as bars on a terminal, else in plain lines. end must be called before anything
// else is written.
func (a *app) progress(asJSON bool) (p progress.Listener, end func()) {
	if asJSON {
		return progress.NewJSON(a.stdout), func() {}
	}
	if width := present.Width(a.stderr, a.lookup); width > 0 {
		bars := progress.NewBar(a.stderr, width)
		return bars, bars.Close
	}
	return progress.NewLines(a.stderr), func() {}
}
