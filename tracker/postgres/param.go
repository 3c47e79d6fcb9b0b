package postgres

import (
	"context"

	"github.com/lib/pq"
)

// Params returns params of runs by the ids of the runs: those with the given keys, or all where keys is nil. It reads
// only them, so it is fast where runs have hundreds of metrics.
func (t *Store) Params(ctx context.Context, ids, keys []string) (map[string]map[string]string, error) {
	query, args := `SELECT run_uuid, key, coalesce(value, '') AS value FROM public.params WHERE run_uuid = ANY ($1)`,
		[]any{pq.Array(ids)}
	if keys != nil {
		query, args = query+` AND key = ANY ($2)`, append(args, pq.Array(keys))
	}
	var params map[string]map[string]string
	err := t.retry(ctx, "reading params", func(ctx context.Context) error {
		params = make(map[string]map[string]string, len(ids))
		var rows []struct {
			Run        string `db:"run_uuid"`
			Key, Value string
		}
		if err := t.db.SelectContext(ctx, &rows, query, args...); err != nil {
			return err
		}
		for _, x := range rows {
			if params[x.Run] == nil {
				params[x.Run] = map[string]string{}
			}
			params[x.Run][x.Key] = x.Value
		}
		return nil
	})
	return params, err
}
