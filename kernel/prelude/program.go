package prelude

import (
	"github.com/spherelab/spherelab/experiments/lab/session"
	"github.com/spherelab/spherelab/kernel/golang/notebook"
	"github.com/spherelab/spherelab/kernel/program"
)

// Program returns a notebook as a Go program that prints what its cells print and show. title is the notebook's name,
// content that of its file, and dir its folder, whose go.mod names the modules that cells import. The program calls
// package lab where cells do.
func Program(title string, content []byte, dir string) ([]byte, error) {
	s := session.New(session.Options{})
	o := options(Options{}, &database{}, s, func() string { return "" })
	o.Dir = dir
	checker, err := notebook.Checker(o)
	if err != nil {
		return nil, err
	}
	functions := map[string]bool{}
	for name := range sessionMethods(s) {
		functions[name] = true
	}
	return program.Write(title, content, checker, program.Lab{Path: labPath, Cells: labPath, Types: sessionPath,
		Functions: functions, Display: module + "/kernel/display", SQL: trackerPath + ".SQL"})
}
