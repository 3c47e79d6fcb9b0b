package mlflow_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/backendtest"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// network is a site whose server can be away, or lose its answers.
type network struct {
	*site
	lost *sync.Map // by method and path
}

func (n *network) Open(_ *testing.T, o tracker.Options) (*tracker.Tracker, error) {
	return open.Tracker(context.Background(), n.uri, o)
}

func (n *network) Stored() *postgres.Store { return n.stored }

func (n *network) Away() {
	away := func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	n.before.Store(&away)
}

func (n *network) Back() {
	n.before.Store(nil)
	n.after.Store(nil)
}

func (n *network) LoseAnswers() {
	lost := &sync.Map{}
	n.lost = lost
	lose := func(r *http.Request) { // the first request of each kind is done, and not answered
		if _, again := lost.LoadOrStore(r.Method+r.URL.Path, true); !again {
			panic(http.ErrAbortHandler)
		}
	}
	n.after.Store(&lose)
}

func (n *network) Lost() (some bool) {
	n.lost.Range(func(key, _ any) bool {
		some = strings.HasPrefix(key.(string), "POST")
		return !some
	})
	return some
}

func TestBackend(t *testing.T) {
	t.Parallel()
	backendtest.Run(t, func(t *testing.T) backendtest.Site { return &network{site: newSite(t)} })
}
