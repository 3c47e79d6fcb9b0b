package backup

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// notInBackup are tables of ours that a database creates for itself.
var notInBackup = []string{"goose_ledger", "reader", "run_summary", "epoch_summary", "summary_horizon"}

// isBackedUp is the condition that a table c in a schema n belongs to MLflow ($1) or to this program (but $2). The
// rows of a partitioned table are read and written through it.
const isBackedUp = `c.relkind IN ('r', 'p') AND (n.nspname = 'public' AND c.relname = ANY ($1)
	OR n.nspname = 'spherelab' AND c.relname <> ALL ($2))`

// storedTable is a table with its columns.
type storedTable struct {
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

func (b storedTable) entry() string { return path.Join(tableFolder, b.Schema+"."+b.Name+".gz") }

func (b storedTable) sql() string {
	return pq.QuoteIdentifier(b.Schema) + "." + pq.QuoteIdentifier(b.Name)
}

// tablesOf returns the tables of a backup at a revision of MLflow's. Tables that others refer to come first.
func tablesOf(ctx context.Context, db sqlx.QueryerContext, revision string) ([]storedTable, error) {
	var rows []struct {
		Schema, Name string
		Columns      pq.StringArray
		Needs        pq.StringArray
	}
	err := sqlx.SelectContext(ctx, db, &rows, `WITH backed AS (SELECT c.oid, n.nspname, c.relname
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE `+isBackedUp+`)
		SELECT c.nspname AS schema, c.relname AS name,
			array(SELECT attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND attnum > 0 AND NOT attisdropped
				AND attgenerated = '' ORDER BY attnum) AS columns,
			array(SELECT d.nspname || '.' || d.relname FROM pg_constraint f JOIN backed d ON d.oid = f.confrelid
				WHERE f.conrelid = c.oid AND f.contype = 'f' AND d.oid <> c.oid) AS needs
		FROM backed c ORDER BY 1, 2`, pq.Array(mlflowTables(revision)), pq.Array(notInBackup))
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	var list []storedTable
	for len(list) < len(rows) {
		n := len(list)
		for _, r := range rows {
			name := r.Schema + "." + r.Name
			if !done[name] && !slices.ContainsFunc(r.Needs, func(other string) bool { return !done[other] }) {
				done[name] = true
				list = append(list, storedTable{r.Schema, r.Name, r.Columns})
			}
		}
		if len(list) == n {
			return nil, errors.New("tables refer to each other in a circle")
		}
	}
	return list, nil
}

// foreignTables returns the names of the other tables in schema public: those of other programs that share the
// database, or of an MLflow that is newer than this program. Parts of partitioned tables and tables of extensions do
// not count.
func foreignTables(ctx context.Context, db sqlx.QueryerContext, revision string) (names []string, err error) {
	err = sqlx.SelectContext(ctx, db, &names, `SELECT c.relname FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND c.relname <> ALL ($1) AND c.relname <> 'alembic_version' AND NOT EXISTS (SELECT FROM pg_depend d
				WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
		ORDER BY 1`, pq.Array(mlflowTables(revision)))
	return names, err
}
