package tracker

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"net/url"
	"regexp"
	"strings"
	"syscall"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"database/sql"

	"github.com/spherelab/spherelab/tracker/pgprivate"
)

// connector opens connections to one database as one role. With a private cluster it starts a crashed server again.
type connector struct {
	cluster *pgprivate.Cluster // nil for a server that is not ours
	url     func() string
}

func (c *connector) Driver() driver.Driver { return &pq.Driver{} }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.dial(ctx)
	if err == nil || c.cluster == nil || ctx.Err() != nil || !unreachable(err) {
		return conn, err
	}
	if err2 := c.cluster.Ensure(ctx); err2 != nil {
		return nil, errors.Join(err2, err)
	}
	return c.dial(ctx)
}

func (c *connector) dial(ctx context.Context) (driver.Conn, error) {
	pc, err := pq.NewConnector(c.url())
	if err != nil {
		return nil, err
	}
	return pc.Connect(ctx)
}

func openDB(c *connector) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(c), "postgres")
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(2)
	return db
}

const urlForm = "postgres://user:password@host:5432/database"

// checkURL accepts URLs of PostgreSQL servers only. Its errors never repeat what was given: where the form is wrong,
// there is no telling which part of it is a password.
func checkURL(what, uri string) error {
	scheme, _, ok := strings.Cut(uri, "://")
	switch {
	case !ok || !schemePattern.MatchString(scheme):
		return fail(CodeInvalid, nil, "%s is not a postgres:// URL; the form is %s", what, urlForm)
	case scheme == "http" || scheme == "https":
		return fail(CodeUnsupported, nil, "%s is a tracking server (%s://...), which cannot be used yet; give the database itself: %s", what, scheme, urlForm)
	case scheme != "postgres" && scheme != "postgresql":
		return fail(CodeInvalid, nil, "%s is a %s:// URL, not a postgres:// URL; the form is %s", what, scheme, urlForm)
	}
	u, err := url.Parse(uri)
	if err != nil || u.Fragment != "" || u.User == nil && strings.Contains(u.Path+firstKey(u.RawQuery), "@") {
		return fail(CodeInvalid, nil, "%s cannot be read as a URL; the form is %s, with a port that is a number and with "+
			"special characters of name and password written as %%XX (/ as %%2F, # as %%23, ? as %%3F, @ as %%40, %% as %%25)", what, urlForm)
	}
	return nil
}

var schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// firstKey is the name of a URL query's first option.
func firstKey(query string) string {
	option, _, _ := strings.Cut(query, "&")
	key, _, _ := strings.Cut(option, "=")
	return key
}

// A password given as an option ends at a blank, in a URL also at &; in libpq's key=value form it may stand in quotes.
var (
	secretKey      = `(?i)((?:^|[^a-z])(?:ssl|pg)?password\s*=\s*)`
	secretOption   = regexp.MustCompile(secretKey + `('(?:[^'\\]|\\.)*'|[^\s]*)`)
	secretURLQuery = regexp.MustCompile(secretKey + `[^&\s]*`)
)

// redact removes the passwords of URLs and of connection options inside s.
func redact(s string) string {
	if !strings.Contains(s, "://") {
		return secretOption.ReplaceAllString(s, "${1}***")
	}
	s = secretURLQuery.ReplaceAllString(s, "${1}***")
	head, rest, _ := strings.Cut(s, "://")
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return s
	}
	user, _, has := strings.Cut(rest[:at], ":")
	if has {
		user += ":***"
	}
	return head + "://" + user + rest[at:]
}

// unreachable reports whether err means that there is no working connection, rather than that the server said no.
func unreachable(err error) bool {
	var pqErr *pq.Error
	if errors.As(err, &pqErr) {
		return transientState(string(pqErr.Code))
	}
	var netErr net.Error
	return errors.As(err, &netErr) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed) || errors.Is(err, sql.ErrConnDone)
}

// transientState reports whether trying again later can help with this SQLSTATE: connection lost, server starting or
// stopping, disk full, too many connections, deadlock, I/O error, a lock not available.
func transientState(state string) bool {
	if len(state) != 5 {
		return false
	}
	switch state[:2] {
	case "08", "53", "57", "58", "40", "55", "XX":
		return true
	}
	return state == "25006" // the server is read only for the moment, as a standby is
}

// transient reports whether a failed write should be tried again later.
func transient(err error) bool {
	return unreachable(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, sql.ErrTxDone)
}

// describe turns a database error into an Error with a complete message.
func describe(err error, doing string) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	var missing *pgprivate.NotFoundError
	if errors.As(err, &missing) {
		return fail(CodeUnavailable, err, "%s", missing.Error())
	}
	if unreachable(err) || errors.Is(err, context.DeadlineExceeded) {
		return fail(CodeUnavailable, err, "%s: the database cannot be reached: %s", doing, plain(err))
	}
	return fail(CodeInternal, err, "%s: %s", doing, plain(err))
}

// plain is the text of an error in one line, without the driver's prefix and without passwords.
func plain(err error) string {
	text := strings.TrimPrefix(err.Error(), "pq: ")
	var pqErr *pq.Error
	if errors.As(err, &pqErr) {
		text = pqErr.Message
		if pqErr.Detail != "" {
			text += " (" + pqErr.Detail + ")"
		}
		if pqErr.Code == "53100" { // disk_full
			text += "; free space on the database server's disk"
		}
	}
	return redact(strings.Join(strings.Fields(text), " "))
}
