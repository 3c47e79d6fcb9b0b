package prelude

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/spherelab/spherelab/experiments/lab/session"
	"github.com/spherelab/spherelab/kernel/display"
	"github.com/spherelab/spherelab/tracker"
)

// database is the tracker of %%sql and package lab. The first use opens it; it stays open, so that a private database
// keeps running between cells.
type database struct {
	open func(ctx context.Context) (*tracker.Tracker, error)

	mu     sync.Mutex
	opened *tracker.Tracker
}

// tracker returns the tracker of package lab; nil if there is none.
func (d *database) tracker() func(context.Context) (*tracker.Tracker, error) {
	if d.open == nil {
		return nil
	}
	return d.get
}

// sql runs a cell that starts with %%sql: the rest of that line and the lines below are one query, run by a login that
// can only read.
func (d *database) sql(ctx context.Context, args, body string) (display.Data, bool, error) {
	query := strings.TrimSpace(args + "\n" + body)
	if query == "" {
		return display.Data{}, false,
			errors.New("%%sql: the query is missing; write it below, for example: select * from spherelab.run_wide")
	}
	rows, err := session.Query(ctx, d.get, query)
	if err != nil {
		return display.Data{}, false, err
	}
	data, ok := display.Render(rows)
	return data, ok, nil
}

func (d *database) get(ctx context.Context) (*tracker.Tracker, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened == nil {
		t, err := d.open(ctx)
		if err != nil {
			return nil, err
		}
		d.opened = t
	}
	return d.opened, nil
}

func (d *database) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened != nil {
		_ = d.opened.Close() // what a training could not write stays in its spool
		d.opened = nil
	}
}
