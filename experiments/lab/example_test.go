package lab_test

import (
	"context"
	"fmt"
	"io"

	"github.com/spherelab/spherelab/experiments/lab"
)

func ExampleGraph() {
	g := lab.Graph("bundled")
	lab.Show(g.Find("max bron").Strings("name")[0])
	lab.Show(g.Facts("advised").Strings("relation")[0])
	// Output:
	// Max Born
	// advised
}

func ExampleError() {
	defer func() { fmt.Println(recover().(*lab.Error).Name) }()
	lab.Graph("bundled").Facts("Max Bron")
	// Output: UnknownEntity
}

// A program that ends with Main needs none of this: Main opens and closes the session, and writes errors.
func ExampleOpen() {
	if err := lab.Open(context.Background(), lab.Options{Progress: io.Discard}); err != nil {
		fmt.Println(err)
		return
	}
	defer lab.Close()
	run := lab.Train(lab.Graph("bundled"), lab.Model("sphere-2d").Dim(8).Epochs(5))
	lab.Show(run.Ask("Max Born", "advised", "?"))
}
