package tracker

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Table is the result of a query.
type Table struct {
	Columns     []string
	ColumnTypes []string // PostgreSQL's names: "TEXT", "FLOAT8", ...
	Rows        [][]any  // nil, bool, int64, float64, string or time.Time
}

// SQL runs one query as a login role that may only SELECT, in a read-only transaction. Errors have CodeSQL, with the
// place marked under the query's line, CodeReadOnly, or CodeNoReader if the database has no such role. The query is
// stopped when ctx ends.
func (t *Tracker) SQL(ctx context.Context, query string) (*Table, error) {
	if strings.TrimSpace(query) == "" {
		return nil, fail(CodeSQL, nil, "the query is empty")
	}
	db, err := t.readerDB(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	var table *Table
	err = t.retry(ctx, "running the query", func(ctx context.Context) error {
		var err error
		table, err = runQuery(ctx, db, query)
		return err
	})
	if err != nil {
		return nil, err
	}
	return table, nil
}

func runQuery(ctx context.Context, db *sqlx.DB, query string) (*Table, error) {
	tx, err := db.BeginTxx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was changed
	end, err := insist(ctx, db, tx)
	if err != nil {
		return nil, queryError(ctx, err, query)
	}
	defer end() // before the connection can be used for something else
	// Preparing makes the server refuse several statements in one text, so that the transaction cannot be left.
	statement, err := tx.PrepareContext(ctx, query)
	if err != nil {
		return nil, queryError(ctx, err, query)
	}
	defer statement.Close()
	rows, err := statement.QueryContext(ctx)
	if err != nil {
		return nil, queryError(ctx, err, query)
	}
	defer rows.Close()
	table := &Table{}
	if table.Columns, err = rows.Columns(); err != nil {
		return nil, queryError(ctx, err, query)
	}
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, queryError(ctx, err, query)
	}
	for _, c := range types {
		table.ColumnTypes = append(table.ColumnTypes, c.DatabaseTypeName())
	}
	for rows.Next() {
		row := make([]any, len(table.Columns))
		targets := make([]any, len(row))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, queryError(ctx, err, query)
		}
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = string(b)
			}
		}
		table.Rows = append(table.Rows, row)
	}
	if err := rows.Err(); err != nil {
		return nil, queryError(ctx, err, query)
	}
	return table, nil
}

// queryError explains a failed query. Failures of the connection are returned as they are, to be tried again.
func queryError(ctx context.Context, err error, query string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var e *pq.Error
	if !errors.As(err, &e) {
		return err
	}
	switch code := string(e.Code); {
	case code == "25006" || code == "42501":
		return fail(CodeReadOnly, err, "SQL can only read: %s%s", e.Message, mark(query, e.Position))
	case code == "57014": // canceled, by a statement timeout
		return fail(CodeSQL, err, "the query was stopped: %s", e.Message)
	case transientState(code):
		return err
	}
	message := e.Message
	if strings.Contains(message, "multiple commands") {
		message = "one statement at a time, please: the query has several"
	}
	message += mark(query, e.Position)
	if e.Detail != "" {
		message += "\ndetail: " + e.Detail
	}
	if e.Hint != "" {
		message += "\nhint: " + e.Hint
	}
	return fail(CodeSQL, err, "%s", message)
}

// mark shows the query's line of a position (in characters, from 1) with a caret under it.
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
			return r // keeps the caret in place
		}
		return ' '
	}, before[start:])
	return " (line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column+1) + ")\n  " + strings.TrimRight(text, "\r") + "\n  " + pad + "^"
}

// readerDB connects as the SELECT-only role.
func (t *Tracker) readerDB(ctx context.Context) (*sqlx.DB, error) {
	t.readerMu.Lock()
	defer t.readerMu.Unlock()
	if t.reader != nil {
		return t.reader, nil
	}
	c := &connector{cluster: t.cluster}
	if t.o.ReaderURL != "" {
		if err := checkURL("SPHERELAB_READER_URL", t.o.ReaderURL); err != nil {
			return nil, err
		}
		c.url = func() string { return t.o.ReaderURL }
	} else {
		role, password, err := t.readerLogin(ctx)
		if err != nil {
			return nil, err
		}
		if t.cluster != nil {
			c.url = func() string { return t.cluster.URLFor(role, Database) }
		} else {
			u, err := url.Parse(t.uri)
			if err != nil {
				return nil, fail(CodeInvalid, err, "the tracker's address is not a URL")
			}
			u.User = url.UserPassword(role, password)
			q := u.Query()
			q.Del("user")
			q.Del("password")
			u.RawQuery = q.Encode()
			c.url = u.String
		}
	}
	db := openDB(c)
	if err := t.checkReader(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	t.reader = db
	return db, nil
}

// readerLogin returns the login that the migration made.
func (t *Tracker) readerLogin(ctx context.Context) (role, password string, err error) {
	var login struct{ Role, Password string }
	err = t.retry(ctx, "looking for the read-only login", func(ctx context.Context) error {
		return t.db.GetContext(ctx, &login, `SELECT r.role, r.password FROM spherelab.reader r JOIN pg_roles p ON p.rolname = r.role`)
	})
	if isNoRows(err) {
		return "", "", fail(CodeNoReader, nil, "%s has no read-only login, and people's SQL is never run with the owner's rights. "+
			"Ask an administrator for `ALTER ROLE %s CREATEROLE` and run `spherelab tracker migrate`, or set SPHERELAB_READER_URL to a login that may only SELECT",
			t.where(), t.loginName())
	}
	return login.Role, login.Password, err
}

func (t *Tracker) loginName() string {
	if u, err := url.Parse(t.uri); err == nil && u.User != nil {
		return u.User.Username()
	}
	return "<role>"
}

// checkReader refuses a login that could do harm, however it came to us.
func (t *Tracker) checkReader(ctx context.Context, db *sqlx.DB) error {
	var powers []string
	err := t.retry(ctx, "connecting with the read-only login", func(ctx context.Context) error {
		powers = nil
		return db.SelectContext(ctx, &powers, `
			SELECT 'is a superuser' FROM pg_roles WHERE rolname = current_user AND rolsuper
			UNION ALL SELECT 'may run programs on the server' WHERE pg_has_role(current_user, 'pg_execute_server_program', 'USAGE')
			UNION ALL SELECT 'may write files on the server' WHERE pg_has_role(current_user, 'pg_write_server_files', 'USAGE')
			UNION ALL SELECT 'may read files on the server' WHERE pg_has_role(current_user, 'pg_read_server_files', 'USAGE')
			UNION ALL SELECT 'may write to ' || c.relname FROM pg_class c WHERE c.oid IN ('public.runs'::regclass, 'public.metrics'::regclass)
				AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')`)
	})
	if err != nil {
		return describe(err, "connecting with the read-only login")
	}
	if len(powers) > 0 {
		return fail(CodeNoReader, nil, "the read-only login %s; SQL needs one that may only SELECT", strings.Join(powers, " and "))
	}
	return nil
}
