// Package backendtest tests backends of a tracker. Its scenarios have faults of the network between the tracker and its
// store.
package backendtest

import (
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
)

// Site is a store behind a network that a test can disturb.
type Site interface {
	// Open opens a tracker over the network.
	Open(t *testing.T, o tracker.Options) (*tracker.Tracker, error)
	// Stored is the database behind the network.
	Stored() *postgres.Store
	// Away makes the store unreachable until Back.
	Away()
	Back()
	// LoseAnswers loses the answer to the next request, or to the next request of each kind, after the store has done
	// it.
	LoseAnswers()
	// Lost reports whether an answer was lost since LoseAnswers.
	Lost() bool
}

// Run runs all scenarios, each on a site of its own.
func Run(t *testing.T, site func(t *testing.T) Site) {
	for name, scenario := range map[string]func(*testing.T, Site){
		"a run is logged, read, found, deleted and fetched": wholeRun,
		"answers are lost":                            lostAnswers,
		"the store is away when a run ends":           awayAtTheEnd,
		"a program is killed":                         killedProgram,
		"a long spool is stored once":                 longSpool,
		"records are refused":                         refusedRecords,
		"a run is removed before its spool is stored": removedRun,
		"a group is one run":                          oneGroup,
		"a run is asked to stop":                      stoppedRun,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario(t, site(t))
		})
	}
}

// open opens a tracker that writes continuously.
func open(t *testing.T, s Site, dir string) *tracker.Tracker {
	t.Helper()
	return opened(t, s, tracker.Options{DataDir: dir, FlushEvery: 10 * time.Millisecond,
		Say: func(line string) { t.Log(line) }})
}

// slow opens a tracker that writes only on demand, and gives up soon.
func slow(t *testing.T, s Site, dir string, say func(string)) *tracker.Tracker {
	t.Helper()
	return opened(t, s, tracker.Options{DataDir: dir, FlushEvery: time.Hour, RetryFor: 10 * time.Millisecond, Say: say})
}

func opened(t *testing.T, s Site, o tracker.Options) *tracker.Tracker {
	t.Helper()
	tr, err := s.Open(t, o)
	expect.NoError(t, err)
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Log("closing the tracker: ", err)
		}
	})
	return tr
}
