package present

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/spherelab/spherelab/experiments/results"
	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/internal/visible"
)

// narrowest is the min width that tables are fitted into.
const narrowest = 40

// Of returns the page that results are printed on. A terminal has a width and, unless NO_COLOR is set, colours. A file
// or pipe has neither. COLUMNS overrides the width, for pipes too. lookup reads the environment.
func Of(w io.Writer, lookup func(string) string) results.Page {
	width := Width(w, lookup)
	p := results.Page{Width: width, Color: width > 0 && lookup("NO_COLOR") == ""}
	if n, err := strconv.Atoi(lookup("COLUMNS")); err == nil && n > 0 {
		p.Width = n
	}
	if p.Width > 0 {
		p.Width = max(p.Width, narrowest)
	}
	return p
}

// Width returns the width of the terminal behind w, 0 if there is none or if it is a dumb one.
func Width(w io.Writer, lookup func(string) string) int {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) || lookup("TERM") == "dumb" {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 80
	}
	return width
}

// CSV returns a writer for CSV. Characters that steer a terminal are escaped on a terminal and kept in a file or pipe.
func CSV(w io.Writer) io.Writer {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return &visible.Writer{W: w}
	}
	return w
}

// WriteGrid writes a grid whose hints say what to type.
func WriteGrid(w io.Writer, p results.Page, g *results.Grid, format string) error {
	g.Word(func(hints []hint.Hint) string { return Hints(hints, Program()) })
	switch format {
	case "text":
		return g.WriteText(w, p)
	case "csv":
		return g.Write(CSV(w), format)
	}
	return g.Write(w, format)
}
