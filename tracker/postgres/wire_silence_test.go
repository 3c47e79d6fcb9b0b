package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/open"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// silentServer accepts connections and says nothing.
func silentServer(t *testing.T) (uri string) {
	t.Helper()
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
		}
	}()
	return "postgres://someone:secret@" + l.Addr().String() + "/nothing?sslmode=disable"
}

// TestSilentDatabase opens a database that accepts connections and says nothing, without options of the address.
func TestSilentDatabase(t *testing.T) {
	t.Parallel()
	said := &trackertest.Heard{}
	began := time.Now()
	_, err := postgres.Open(context.Background(), silentServer(t), tracker.Options{DataDir: t.TempDir(),
		RetryFor: time.Millisecond, Say: said.Say})
	wantCode(t, err, tracker.CodeUnavailable, "it accepts connections and does not answer")
	if waited := time.Since(began); waited > 25*time.Second {
		t.Errorf("it took %v", waited)
	}
	if !said.Has("waiting for the database", "127.0.0.1", "has not answered for 5s") {
		t.Errorf("it said %q", said.Lines())
	}
}

// A tracking server that accepts connections and says nothing is waited for with a word too.
func TestSilentTrackingServer(t *testing.T) {
	t.Parallel()
	said := &trackertest.Heard{}
	ctx, cancel := context.WithTimeout(context.Background(), 7*time.Second)
	defer cancel()
	address, _, _ := strings.Cut(strings.Replace(silentServer(t), "postgres://someone:secret@", "http://", 1), "/nothing")
	_, err := open.Tracker(ctx, address, tracker.Options{DataDir: t.TempDir(), Say: said.Say})
	if err == nil || !said.Has("waiting for the tracking server", "has not answered for 5s") {
		t.Errorf("%v, and it said %q", err, said.Lines())
	}
}

// An interrupt ends the wait for a greeting at once.
func TestSilentDatabaseIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(200*time.Millisecond, cancel)
	began := time.Now()
	_, err := postgres.Open(ctx, silentServer(t), tracker.Options{DataDir: t.TempDir()})
	if waited := time.Since(began); !errors.Is(err, context.Canceled) || waited > 3*time.Second {
		t.Errorf("after %v: %v", waited, err)
	}
}

// TestDatabaseFallsSilent freezes a database that is in use. A notice announces the call, which ends soon after its
// context, and works again when the database does.
func TestDatabaseFallsSilent(t *testing.T) {
	t.Parallel()
	way := newProxy(t, trackertest.Database(t))
	said := &trackertest.Heard{}
	tr := trackertest.StoreWith(t, way.uri, tracker.Options{Say: said.Say})
	id := startRun(t, tr, "patient").ID()
	thaw := way.freeze()
	t.Cleanup(thaw) // what is left would wait
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Second)
	defer cancel()
	began := time.Now()
	_, err := tr.FindRun(ctx, id)
	if waited := time.Since(began); err == nil || waited > 25*time.Second {
		t.Errorf("after %v: %v", waited, err)
	}
	if !said.Has("waiting for the database", "has not answered for 5s") {
		t.Errorf("it said %q", said.Lines())
	}
	thaw()
	info := must[tracker.RunInfo](t)(tr.FindRun(context.Background(), id))
	if info.ID != id {
		t.Errorf("found %s", info.ID)
	}
}

// TestOpenIsCutOnce cuts the connection once at some message of a start, of a program that makes the tables and of one
// that finds them.
func TestOpenIsCutOnce(t *testing.T) {
	t.Parallel()
	for _, at := range []int{1, 2, 3, 4, 6, 9, 14, 22, 35, 60, 100} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			way := newProxy(t, trackertest.Database(t))
			for _, message := range []int{at, at % 12} {
				way.mu.Lock()
				way.cutAt = message
				way.mu.Unlock()
				tr := must[*postgres.Store](t)(postgres.Open(context.Background(), way.uri,
					tracker.Options{DataDir: t.TempDir()}))
				noError(t, startRun(t, tr, "patient").Finish(context.Background(), tracker.Finished))
				if have, newest, err := tr.SchemaVersion(context.Background()); err != nil || have != newest {
					t.Errorf("version %d of %d, %v", have, newest, err)
				}
				noError(t, tr.Close())
			}
		})
	}
}
