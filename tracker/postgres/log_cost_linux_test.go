package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// BenchmarkLogCost is the processor time that a log call of ten metrics takes until they are stored: of the calls
// (call-us), of this process besides (writer-us) and of a private database (database-us). The calls come in the pace
// of training steps of 8 ms, and what both processes take without calls is subtracted. Other work on the machine moves
// these numbers less than the time of a training.
func BenchmarkLogCost(b *testing.B) {
	trackertest.Skip(b)
	ctx := context.Background()
	dir := filepath.Join(b.TempDir(), "d")
	tr, err := postgres.Open(ctx, "", tracker.Options{DataDir: dir, Idle: time.Second})
	expect.NoError(b, err)
	server, err := pgprivate.Inspect(postgres.ClusterDir(dir))
	if err != nil || server.PID == 0 {
		b.Fatalf("the database's process: %+v, %v", server, err)
	}
	trackertest.EndCluster(b, tr, dir)
	run, err := tr.StartRun(ctx, tracker.RunSpec{})
	expect.NoError(b, err)
	values := map[string]float64{}
	for k := range 10 {
		values[fmt.Sprintf("valid/metric_%d", k)] = 0
	}
	const (
		pace  = 8 * time.Millisecond
		calls = 1250 // ten seconds
	)
	step := int64(0)
	measure := func(log bool) (call, own, database time.Duration) {
		ownBefore, databaseBefore := ownProcessorTime(b), databaseProcessorTime(b, server.PID)
		ticks := time.NewTicker(pace)
		defer ticks.Stop()
		for range calls {
			<-ticks.C
			if !log {
				continue
			}
			step++
			for name := range values {
				values[name] = 1 / float64(len(name)+int(step))
			}
			began := time.Now()
			expect.NoError(b, run.LogMetrics(step, values))
			call += time.Since(began)
		}
		expect.NoError(b, run.Flush(ctx))
		return call, ownProcessorTime(b) - ownBefore, databaseProcessorTime(b, server.PID) - databaseBefore
	}
	measure(true)
	var call, own, database time.Duration
	for b.Loop() {
		_, ownIdle, databaseIdle := measure(false)
		c, o, d := measure(true)
		call, own, database = call+c, own+o-ownIdle, database+d-databaseIdle
	}
	perCall := func(d time.Duration) float64 { return d.Seconds() * 1e6 / calls / float64(b.N) }
	b.ReportMetric(perCall(call), "call-us")
	b.ReportMetric(perCall(own-call), "writer-us")
	b.ReportMetric(perCall(database), "database-us")
	expect.NoError(b, run.Finish(ctx, tracker.Finished))
}

func ownProcessorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	expect.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// databaseProcessorTime is that of the server and of its processes that run now.
func databaseProcessorTime(b *testing.B, server int) (sum time.Duration) {
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", server, server))
	expect.NoError(b, err)
	for _, pid := range append(strings.Fields(string(children)), strconv.Itoa(server)) {
		text, err := os.ReadFile(filepath.Join("/proc", pid, "schedstat"))
		if os.IsNotExist(err) {
			continue // it ended meanwhile
		}
		expect.NoError(b, err)
		onProcessor, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(onProcessor, 10, 64)
		expect.NoError(b, err)
		sum += time.Duration(ns)
	}
	return sum
}
