package kernel

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// asKernel makes the test binary a kernel with the fake engine: its argument is the connection file. Clients in other
// languages, and tests of signals and of the death of the parent, start it so.
const asKernel = "SPHERELAB_TEST_FAKE_KERNEL"

func TestMain(m *testing.M) {
	if os.Getenv(asKernel) != "" {
		if err := Serve(context.Background(), os.Args[len(os.Args)-1], newFake()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if dir, err := buildDir(); err == nil {
		_ = os.RemoveAll(dir) // a folder left behind does not fail the tests
	}
	os.Exit(code)
}
