package notebook

import (
	"fmt"
	"strings"

	"github.com/spherelab/spherelab/kernel/command"
	"github.com/spherelab/spherelab/kernel/golang/cell"
	"github.com/spherelab/spherelab/kernel/golang/run"
)

// running is the cell that runs, as its commands see it.
type running struct {
	*Engine
	x    *run.Execution
	name string
}

var _ command.Session = (*running)(nil)

// values are those of a cell's last expression, and how it ends.
type values struct {
	list   []any
	ending cell.Ending
	name   string // of the cell, or of the file
}

// Evaluate implements command.Session.
func (r *running) Evaluate(file, code string, line int) (any, error) {
	name := r.name
	if file != "" {
		name = file
		r.note(file, code)
	}
	list, err := r.session.Run(name, below(code, line), r.x)
	return values{list, r.session.Ending(), name}, err
}

// below puts code on its line.
func below(code string, line int) string { return strings.Repeat("\n", line-1) + code }

// Prepare implements command.Session.
func (r *running) Prepare(code string, line int) (once func() error, done func(), err error) {
	once1, err := r.session.Prepare(r.name, below(code, line))
	if err != nil {
		return nil, nil, err
	}
	return func() error { return once1(r.x) }, func() {}, nil
}

// Describe implements command.Session.
func (r *running) Describe(path string) (string, bool) { return r.session.DescribeAll(path) }

// Names implements command.Session.
func (r *running) Names() []command.Name {
	var list []command.Name
	err := r.session.Do(r.x, func() {
		for _, n := range r.session.Names() {
			list = append(list, command.Name(n))
		}
	})
	if err != nil { // the cell is left behind, which its end says
		return nil
	}
	return list
}

// Reset implements command.Session.
func (r *running) Reset() { r.session.Reset() }

// Interrupted implements command.Session.
func (r *running) Interrupted() bool { return r.x.IsStopped() }

func cellName(number int) string { return fmt.Sprintf("cell [%d]", number) }
