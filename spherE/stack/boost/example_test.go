package boost_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spherelab/spherelab/spherE/stack/boost"
)

func ExampleFit() {
	d := boost.Data{Features: 1}
	for x := range 20 { // right from 12 on
		d.X = append(d.X, float32(x))
		d.Right = append(d.Right, x >= 12)
		d.Base = append(d.Base, 0)
	}
	settings := boost.Settings{Trees: 5, Depth: 1, Rate: 0.5, Ridge: 1, Least: 0.5, Bins: 255}
	f, err := boost.Fit(context.Background(), d, settings)
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range []float32{3, 11, 12, 19} {
		fmt.Printf("%2.0f: %+.2f\n", x, f.Sum([]float32{x}))
	}
	// Output:
	// 3: -2.38
	// 11: -2.38
	// 12: +2.15
	// 19: +2.15
}
