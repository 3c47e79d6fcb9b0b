package worker

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spherelab/spherelab/experiments"
	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// wire stands between a tracker and its database, and can be cut.
type wire struct {
	uri string

	mu    sync.Mutex
	away  bool
	conns []net.Conn
}

func newWire(t *testing.T, uri string) *wire {
	t.Helper()
	w := &wire{}
	w.uri = trackertest.Relay(t, uri, w.pass)
	t.Cleanup(w.cut)
	return w
}

func (w *wire) pass(in, out net.Conn) {
	w.mu.Lock()
	away := w.away
	w.conns = append(w.conns, in, out)
	w.mu.Unlock()
	if away {
		return
	}
	go func() {
		defer in.Close() // ends the other direction too
		_, _ = io.Copy(in, out)
	}()
	_, _ = io.Copy(out, in)
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = true
	for _, c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.away = false
}

// TestWorkerOutlivesAnOutage: a worker with a free place trains on while the database is away, keeps the job whose
// lease ran out meanwhile, and then takes another one.
func TestWorkerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	s, tr := enqueued(t, "runs:\n  - config: small.yaml\n    set: [train.epochs=1000000, eval.every=0, threads=1]\n"+
		"    seeds: [1, 2]\n")
	change := func(lease string, job int) {
		t.Helper()
		_, err := trackertest.StoreOf(t, tr).DB().Exec(`UPDATE spherelab.job SET lease_until = clock_timestamp() + $1::interval
			WHERE id = (SELECT id FROM spherelab.job ORDER BY id OFFSET $2 LIMIT 1)`, lease, job)
		expect.NoError(t, err)
	}
	change("1 h", 1) // the second job waits until then
	database := newWire(t, trackertest.StoreOf(t, tr).URL())
	own := trackertest.OpenWith(t, database.uri, tracker.Options{ArtifactDir: trackertest.StoreOf(t, tr).ArtifactRoot(),
		RetryFor: 10 * time.Millisecond, Say: func(string) {}})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	training, outage := make(chan bool, 9), make(chan bool, 9)
	w := &Worker{Runner: &experiments.Runner{Tracker: own}, Runs: 2, Lease: time.Hour, Poll: 10 * time.Millisecond,
		Machine: Machine{Cores: 2}, Say: func(line string) {
			switch {
			case strings.HasSuffix(line, ": training"):
				training <- true
			case strings.Contains(line, "takes no more jobs"):
				t.Error(line)
				stop()
			case strings.Contains(line, "the runs in progress continue"):
				outage <- true
			}
		}}
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	wait := func(happened chan bool) {
		t.Helper()
		select {
		case <-happened:
		case err := <-done:
			t.Fatalf("the worker ended with %v", err)
		}
	}
	wait(training)
	for points := 0; points == 0; time.Sleep(5 * time.Millisecond) {
		if err := trackertest.StoreOf(t, tr).DB().Get(&points, `SELECT count(*) FROM public.metrics WHERE key = 'loss'`); err != nil {
			t.Fatal(err)
		}
	}
	database.cut()
	wait(outage)
	change("-1 s", 0)
	change("-1 s", 1)
	database.mend()
	wait(training)
	jobs, err := trackertest.StoreOf(t, tr).Jobs(t.Context(), s.QueueName())
	expect.NoError(t, err)
	for _, job := range jobs {
		if job.State != tracker.JobRunning || job.Takes != 1 || job.Losses != 0 {
			t.Errorf("after the outage %s is %s: %+v", job.Title, job.State, job)
		}
	}
	stop()
	err = <-done
	if _, interrupted := errors.AsType[*experiments.InterruptedError](err); !interrupted && !errors.Is(err,
		context.Canceled) {
		t.Errorf("the worker ended with %v", err)
	}
}

func TestUntilRenewal(t *testing.T) {
	t.Parallel()
	away := &tracker.Error{Code: tracker.CodeUnavailable, Message: "away"}
	for _, c := range []struct {
		err         error
		every, want time.Duration
	}{
		{nil, 20 * time.Second, 20 * time.Second},
		{away, 20 * time.Second, time.Second},
		{away, 10 * time.Millisecond, 10 * time.Millisecond},
		{context.Canceled, 20 * time.Second, 20 * time.Second},
	} {
		if got := untilRenewal(c.err, c.every); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}

// renewals answers a lease's renewals with its errors in turn, and ends the work after the last one.
type renewals struct {
	errs []error
	end  context.CancelFunc
}

func (r *renewals) Renew(context.Context) error {
	err := r.errs[0]
	if r.errs = r.errs[1:]; len(r.errs) == 0 {
		r.end()
	}
	return err
}

// TestUnrenewableLeaseIsReported: a worker says that its lease cannot be renewed and why, once until it can be again.
// An outage of the database and the end of the work are not reasons to say so.
func TestUnrenewableLeaseIsReported(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	refused := &tracker.Error{Code: tracker.CodeInternal, Message: "permission denied for table job"}
	away := &tracker.Error{Code: tracker.CodeUnavailable, Message: "away"}
	var told []error
	answers := []error{nil, refused, refused, away, refused, nil, context.DeadlineExceeded, refused, refused}
	stop := func(cause error) { t.Errorf("the work was stopped: %v", cause) }
	keep(ctx, &renewals{answers, end}, time.Millisecond, stop, func(err error) { told = append(told, err) })
	if !slices.Equal(told, []error{refused, refused}) {
		t.Errorf("reported %v, want the refusal twice", told)
	}
}
