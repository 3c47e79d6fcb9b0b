package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

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
