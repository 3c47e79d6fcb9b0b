package postgres

import (
	"context"

	"github.com/lib/pq"
)

// ConfigKeys returns, by the ids of runs, a key for everything that decides the numbers of a run except its seed: runs
// with one key differ in the seed alone. It is config_key of the view run_wide, and "" for a run without params.
func (t *Store) ConfigKeys(ctx context.Context, ids []string) (map[string]string, error) {
	keys := map[string]string{}
	err := t.retry(ctx, "reading the configs of runs", func(ctx context.Context) error {
		var rows []struct {
			ID  string `db:"run_id"`
			Key string `db:"config_key"`
		}
		if err := t.db.SelectContext(ctx, &rows, `SELECT run_id, coalesce(config_key, '') AS config_key
			FROM spherelab.run_wide WHERE run_id = ANY ($1)`, pq.Array(ids)); err != nil {
			return err
		}
		for _, r := range rows {
			keys[r.ID] = r.Key
		}
		return nil
	})
	return keys, err
}
