package postgres_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/pgprivate"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// BenchmarkFlush writes 100,000 points from the spool to a durable private database.
func BenchmarkFlush(b *testing.B) {
	trackertest.Skip(b)
	ctx := context.Background()
	dir := filepath.Join(b.TempDir(), "d")
	tr, err := postgres.Open(ctx, "", tracker.Options{DataDir: dir, Idle: time.Second, FlushEvery: time.Hour})
	expect.NoError(b, err)
	trackertest.EndCluster(b, tr, dir)
	const steps, keys = 500, 40
	values := map[string]float64{}
	for b.Loop() {
		b.StopTimer()
		run, err := tr.StartRun(ctx, tracker.RunSpec{})
		expect.NoError(b, err)
		for step := range steps {
			for k := range keys {
				values[fmt.Sprintf("valid/metric_%d", k)] = float64(step*k) / 3
			}
			expect.NoError(b, run.LogMetrics(int64(step), values))
		}
		b.StartTimer()
		began := time.Now()
		expect.NoError(b, run.Flush(ctx))
		b.ReportMetric(steps*keys/time.Since(began).Seconds(), "rows/s")
		b.StopTimer()
		expect.NoError(b, run.Finish(ctx, tracker.Finished))
		b.StartTimer()
	}
}

// BenchmarkLogMetrics is the cost of a log call with ten values.
func BenchmarkLogMetrics(b *testing.B) {
	tr, err := postgres.Open(context.Background(), trackertest.Database(b),
		tracker.Options{DataDir: b.TempDir(), FlushEvery: time.Hour})
	expect.NoError(b, err)
	defer tr.Close()
	run, err := tr.StartRun(context.Background(), tracker.RunSpec{})
	expect.NoError(b, err)
	values := map[string]float64{}
	for k := range 10 {
		values[fmt.Sprintf("valid/metric_%d", k)] = float64(k) / 3
	}
	step := int64(0)
	for b.Loop() {
		step++
		expect.NoError(b, run.LogMetrics(step, values))
	}
	b.StopTimer()
	expect.NoError(b, run.Finish(context.Background(), tracker.Finished))
}

// BenchmarkStreamSQL reads 500,000 rows of five columns as texts, next to psql with the same query.
func BenchmarkStreamSQL(b *testing.B) {
	tr := trackertest.Store(b)
	const rows = 500_000
	const query = `SELECT md5(i::text) AS run_id, 'valid/head_f1' AS key, i AS step, i / 3.0::float8 AS value,
		to_timestamp(i) AS at FROM generate_series(1, 500000) i`
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			var cells []string
			err := tr.StreamSQL(context.Background(), query, func(*tracker.Table) error { return nil },
				func(row []any) error {
					cells = tracker.Text(cells[:0], row, time.RFC3339Nano)
					n++
					return nil
				})
			if err != nil || n != rows {
				b.Fatalf("%d rows, %v", n, err)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("psql", func(b *testing.B) {
		psql, err := pgprivate.FindProgram("psql")
		if err != nil {
			b.Skip(err)
		}
		for b.Loop() {
			cmd := exec.Command(psql, tr.URL(), "-X", "-o", os.DevNull, "-c", "COPY ("+query+") TO STDOUT CSV")
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
