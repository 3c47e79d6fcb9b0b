package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"os"
	"strconv"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker/pgprivate"
)

// connector opens connections to one database as one role. It restarts the private cluster's server if it crashed.
type connector struct {
	cluster *pgprivate.Cluster // nil if the server is not the private one
	url     func() string
	refuse  func() error // returns the error of connecting if there is no database; nil if there is one
	silent  func()       // is called when a wait for the server lasts; may be nil
}

func (c *connector) Driver() driver.Driver { return &pq.Driver{} }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.refuse != nil {
		return nil, c.refuse()
	}
	conn, err := c.dial(ctx)
	if err == nil || c.cluster == nil || ctx.Err() != nil || !isUnreachable(err) {
		return conn, err
	}
	if err2 := c.cluster.Ensure(ctx); err2 != nil {
		return nil, errors.Join(err2, err)
	}
	return c.dial(ctx)
}

func (c *connector) dial(ctx context.Context) (driver.Conn, error) {
	address, err := withDefaults(c.url())
	if err != nil {
		return nil, err
	}
	pc, err := pq.NewConnector(address)
	if err != nil {
		return nil, err
	}
	return (&wires{silent: c.silent}).connect(ctx, pc)
}

// withDefaults adds options to an address. The driver sends a statement together with its values, and values of type
// []byte in PostgreSQL's binary form. Outside of a transaction, a pool of connections such as PgBouncer's could route a
// statement and its values to different servers if they were sent separately. The driver waits for a greeting at most
// connectSeconds, unless the address says otherwise.
func withDefaults(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errors.New("the database's address is not a URL") // the parser's error repeats all of it
	}
	q := u.Query()
	q.Set("binary_parameters", "yes")
	if !q.Has("connect_timeout") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		q.Set("connect_timeout", strconv.Itoa(connectSeconds))
	}
	u.RawQuery = encodeQuery(q)
	return u.String(), nil
}

func openDB(c *connector) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(c), "postgres")
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(2)
	return db
}
