// Command spherelab trains and evaluates SpherE and its relatives on knowledge graphs, logs every run to Postgres,
// answers set queries from trained models, and is a Jupyter kernel that has all of that linked in.
package main

import "github.com/spherelab/spherelab/experiments/app"

func main() { app.Main() }
