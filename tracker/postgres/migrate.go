package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/pressly/goose/v3"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/migrations"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/internal/unique"
)

const (
	ledger           = "spherelab.goose_ledger"
	appliedMigration = `SELECT coalesce(max(version_id), 0) FROM ` + ledger + ` WHERE is_applied`
	// migrationLock is the key of the advisory lock under which the schema is changed: any constant, here "sphere".
	migrationLock = 0x737068657265
)

// usedColumns are MLflow's columns that this package reads or writes. A database that MLflow created is attached if it
// has these columns, whatever its revision.
var usedColumns = map[string][]string{
	"experiments": {"experiment_id", "name", "artifact_location", "lifecycle_stage", "creation_time",
		"last_update_time"},
	"runs": {"run_uuid", "name", "source_type", "source_name", "entry_point_name", "user_id", "status", "start_time",
		"end_time", "source_version", "lifecycle_stage", "artifact_uri", "experiment_id", "deleted_time"},
	"params":         {"key", "value", "run_uuid"},
	"tags":           {"key", "value", "run_uuid"},
	"metrics":        {"key", "value", "timestamp", "run_uuid", "step", "is_nan"},
	"latest_metrics": {"key", "value", "timestamp", "step", "is_nan", "run_uuid"},
}

// views are the analysts' views in schema spherelab.
var views = []string{"run_wide", "epoch", "result", "category", "relation", "config", "metric", "point", "param", "tag"}

// readTables are MLflow's other tables that its programs read when they list runs, so the read-only login may read them
// too. Which of them a database has depends on its version.
var readTables = []string{"alembic_version", "experiment_tags", "datasets", "inputs", "input_tags", "registered_models",
	"registered_model_tags", "registered_model_aliases", "model_versions", "model_version_tags", "trace_info",
	"trace_tags", "trace_request_metadata", "logged_models", "logged_model_metrics", "logged_model_params",
	"logged_model_tags"}

// migrate creates or attaches MLflow's tables, brings schema spherelab up to date and reads the database's identity.
func (t *Store) migrate(ctx context.Context) error {
	// Each part may be repeated: it finds that its work is done.
	var current bool
	if err := t.retry(ctx, "reading the schema of "+t.where(), func(ctx context.Context) (err error) {
		current, err = t.current(ctx)
		return err
	}); err != nil {
		return err
	}
	if !current {
		if err := t.retry(ctx, "preparing the schema of "+t.where(), func(ctx context.Context) error {
			if err := t.mayMigrate(ctx); err != nil {
				return err
			}
			return t.migrateLocked(ctx)
		}); err != nil {
			return err
		}
	}
	return t.retry(ctx, "reading the identity of "+t.where(), func(ctx context.Context) error {
		return t.db.GetContext(ctx, &t.instance, `SELECT id FROM spherelab.instance`)
	})
}

// mayMigrate returns an error if the schema exists and belongs to another role.
func (t *Store) mayMigrate(ctx context.Context) error {
	var owner string
	err := t.db.GetContext(ctx, &owner, `SELECT pg_get_userbyid(nspowner) FROM pg_namespace
		WHERE nspname = 'spherelab' AND NOT pg_has_role(nspowner, 'USAGE')`)
	if isNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return tracker.Errorf(tracker.CodeSchema, nil, "%s has the tables of another version, and this login may not change them; "+
		"their owner, %s, has to, with this version of the program", t.where(), owner).
		With(hint.Hint{Action: hint.MigrateTracker})
}

// latestMigration returns the version of the newest file in package migrations.
func latestMigration() (int64, error) {
	names, err := migrations.FS.ReadDir(".")
	if err != nil {
		return 0, err
	}
	var latest int64
	for _, entry := range names {
		v, err := goose.NumericComponent(entry.Name())
		if err != nil {
			return 0, err
		}
		latest = max(latest, v)
	}
	return latest, nil
}

// current reports, with a few cheap queries, whether the schema is up to date.
func (t *Store) current(ctx context.Context) (bool, error) {
	want, err := latestMigration()
	if err != nil {
		return false, err
	}
	var there bool
	if err := t.db.GetContext(ctx, &there, `SELECT to_regclass('spherelab.goose_ledger') IS NOT NULL
		AND to_regclass('spherelab.reader') IS NOT NULL AND to_regclass('public.runs') IS NOT NULL`); err != nil || !there {
		return false, err
	}
	var have int64
	if err := t.db.GetContext(ctx, &have, appliedMigration); err != nil {
		return false, err
	}
	var done bool
	err = t.db.GetContext(ctx, &done, `SELECT EXISTS (SELECT FROM spherelab.instance)`)
	return have >= want && done, err
}

func (t *Store) migrateLocked(ctx context.Context) error {
	// The lock has a transaction of its own, because goose takes any connection of the pool. A session's lock would
	// stay in a pool such as PgBouncer's.
	lock, err := t.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer lock.Rollback() // it has changed nothing; if the session is broken, the lock is gone with it
	if _, err := lock.ExecContext(ctx, `SELECT set_config('idle_in_transaction_session_timeout', '0', true)`); err != nil {
		return err
	}
	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
		return err
	}
	if err := t.baseline(ctx); err != nil {
		return err
	}
	if _, err := t.db.ExecContext(ctx, `CREATE SCHEMA IF NOT EXISTS spherelab`); err != nil {
		if stateOf(err) == "42501" {
			return tracker.Errorf(tracker.CodeSchema, err, "the database's role may not create the schema spherelab; "+
				"the database's owner has to run: GRANT CREATE ON DATABASE ... TO ...")
		}
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, t.db.DB, migrations.FS,
		goose.WithTableName(ledger), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	if err := t.publicFirst(ctx); err != nil {
		return err
	}
	_, err = t.db.ExecContext(ctx, `INSERT INTO spherelab.instance (id) VALUES ($1) ON CONFLICT DO NOTHING`,
		unique.RandomHex(16))
	if err != nil {
		return err
	}
	return t.makeReader(ctx)
}

// baseline creates MLflow's tables in a database that has none of them. Otherwise it checks the existing tables.
func (t *Store) baseline(ctx context.Context) error {
	var have []struct {
		Table  string `db:"table_name"`
		Column string `db:"column_name"`
	}
	err := t.db.SelectContext(ctx, &have, `SELECT c.relname AS table_name, a.attname AS column_name
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`)
	if err != nil {
		return err
	}
	found := map[string]map[string]bool{}
	for _, row := range have {
		if found[row.Table] == nil {
			found[row.Table] = map[string]bool{}
		}
		found[row.Table][row.Column] = true
	}
	known := 0
	var missing []string
	for _, table := range slices.Sorted(maps.Keys(usedColumns)) {
		if found[table] == nil {
			missing = append(missing, "table "+table)
			continue
		}
		known++
		for _, column := range usedColumns[table] {
			if !found[table][column] {
				missing = append(missing, "column "+table+"."+column)
			}
		}
	}
	if known == 0 && found["alembic_version"] == nil {
		return t.createBaseline(ctx)
	}
	if len(missing) > 0 {
		return tracker.Errorf(tracker.CodeSchema, nil, "%s has MLflow's tables, but lacks %s. "+
			"Bring it up to date with: mlflow db upgrade URL, or use an empty database",
			t.where(), strings.Join(missing, ", "))
	}
	return nil
}

func (t *Store) createBaseline(ctx context.Context) error {
	now := time.Now().UnixMilli()
	return t.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, migrations.MLflow); err != nil {
			return err
		}
		location := t.experimentURI(0)
		if err := tracker.CheckText("the artifact folder of experiment", "Default", location, tracker.MaxExperiment); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO public.experiments
			(experiment_id, name, artifact_location, lifecycle_stage, creation_time, last_update_time)
			VALUES (0, 'Default', $1, 'active', $2, $2)`, location, now)
		return err
	})
}

// publicFirst puts schema public first, where MLflow's tools expect their tables. PostgreSQL's default search path
// would put schema spherelab before it for a role with the name spherelab.
func (t *Store) publicFirst(ctx context.Context) error {
	var in struct {
		Role     string `db:"role"`
		Database string `db:"database"`
		First    string `db:"first"`
	}
	conn, err := t.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = conn.GetContext(ctx, &in, `SELECT current_user AS role, current_database() AS database,
		coalesce(current_schema(), '') AS first`)
	if err != nil || (in.First == "public" && t.cluster == nil) {
		return err
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf(`ALTER ROLE %s IN DATABASE %s SET search_path = public, spherelab`,
		pq.QuoteIdentifier(in.Role), pq.QuoteIdentifier(in.Database)))
	if err != nil && in.First == "public" {
		return nil // it was right already
	}
	return err
}

// makeReader creates the SELECT-only login for SQL queries if the database's role may create roles. Without such a
// login SQL refuses to run.
func (t *Store) makeReader(ctx context.Context) error {
	var may bool
	err := t.db.GetContext(ctx, &may, `SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user`)
	if err != nil {
		return err
	}
	if !may && t.o.ReaderURL != "" {
		return nil
	}
	if !may {
		t.say("SQL queries are off: the database's role may not create the read-only login that they need, and " +
			"SPHERELAB_READER_URL names none")
		return nil
	}
	err = t.InTx(ctx, func(tx *sqlx.Tx) error {
		var reader struct{ Role, Password string }
		err := tx.GetContext(ctx, &reader, `SELECT role, password FROM spherelab.reader`)
		if err != nil {
			if !isNoRows(err) {
				return err
			}
			reader.Role, reader.Password = "spherelab_reader_"+unique.RandomHex(5), unique.RandomHex(24)
			_, err := tx.ExecContext(ctx, `INSERT INTO spherelab.reader (role, password) VALUES ($1, $2)`,
				reader.Role, reader.Password)
			if err != nil {
				return err
			}
		}
		var exists bool
		err = tx.GetContext(ctx, &exists, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, reader.Role)
		if err != nil {
			return err
		}
		var more []string
		err = tx.SelectContext(ctx, &more, `SELECT name FROM unnest($1::text[]) AS name
			WHERE has_table_privilege(to_regclass('public.' || name), 'SELECT WITH GRANT OPTION')`, pq.Array(readTables))
		if err != nil {
			return err
		}
		tables := append(slices.Sorted(maps.Keys(usedColumns)), more...)
		for _, statement := range readerStatements(reader.Role, reader.Password, exists, tables) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		var database string
		if err := tx.GetContext(ctx, &database, `SELECT current_database()`); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf(`GRANT CONNECT ON DATABASE %s TO %s`,
			pq.QuoteIdentifier(database), pq.QuoteIdentifier(reader.Role)))
		return err
	})
	if stateOf(err) == "42501" {
		t.say("the read-only login for SQL queries could not be set up: %s", DriverText(err))
		return nil
	}
	return err
}

// readerStatements create the login, and grant it the views and these tables of MLflow's.
func readerStatements(role, password string, exists bool, mlflow []string) []string {
	r := pq.QuoteIdentifier(role)
	var s []string
	if !exists {
		s = append(s, fmt.Sprintf(`CREATE ROLE %s LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION
			CONNECTION LIMIT 20 PASSWORD %s`, r, pq.QuoteLiteral(password)),
			// SQL runs queries in a read-only transaction anyway. This is for people who use the login directly.
			fmt.Sprintf(`ALTER ROLE %s SET default_transaction_read_only = on`, r),
			fmt.Sprintf(`ALTER ROLE %s SET search_path = public, spherelab`, r))
	}
	tables := make([]string, 0, len(mlflow)+len(views)+2)
	for _, table := range mlflow {
		tables = append(tables, "public."+pq.QuoteIdentifier(table))
	}
	for _, view := range views {
		tables = append(tables, "spherelab."+view)
	}
	tables = append(tables, "spherelab.heartbeat", "spherelab.relation_result", "spherelab.evaluation_result",
		"spherelab.run_summary", "spherelab.epoch_summary",
		"spherelab.sweep", "spherelab.job")
	return append(s,
		fmt.Sprintf(`GRANT USAGE ON SCHEMA public, spherelab TO %s`, r),
		fmt.Sprintf(`GRANT SELECT ON %s TO %s`, strings.Join(tables, ", "), r))
}

// SchemaVersion returns the version of schema spherelab in the database and the newest one that this program has.
func (t *Store) SchemaVersion(ctx context.Context) (have, want int64, err error) {
	want, err = latestMigration()
	if err != nil {
		return 0, 0, err
	}
	err = t.db.GetContext(ctx, &have, appliedMigration)
	return have, want, Wrap(err, "reading the schema's version")
}
