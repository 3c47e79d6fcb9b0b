// Command spherelab trains and evaluates SpherE and its relatives on knowledge graphs, logs every run to Postgres,
// answers set queries from trained models, and is a Jupyter kernel that has all of that linked in.
package main

import (
	"context"
	"os"

	"github.com/spherelab/spherelab/internal/command"
)

func main() {
	os.Exit(command.Run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
