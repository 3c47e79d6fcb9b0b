// Package open opens a tracker with the right backend for an address.
package open

import (
	"context"
	"strings"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/mlflow"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// Tracker connects to the database of uri (postgres://...), to the tracking server of uri (http://... or https://...:
// that of this project or MLflow's own) or, if uri is empty, to the private cluster in o.DataDir, which it starts if
// necessary. It brings the schema up to date and stores what killed programs left in their spools.
func Tracker(ctx context.Context, uri string, o tracker.Options) (*tracker.Tracker, error) {
	if isServer(uri) {
		return mlflow.Open(ctx, uri, o)
	}
	s, err := postgres.Open(ctx, uri, o)
	if err != nil {
		return nil, err
	}
	return s.Tracker, nil
}

// isServer reports whether an address is that of a tracking server and not of a database.
func isServer(uri string) bool {
	scheme, _, _ := strings.Cut(uri, "://")
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}
