package tracker_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestClientsRenameARunAtOnce: requests for one run wait for one another and not in a circle, out of which the database
// takes them by failing one after a second.
func TestClientsRenameARunAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	tr := trackertest.OpenWith(t, trackertest.Database(t), tracker.Options{
		Say: func(line string) { t.Error("a request had to be sent again: ", line) }})
	id, err := tr.CreateRun(ctx, 0, tracker.ClientRun{Name: "before"})
	noError(t, err)
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 25 {
				tags := map[string]string{"mlflow.runName": fmt.Sprintf("%d-%d", client, i)}
				if err := tr.Store(ctx, id, tracker.Records{Tags: tags}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
}
