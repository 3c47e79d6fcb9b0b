package tracker

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// mlflowTables are the tables that MLflow 2.0 to 3.17 make, but that of their revision.
var mlflowTables = []string{"assessments", "budget_policies", "datasets", "endpoint_bindings",
	"endpoint_model_mappings", "endpoint_tags", "endpoints", "entity_associations", "evaluation_dataset_records",
	"evaluation_dataset_tags", "evaluation_datasets", "experiment_tags", "experiments", "guardrail_configs",
	"guardrails", "input_tags", "inputs", "issues", "job_locks", "jobs", "label_schemas", "latest_metrics",
	"logged_model_metrics", "logged_model_params", "logged_model_tags", "logged_models", "mcp_access_endpoints",
	"mcp_server_aliases", "mcp_server_tags", "mcp_server_version_tags", "mcp_server_versions", "mcp_servers",
	"metrics", "model_definitions", "model_version_tags", "model_versions", "online_scoring_configs", "params",
	"registered_model_aliases", "registered_model_tags", "registered_models", "review_queue_items",
	"review_queue_label_schemas", "review_queue_users", "review_queues", "runs", "scheduler_leases",
	"scorer_versions", "scorers", "secrets", "span_metrics", "spans", "sql_assessment_daily_rollups",
	"sql_span_cost_daily_rollups", "sql_trace_metric_daily_rollups", "sql_trace_rollup_rebuild_queue", "tags",
	"trace_info", "trace_metrics", "trace_request_metadata", "trace_tags", "webhook_events", "webhooks", "workspaces"}

// notInBackup are tables of ours that a database makes for itself.
var notInBackup = []string{"goose_ledger", "reader", "run_summary", "epoch_summary", "summary_horizon"}

// isBackedUp is the condition that a table c in a schema n belongs to MLflow ($1) or to this program (but $2). The
// rows of a partitioned table are read and written through it.
const isBackedUp = `c.relkind IN ('r', 'p') AND (n.nspname = 'public' AND c.relname = ANY ($1)
	OR n.nspname = 'spherelab' AND c.relname <> ALL ($2))`

// backupTable is a table with its columns.
type backupTable struct {
	Schema  string   `json:"schema"`
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

func (b backupTable) entry() string { return path.Join(tableFolder, b.Schema+"."+b.Name+".gz") }

func (b backupTable) sql() string {
	return pq.QuoteIdentifier(b.Schema) + "." + pq.QuoteIdentifier(b.Name)
}

// tablesOf returns the tables of a backup, those first to which others refer.
func tablesOf(ctx context.Context, db sqlx.QueryerContext) ([]backupTable, error) {
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
		FROM backed c ORDER BY 1, 2`, pq.Array(mlflowTables), pq.Array(notInBackup))
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	var list []backupTable
	for len(list) < len(rows) {
		n := len(list)
		for _, r := range rows {
			name := r.Schema + "." + r.Name
			if !done[name] && !slices.ContainsFunc(r.Needs, func(other string) bool { return !done[other] }) {
				done[name] = true
				list = append(list, backupTable{r.Schema, r.Name, r.Columns})
			}
		}
		if len(list) == n {
			return nil, errors.New("tables refer to each other in a circle")
		}
	}
	return list, nil
}

// foreignTables are the names of the other tables in schema public: those of other programs that share the database, or
// of an MLflow that is newer than this program. Parts of partitioned tables and tables of extensions do not count.
func foreignTables(ctx context.Context, db sqlx.QueryerContext) (names []string, err error) {
	err = sqlx.SelectContext(ctx, db, &names, `SELECT c.relname FROM pg_class c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND c.relname <> ALL ($1) AND c.relname <> 'alembic_version' AND NOT EXISTS (SELECT FROM pg_depend d
				WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
		ORDER BY 1`, pq.Array(mlflowTables))
	return names, err
}
