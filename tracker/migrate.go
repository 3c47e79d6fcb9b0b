package tracker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/pressly/goose/v3"

	"github.com/spherelab/spherelab/migrations"
)

const (
	ledger = "spherelab.goose_ledger"
	// migrationLock is the key of the advisory lock under which a schema is changed: any constant does, ours spells "sphere".
	migrationLock = 0x737068657265
)

// usedColumns are MLflow's columns that we read or write. A database that MLflow made is attached if it has them,
// whatever its revision.
var usedColumns = map[string][]string{
	"experiments": {"experiment_id", "name", "artifact_location", "lifecycle_stage", "creation_time", "last_update_time"},
	"runs": {"run_uuid", "name", "source_type", "source_name", "entry_point_name", "user_id", "status", "start_time", "end_time",
		"source_version", "lifecycle_stage", "artifact_uri", "experiment_id", "deleted_time"},
	"params":         {"key", "value", "run_uuid"},
	"tags":           {"key", "value", "run_uuid"},
	"metrics":        {"key", "value", "timestamp", "run_uuid", "step", "is_nan"},
	"latest_metrics": {"key", "value", "timestamp", "step", "is_nan", "run_uuid"},
}

// migrate makes or attaches MLflow's tables, brings schema spherelab up to date and reads the database's identity.
func (t *Tracker) migrate(ctx context.Context) error {
	current, err := t.current(ctx)
	if err != nil {
		return describe(err, "reading the schema of "+t.where())
	}
	if !current {
		if err := t.migrateLocked(ctx); err != nil {
			return describe(err, "preparing the schema of "+t.where())
		}
	}
	err = t.db.GetContext(ctx, &t.instance, `SELECT id FROM spherelab.instance`)
	return describe(err, "reading the identity of "+t.where())
}

// latestMigration is the version of the newest file in package migrations.
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

// current reports, in one or two cheap queries, whether there is nothing to do.
func (t *Tracker) current(ctx context.Context) (bool, error) {
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
	if err := t.db.GetContext(ctx, &have, `SELECT coalesce(max(version_id), 0) FROM spherelab.goose_ledger WHERE is_applied`); err != nil {
		return false, err
	}
	var done bool
	err = t.db.GetContext(ctx, &done, `SELECT EXISTS (SELECT FROM spherelab.instance)`)
	return have >= want && done, err
}

func (t *Tracker) migrateLocked(ctx context.Context) error {
	// The lock lives in a session of its own, because goose takes connections from the pool as it likes.
	lock, err := t.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := lock.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return err
	}
	defer func() {
		// The session may have broken; then the lock is gone with it.
		_, _ = lock.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(migrationLock))
	}()
	if err := t.baseline(ctx); err != nil {
		return err
	}
	if _, err := t.db.ExecContext(ctx, `CREATE SCHEMA IF NOT EXISTS spherelab`); err != nil {
		if stateOf(err) == "42501" {
			return fail(CodeSchema, err, "the database's role may not create the schema spherelab; its owner has to run: GRANT CREATE ON DATABASE ... TO ...")
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
	if _, err := t.db.ExecContext(ctx, `INSERT INTO spherelab.instance (id) VALUES ($1) ON CONFLICT DO NOTHING`, randomHex(16)); err != nil {
		return err
	}
	return t.makeReader(ctx)
}

// baseline makes MLflow's tables in a database that has none of them, and otherwise checks those that are there.
func (t *Tracker) baseline(ctx context.Context) error {
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
	for _, table := range sortedKeys(usedColumns) {
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
		return fail(CodeSchema, nil, "%s has tables of MLflow, but not all that is needed: missing %s. Bring it up to date with: mlflow db upgrade URL, or use an empty database",
			t.where(), strings.Join(missing, ", "))
	}
	return nil
}

func (t *Tracker) createBaseline(ctx context.Context) error {
	now := time.Now().UnixMilli()
	return t.inTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, migrations.MLflow); err != nil {
			return err
		}
		location := fileURI(filepath.Join(t.o.DataDir, "artifacts", "0"))
		if err := checkText("the artifact folder of experiment", "Default", location, maxExperiment); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO public.experiments
			(experiment_id, name, artifact_location, lifecycle_stage, creation_time, last_update_time)
			VALUES (0, 'Default', $1, 'active', $2, $2)`, location, now)
		return err
	})
}

// publicFirst keeps MLflow's tools in schema public: a role named spherelab would otherwise have our schema, which has
// its name, in front of it.
func (t *Tracker) publicFirst(ctx context.Context) error {
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
	err = conn.GetContext(ctx, &in, `SELECT current_user AS role, current_database() AS database, coalesce(current_schema(), '') AS first`)
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

// makeReader makes the SELECT-only login role for people's SQL, if we may make roles. Without it SQL refuses to run.
func (t *Tracker) makeReader(ctx context.Context) error {
	var may bool
	if err := t.db.GetContext(ctx, &may, `SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user`); err != nil {
		return err
	}
	if !may {
		t.o.Say("the database's role may not create roles, so SQL queries are switched off until there is a read-only login; see the error of `tracker sql`")
		return nil
	}
	err := t.inTx(ctx, func(tx *sqlx.Tx) error {
		var reader struct{ Role, Password string }
		err := tx.GetContext(ctx, &reader, `SELECT role, password FROM spherelab.reader`)
		if err != nil {
			if !isNoRows(err) {
				return err
			}
			reader.Role, reader.Password = "spherelab_reader_"+randomHex(5), randomHex(24)
			if _, err := tx.ExecContext(ctx, `INSERT INTO spherelab.reader (role, password) VALUES ($1, $2)`, reader.Role, reader.Password); err != nil {
				return err
			}
		}
		var exists bool
		if err := tx.GetContext(ctx, &exists, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, reader.Role); err != nil {
			return err
		}
		for _, statement := range readerStatements(reader.Role, reader.Password, exists) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		var database string
		if err := tx.GetContext(ctx, &database, `SELECT current_database()`); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf(`GRANT CONNECT ON DATABASE %s TO %s`, pq.QuoteIdentifier(database), pq.QuoteIdentifier(reader.Role)))
		return err
	})
	if stateOf(err) == "42501" {
		t.o.Say("the read-only role for SQL queries could not be set up: " + plain(err))
		return nil
	}
	return err
}

func readerStatements(role, password string, exists bool) []string {
	r := pq.QuoteIdentifier(role)
	var s []string
	if !exists {
		s = append(s, fmt.Sprintf(`CREATE ROLE %s LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION CONNECTION LIMIT 20 PASSWORD %s`,
			r, pq.QuoteLiteral(password)),
			// SQL runs queries in a transaction that is read only in any case; this is for those who log in by hand.
			fmt.Sprintf(`ALTER ROLE %s SET default_transaction_read_only = on`, r),
			fmt.Sprintf(`ALTER ROLE %s SET search_path = public, spherelab`, r))
	}
	tables := make([]string, 0, len(usedColumns)+1)
	for _, table := range sortedKeys(usedColumns) {
		tables = append(tables, "public."+pq.QuoteIdentifier(table))
	}
	tables = append(tables, "spherelab.run_wide", "spherelab.epoch", "spherelab.heartbeat")
	return append(s,
		fmt.Sprintf(`GRANT USAGE ON SCHEMA public, spherelab TO %s`, r),
		fmt.Sprintf(`GRANT SELECT ON %s TO %s`, strings.Join(tables, ", "), r))
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // documented never to fail
	return hex.EncodeToString(b)
}

// SchemaVersion returns the version of schema spherelab in the database and the one that this program brings.
func (t *Tracker) SchemaVersion(ctx context.Context) (have, want int64, err error) {
	want, err = latestMigration()
	if err != nil {
		return 0, 0, err
	}
	err = t.db.GetContext(ctx, &have, `SELECT coalesce(max(version_id), 0) FROM spherelab.goose_ledger WHERE is_applied`)
	if err != nil {
		return 0, want, errors.Join(describe(err, "reading the schema's version"))
	}
	return have, want, nil
}
