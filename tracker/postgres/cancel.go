package postgres

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

// cancelEvery is the interval between attempts to stop a query.
const cancelEvery = 50 * time.Millisecond

// cancelWith stops what runs in tx when ctx ends. The driver asks the server once, and the server ignores that if the
// query has not begun yet; such a query could run forever. So cancelWith asks the server repeatedly until the returned
// function is called. That function returns when the last attempt has ended.
func cancelWith(ctx context.Context, db *sqlx.DB, tx *sqlx.Tx) (end func(), err error) {
	var backend int
	if err := tx.QueryRowContext(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
		return nil, err
	}
	ended, stopped := make(chan struct{}), make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(stopped)
		again := time.NewTicker(cancelEvery)
		defer again.Stop()
		for {
			select {
			case <-ended:
				return
			case <-again.C:
			}
			asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_, _ = db.ExecContext(asking, `SELECT pg_cancel_backend($1)`, backend) // the next tick tries again
			cancel()
		}
	})
	return func() {
		close(ended)
		if !unwatch() {
			<-stopped
		}
	}, nil
}
