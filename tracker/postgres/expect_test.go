package postgres_test

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

	allFiles     = trackertest.AllFiles
	startRun     = trackertest.StartRun
	execute      = trackertest.Execute
	rowsOfTables = trackertest.RowsOfTables
	fullRun      = trackertest.FullRun
	resultsOf    = trackertest.ResultsOf
	unlikePoints = trackertest.UnlikePoints
)

func must[T any](t *testing.T) func(T, error) T { return expect.Must[T](t) }
