package mlflow

import (
	"context"
	"slices"

	"github.com/spherelab/spherelab/tracker/rest"
)

// SetTag sets a tag of a run, or deletes it if the value is "".
func (m *remote) SetTag(ctx context.Context, id, key, value string) error {
	if value != "" {
		return serverFault(m.c.SetTag(ctx, id, rest.Pair{Key: key, Value: value}))
	}
	run, err := m.c.Run(ctx, id)
	if err == nil && slices.ContainsFunc(run.Data.Tags, func(p rest.Pair) bool { return p.Key == key }) {
		err = m.c.DeleteTag(ctx, id, key)
	}
	return serverFault(err)
}
