// Command own is spherelab with models of its own.
package main

import (
	_ "github.com/spherelab/spherelab/docs/library/geometry" // registers own-transe-l2, protate and tucker
	"github.com/spherelab/spherelab/experiments/app"
)

func main() { app.Main() }
