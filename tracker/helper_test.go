package tracker_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/spherelab/spherelab/tracker"
)

func startRun(t *testing.T, tr *tracker.Tracker, name string) *tracker.Run {
	t.Helper()
	run, err := tr.StartRun(context.Background(), tracker.RunSpec{Experiment: "test", Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// asRole is uri with another login.
func asRole(t *testing.T, uri, role, password string) string {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, password)
	return u.String()
}
