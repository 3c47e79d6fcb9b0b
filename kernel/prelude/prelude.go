// Package prelude assembles a kernel: the server of package kernel, the interpreter, the linked packages, and what
// cells have without an import: our packages, %%sql, and values shown as tables.
package prelude

import (
	"context"

	"github.com/spherelab/spherelab/experiments/lab/session"
	"github.com/spherelab/spherelab/kernel"
	"github.com/spherelab/spherelab/kernel/bindings"
	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/display"
	golang "github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
	"github.com/spherelab/spherelab/tracker"
)

const module = "github.com/spherelab/spherelab"

// imported are the packages that cells have without an import.
var imported = []string{
	labPath, module + "/chart", module + "/spherE", module + "/spherE/kg", module + "/spherE/eval",
	module + "/spherE/retrieve", module + "/experiments", trackerPath,
}

// offered are the packages that examples of ours use.
var offered = map[string]string{
	"csv": "encoding/csv", "filepath": "path/filepath", "fmt": "fmt", "os": "os", "strings": "strings",
}

// Options configure a kernel.
type Options struct {
	// Bare imports nothing before the first cell.
	Bare bool
	// Sources are further linked packages, as kernel/bindings/generate writes them.
	Sources []bindings.Source
	// Tracker opens the tracker that %%sql queries and to which package lab logs runs. nil: there is no %%sql, and
	// nothing is logged.
	Tracker func(ctx context.Context) (*tracker.Tracker, error)
	// DataDirs are the folders in which lab.Graph searches graphs by name; the current folder comes last.
	DataDirs []string
	// Version is shown by front ends.
	Version string
}

// Serve runs a kernel on the sockets that the connection file names, until it is shut down.
func Serve(ctx context.Context, connectionFile string, o Options) error {
	database := &database{open: o.Tracker}
	defer database.close()
	return kernel.Serve(ctx, connectionFile, engine(o, database))
}

func engine(o Options, d *database) *withLab {
	cell := newCell()
	var e *notebook.Engine
	s := session.New(session.Options{Cell: cell, Tracker: d.tracker(), DataDirs: o.DataDirs,
		Modules: func() map[string][]byte { return e.Modules() }})
	e = notebook.New(options(o, d, s, func() string { return e.Source() }))
	return &withLab{Engine: e, cell: cell}
}

// options are what the cells of a session can use. text returns those that ran.
func options(o Options, d *database, s *session.Session, text func() string) notebook.Options {
	set := bindings.New(append(withSession(bindings.All(), s, text), o.Sources...)...)
	options := notebook.Options{
		Linked: func() (golang.Library, error) { return set.Linked() },
		Doc: func(path, name string) string {
			text, _ := set.Doc(path, name)
			return text
		},
		Render:  render,
		Words:   labWords(session.NewCompleter(s)),
		Version: o.Version,
		Magics:  map[string]command.Magic{},
	}
	if d.open != nil {
		options.Magics["sql"] = d.sql
	}
	if !o.Bare {
		options.Offered = offered
		for _, path := range imported {
			options.Prelude = append(options.Prelude, notebook.Import{Path: path})
		}
	}
	return options
}

// render shows values of our packages that do not depend on notebooks.
func render(v any) (display.Data, bool) {
	view, ok := session.View(v)
	if !ok {
		return display.Data{}, false
	}
	return display.Render(view)
}
