package backup

import (
	"context"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// sequencesOf returns the sequences that belong to tables, which are given as SCHEMA.NAME, and those of schema
// spherelab that belong to no table, with their last numbers. Other programs that share the database have sequences
// too.
func sequencesOf(ctx context.Context, tx *sqlx.Tx, tables map[string]int64) (map[string]*int64, error) {
	var list []struct {
		Name string
		Last *int64
	}
	err := tx.SelectContext(ctx, &list, `SELECT quote_ident(q.schemaname) || '.' || quote_ident(q.sequencename) AS name,
			q.last_value AS last
		FROM pg_sequences q JOIN pg_namespace m ON m.nspname = q.schemaname
			JOIN pg_class s ON s.relnamespace = m.oid AND s.relname = q.sequencename
			LEFT JOIN LATERAL (SELECT n.nspname || '.' || c.relname AS name FROM pg_depend d
				JOIN pg_class c ON c.oid = d.refobjid JOIN pg_namespace n ON n.oid = c.relnamespace
				WHERE d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.refclassid = 'pg_class'::regclass
					AND d.deptype IN ('a', 'i')) owner ON true
		WHERE owner.name = ANY ($1) OR owner.name IS NULL AND q.schemaname = 'spherelab'`, pq.Array(slices.Sorted(maps.Keys(tables))))
	sequences := map[string]*int64{}
	for _, s := range list {
		sequences[s.Name] = s.Last
	}
	return sequences, err
}
