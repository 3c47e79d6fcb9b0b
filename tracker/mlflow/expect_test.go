package mlflow_test

import (
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

var (
	noError   = expect.NoError
	wantCode  = trackertest.WantCode
	wantHints = trackertest.WantHints
	connect   = trackertest.Connect
)

func must[T any](t *testing.T) func(T, error) T { return expect.Must[T](t) }
