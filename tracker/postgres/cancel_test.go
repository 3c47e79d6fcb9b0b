package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// TestCancelWith: a query of which the driver does not know that it should stop, as if its one request had been lost,
// stops all the same, and only that one does.
func TestCancelWith(t *testing.T) {
	t.Parallel()
	db := connect(t, trackertest.Database(t))
	tx, err := db.Beginx()
	noError(t, err)
	defer tx.Rollback()
	ctx, cancel := context.WithCancel(t.Context())
	end, err := postgres.CancelWith(ctx, db, tx)
	noError(t, err)
	cancel()
	_, err = tx.ExecContext(t.Context(), `SELECT pg_sleep(1000)`)
	var e *pq.Error
	if !errors.As(err, &e) || e.Code != "57014" {
		t.Errorf("ended with %v", err)
	}
	end()
	noError(t, tx.Rollback())

	tx, err = db.Beginx()
	noError(t, err)
	defer tx.Rollback()
	ctx, cancel = context.WithCancel(t.Context())
	end, err = postgres.CancelWith(ctx, db, tx)
	noError(t, err)
	end()
	cancel() // too late
	_, err = tx.ExecContext(t.Context(), `SELECT pg_sleep(0.2)`)
	noError(t, err)
}

// TestSQLStops stops queries at random moments, many before the server has begun: each ends.
func TestSQLStops(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(time.Duration(random.IntN(3000))*time.Microsecond, cancel)
		_, err := tr.SQL(ctx, `SELECT pg_sleep(1000)`)
		stop.Stop()
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	_, err := tr.SQL(t.Context(), `SELECT 1`)
	noError(t, err)
}

// TestInterruptedTransaction: a transaction that an interrupt rolls back before its commit ends with the interrupt, as
// does a statement that it stops, and neither is repeated.
func TestInterruptedTransaction(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	for name, f := range map[string]func(context.Context, context.CancelFunc, *sqlx.Tx) error{
		"before the commit": func(_ context.Context, interrupt context.CancelFunc, tx *sqlx.Tx) error {
			interrupt()
			for {
				if _, err := tx.Exec(`SELECT 1`); errors.Is(err, sql.ErrTxDone) {
					return nil
				}
			}
		},
		"in a statement": func(ctx context.Context, interrupt context.CancelFunc, tx *sqlx.Tx) error {
			time.AfterFunc(20*time.Millisecond, interrupt)
			_, err := tx.ExecContext(ctx, `SELECT pg_sleep(1000)`)
			return err
		},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		tries := 0
		err := tr.Repeat(ctx, "trying", func(ctx context.Context) error {
			tries++
			return tr.InTx(ctx, func(tx *sqlx.Tx) error { return f(ctx, interrupt, tx) })
		})
		if !errors.Is(err, context.Canceled) || tries != 1 {
			t.Errorf("%s: %v after %d tries", name, err, tries)
		}
	}
}

// TestDeadlineKeepsTheFault: at a deadline the fault of the database counts, since it says what to mend.
func TestDeadlineKeepsTheFault(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	ctx, end := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer end()
	full := &pq.Error{Code: "53100", Message: "no space left"}
	if err := tr.Repeat(ctx, "trying", func(context.Context) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v instead of the fault", err)
	}
}
