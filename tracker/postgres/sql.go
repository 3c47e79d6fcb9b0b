package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/internal/hint"
	"github.com/spherelab/spherelab/tracker"
)

// SQL runs one query as a login that may only SELECT, in a read-only transaction, and stops it when ctx ends. Its
// errors have CodeSQL, with the place marked under the query's line; CodeReadOnly; or CodeNoReader if the database has
// no such login.
func (t *Store) SQL(ctx context.Context, query string) (*tracker.Table, error) {
	var table *tracker.Table
	err := t.StreamSQL(ctx, query, func(columns *tracker.Table) error {
		table = columns
		return nil
	}, func(row []any) error {
		table.Rows = append(table.Rows, slices.Clone(row))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return table, nil
}

// StreamSQL is SQL for more rows than fit in memory. begin receives the columns, then each receives every row, which it
// may use until it returns. An error of either ends the query and is returned unchanged.
func (t *Store) StreamSQL(ctx context.Context, query string, begin func(columns *tracker.Table) error,
	each func(row []any) error) error {
	if strings.TrimSpace(query) == "" {
		return tracker.Errorf(tracker.CodeSQL, nil, "the query is empty")
	}
	db, err := t.readerDB(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	started := false
	var failed error
	err = t.retry(ctx, "running the query", func(ctx context.Context) error {
		var refused error // of the caller
		err := runQuery(ctx, db, query, func(table *tracker.Table) error {
			started = true
			refused = begin(table)
			return refused
		}, func(row []any) error {
			refused = each(row)
			return refused
		})
		switch {
		case refused != nil:
			failed = refused
			return nil
		case err != nil && started && Transient(err) && ctx.Err() == nil:
			return tracker.Errorf(tracker.CodeUnavailable, err, "the database was lost in the middle of the rows: %s", DriverText(err))
		}
		return err
	})
	return cmp.Or(failed, err)
}

func runQuery(ctx context.Context, db *sqlx.DB, query string, begin func(*tracker.Table) error,
	each func([]any) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	tx, err := db.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was changed
	end, err := cancelWith(ctx, db, tx)
	if err != nil {
		return queryError(ctx, err, query)
	}
	defer end() // before the connection can be used for something else
	// Preparing makes the server refuse several statements in one text, so that a query cannot leave the transaction.
	statement, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return queryError(ctx, err, query)
	}
	defer statement.Close()
	rows, err := statement.QueryContext(ctx)
	if err != nil {
		return queryError(ctx, err, query)
	}
	defer rows.Close()
	table := &tracker.Table{}
	if table.Columns, err = rows.Columns(); err != nil {
		return queryError(ctx, err, query)
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return queryError(ctx, err, query)
	}
	for _, c := range types {
		table.ColumnTypes = append(table.ColumnTypes, c.DatabaseTypeName())
	}
	if err := begin(table); err != nil {
		stop() // otherwise closing rows would read all of them
		return err
	}
	row := make([]any, len(table.Columns))
	targets := make([]any, len(row))
	for i := range row {
		targets[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return queryError(ctx, err, query)
		}
		for i, v := range row {
			row[i] = typed(v, table.ColumnTypes[i])
		}
		if err := each(row); err != nil {
			stop()
			return err
		}
	}
	return queryError(ctx, rows.Err(), query)
}

// queryError explains a failed query. It returns connection failures unchanged, so that the query is tried again.
func queryError(ctx context.Context, err error, query string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e, ok := errors.AsType[*pq.Error](err)
	if !ok && (strings.Contains(err.Error(), "CopyFail") || strings.Contains(err.Error(), "COPY TO")) { // of the driver
		return tracker.Errorf(tracker.CodeSQL, err, "COPY cannot be used here; write its query alone")
	}
	if !ok {
		return err
	}
	switch code := string(e.Code); {
	case code == "25006" || code == "42501":
		return tracker.Errorf(tracker.CodeReadOnly, err, "SQL can only read: %s%s", e.Message, mark(query, e.Position))
	case code == queryCanceled: // by a statement timeout
		return tracker.Errorf(tracker.CodeSQL, err, "the query was stopped: %s", e.Message)
	case transientState(code):
		return err
	}
	message := e.Message
	if strings.Contains(message, "multiple commands") {
		message = "the query has several statements; one statement at a time"
	}
	message += mark(query, e.Position)
	if e.Detail != "" {
		message += "\ndetail: " + e.Detail
	}
	if e.Hint != "" {
		message += "\nhint: " + e.Hint
	}
	return tracker.Errorf(tracker.CodeSQL, err, "%s", message)
}

// mark shows the query's line with a caret under a position (in characters, from 1).
func mark(query, position string) string {
	n, err := strconv.Atoi(position)
	if err != nil || n < 1 {
		return ""
	}
	runes := []rune(query)
	if n > len(runes)+1 {
		return ""
	}
	before := string(runes[:n-1])
	line := strings.Count(before, "\n") + 1
	start := strings.LastIndexByte(before, '\n') + 1
	text, _, _ := strings.Cut(query[start:], "\n")
	column := utf8.RuneCountInString(before[start:])
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r // keeps the caret in its place
		}
		return ' '
	}, before[start:])
	return fmt.Sprintf(" (line %d, column %d)\n  %s\n  %s^", line, column+1, strings.TrimRight(text, "\r"), pad)
}

// readerDB connects as the SELECT-only role.
func (t *Store) readerDB(ctx context.Context) (*sqlx.DB, error) {
	t.readerMu.Lock()
	defer t.readerMu.Unlock()
	if t.reader != nil {
		return t.reader, nil
	}
	address, err := t.readerAddress(ctx)
	if err != nil {
		return nil, err
	}
	c := &connector{cluster: t.cluster, url: address, silent: t.saySilent}
	db := openDB(c)
	if err := t.checkReader(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	t.reader = db
	return db, nil
}

// ReaderURL returns the database's address with the SELECT-only login, and its password if it has one, for psql, pandas
// and other programs that only read. The error has CodeNoReader if there is no such login.
func (t *Store) ReaderURL(ctx context.Context) (string, error) {
	if _, err := t.readerDB(ctx); err != nil { // which checks the login
		return "", err
	}
	address, err := t.readerAddress(ctx)
	if err != nil {
		return "", err
	}
	return sqlAlchemyURL(address()), nil
}

// readerAddress returns a function for the address with the SELECT-only login, because the address of a private server
// may change when it is restarted.
func (t *Store) readerAddress(ctx context.Context) (func() string, error) {
	if t.o.ReaderURL != "" {
		return func() string { return t.o.ReaderURL }, checkURL("the address of the read-only login", t.o.ReaderURL)
	}
	role, password, err := t.readerLogin(ctx)
	if err != nil {
		return nil, err
	}
	if t.cluster != nil {
		return func() string { return t.cluster.URLFor(role, Database) }, nil
	}
	u, err := url.Parse(t.uri)
	if err != nil {
		return nil, tracker.Errorf(tracker.CodeInvalid, err, "the tracker's address is not a URL")
	}
	u.User = url.UserPassword(role, password)
	q := u.Query()
	q.Del("user")
	q.Del("password")
	u.RawQuery = encodeQuery(q)
	return u.String, nil
}

// readerLogin returns the login that the migration created.
func (t *Store) readerLogin(ctx context.Context) (role, password string, err error) {
	var login struct{ Role, Password string }
	err = t.retry(ctx, "looking for the read-only login", func(ctx context.Context) error {
		return t.db.GetContext(ctx, &login, `SELECT r.role, r.password
			FROM spherelab.reader r JOIN pg_roles p ON p.rolname = r.role`)
	})
	if isNoRows(err) {
		return "", "", tracker.Errorf(tracker.CodeNoReader, nil,
			"%s has no read-only login, and SQL queries never run with the owner's rights; "+
				"an administrator can allow one: ALTER ROLE %s CREATEROLE", t.where(), t.loginName()).
			With(hint.Hint{Action: hint.MigrateTracker}, hint.Hint{Action: hint.NameReader})
	}
	return login.Role, login.Password, err
}

func (t *Store) loginName() string {
	if u, err := url.Parse(t.uri); err == nil && u.User != nil {
		return u.User.Username()
	}
	return "<role>"
}

// checkReader refuses a login that may do more than SELECT.
func (t *Store) checkReader(ctx context.Context, db *sqlx.DB) error {
	var powers []string
	err := t.retry(ctx, "connecting with the read-only login", func(ctx context.Context) error {
		powers = nil
		return db.SelectContext(ctx, &powers, `
			SELECT 'is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper
			UNION ALL SELECT 'may ' || power FROM (VALUES ('run programs on the server', 'pg_execute_server_program'),
					('write files on the server', 'pg_write_server_files'), ('read files on the server', 'pg_read_server_files'))
				AS p (power, role) WHERE pg_has_role(current_user, role, 'USAGE')
			UNION ALL SELECT 'may write to ' || c.relname FROM pg_class c
				WHERE c.oid IN ('public.runs'::regclass, 'public.metrics'::regclass)
				AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')`)
	})
	if err != nil {
		return Wrap(err, "connecting with the read-only login")
	}
	if len(powers) > 0 {
		return tracker.Errorf(tracker.CodeNoReader, nil, "the read-only login %s; SQL queries need one that may only SELECT",
			strings.Join(powers, " and ")).With(hint.Hint{Action: hint.NameReader})
	}
	return nil
}
