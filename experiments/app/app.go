// Package app is the program spherelab for a main function of another module, which links models of its own: each calls
// sphere.Register, in init or before Main. Then `train GRAPH MODEL`, stacks, sweeps, tables, the pages in the browser
// and the notebooks have them. Runs of such a model are read by programs that link it.
package app

import (
	"context"
	"os"

	"github.com/spherelab/spherelab/internal/command"
)

// Main runs the command line of the process and ends it with its exit code.
func Main() {
	os.Exit(command.Run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
