package tracker_test

import (
	"fmt"

	"github.com/spherelab/spherelab/tracker"
)

func ExampleParseCutKey() {
	metric, cut, ok := tracker.ParseCutKey("test/head_f1@top-10")
	fmt.Println(metric, cut, ok)
	key, ok := tracker.CutKey("test/head_f1", "top-10")
	fmt.Println(key, ok)
	// Output:
	// test/head_f1 top-10 true
	// test/head_f1@top-10 true
}
