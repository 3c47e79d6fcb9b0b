package mlflow_test

import (
	"testing"

	"github.com/spherelab/spherelab/tracker/trackertest"
)

var (
	noError   = trackertest.NoError
	wantCode  = trackertest.WantCode
	wantHints = trackertest.WantHints
	connect   = trackertest.Connect
)

func must[T any](t *testing.T) func(T, error) T { return trackertest.Must[T](t) }
