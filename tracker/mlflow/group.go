package mlflow

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/storage"
	"github.com/spherelab/spherelab/tracker/rest"
)

// OpenGroup returns the id of a group. The server chooses ids, so programs that create the group at the same moment may
// create two.
func (m *remote) OpenGroup(ctx context.Context, g tracker.GroupSpec, tags map[string]string) (id string, err error) {
	f := tracker.Filter{Experiment: g.Experiment, Name: g.Name, Tags: map[string]string{tracker.TagGroup: g.Kind},
		Groups: true}
	err = m.retry(ctx, "opening the group "+g.Name, func(ctx context.Context) error {
		id = ""
		err := m.each(ctx, f, func(r tracker.RunInfo) bool { // the oldest is the last
			id = r.ID
			return true
		})
		if err != nil {
			return err
		}
		if id == "" {
			experiment, err := m.experiment(ctx, g.Experiment)
			if err != nil {
				return err
			}
			made, err := m.c.CreateRun(ctx, rest.NewRun{Experiment: experiment, Name: g.Name, User: tags["mlflow.user"],
				Start: time.Now().UnixMilli(), Tags: pairs(tags)})
			if err != nil {
				return err
			}
			id = made.Info.ID
		}
		if !isRemoteID(id) {
			return tracker.Errorf(tracker.CodeInternal, nil, "%s returned the id %.70q for the group, which is not a run id", m.where(), id)
		}
		if err := m.c.UpdateRun(ctx, id, string(tracker.Running), 0); err != nil {
			return err
		}
		if err := m.logPairs(ctx, id, nil, pairs(tags)); err != nil {
			return err
		}
		if err := storage.WriteFiles(m.folder(id), g.Files); err != nil {
			return err
		}
		return m.upload(ctx, id, slices.Sorted(maps.Keys(g.Files)))
	})
	return id, err
}
