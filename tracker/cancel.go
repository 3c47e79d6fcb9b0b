package tracker

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
)

// cancelEvery is how often the server is asked again to stop a query.
const cancelEvery = 50 * time.Millisecond

// insist sees to it that what runs in tx ends when ctx does. The driver asks the server once to stop the query, and the server forgets that when the query had
// not begun yet; the query would then run to its end, which may be never. So the server is asked again until the returned function is called, and that one
// returns when nobody asks any more.
func insist(ctx context.Context, db *sqlx.DB, tx *sqlx.Tx) (end func(), err error) {
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
			_, _ = db.ExecContext(asking, `SELECT pg_cancel_backend($1)`, backend) // asked again
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
