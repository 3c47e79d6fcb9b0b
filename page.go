package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
)

// narrowest is the least width that tables are fitted into.
const narrowest = 40

// page is what results are printed on: a terminal with its width and, unless NO_COLOR is set, its colours; or a file or
// pipe, where a line is as long as it has to be. COLUMNS says another width, for pipes too.
func (a *app) page() results.Page {
	width := terminalWidth(a.stdout)
	p := results.Page{Width: width, Color: width > 0 && a.lookup("NO_COLOR") == ""}
	if n, err := strconv.Atoi(a.lookup("COLUMNS")); err == nil && n > 0 {
		p.Width = n
	}
	if p.Width > 0 {
		p.Width = max(p.Width, narrowest)
	}
	return p
}

// csv is where CSV is written. A terminal gets no character that steers it; a file or a pipe gets all of them.
func (a *app) csv() io.Writer {
	if file, ok := a.stdout.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &visible.Writer{W: a.stdout}
	}
	return a.stdout
}

// writeGrid writes a grid whose hints say what to type.
func (a *app) writeGrid(g *results.Grid, format string) error {
	g.Word(func(hints []hint.Hint) string { return hintText(hints, programName()) })
	switch format {
	case "text":
		return g.WriteText(a.stdout, a.page())
	case "csv":
		return g.Write(a.csv(), format)
	}
	return g.Write(a.stdout, format)
}
