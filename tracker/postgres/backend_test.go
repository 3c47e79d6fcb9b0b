package postgres_test

import (
	"context"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/backendtest"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// network is a database behind a proxy.
type network struct {
	*proxy
	stored *postgres.Store
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	uri := trackertest.Database(t)
	return &network{proxy: newProxy(t, uri), stored: trackertest.StoreWith(t, uri, tracker.Options{})}
}

func (n *network) Open(_ *testing.T, o tracker.Options) (*tracker.Tracker, error) {
	return open.Tracker(context.Background(), n.uri, o)
}

func (n *network) Stored() *postgres.Store { return n.stored }

func (n *network) Away() { n.cut() }

func (n *network) Back() { n.mend() }

func (n *network) LoseAnswers() { n.lose(lostAnswer) }

func (n *network) Lost() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.commit == lostNothing
}

func TestBackend(t *testing.T) {
	t.Parallel()
	backendtest.Run(t, func(t *testing.T) backendtest.Site { return newNetwork(t) })
}
