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
	_, has, err := m.tag(ctx, id, key)
	if err == nil && has {
		err = m.c.DeleteTag(ctx, id, key)
	}
	return serverFault(err)
}

// Tag returns the value of a tag, "" if the run lacks it.
func (m *remote) Tag(ctx context.Context, id, key string) (string, error) {
	value, _, err := m.tag(ctx, id, key)
	return value, serverFault(err)
}

// tag returns the value of a tag and whether the run has it.
func (m *remote) tag(ctx context.Context, id, key string) (value string, has bool, err error) {
	run, err := m.c.Run(ctx, id)
	at := slices.IndexFunc(run.Data.Tags, func(p rest.Pair) bool { return p.Key == key })
	if err != nil || at < 0 {
		return "", false, err
	}
	return run.Data.Tags[at].Value, true, nil
}
