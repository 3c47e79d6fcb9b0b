package postgres_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// mlflowServer starts `mlflow server` on a database and returns its address, "" where there is no MLflow.
func mlflowServer(b *testing.B, database string) (address string) {
	b.Helper()
	python := os.Getenv("SPHERELAB_TEST_MLFLOW")
	if python == "" {
		b.Log("SPHERELAB_TEST_MLFLOW does not name a Python with mlflow's server: nothing to compare with")
		return ""
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(b, err)
	at := free.Addr().String()
	free.Close()
	_, port, _ := strings.Cut(at, ":")
	cmd := exec.Command(python, "-m", "mlflow", "server", "--backend-store-uri", database, "--port", port,
		"--default-artifact-root", b.TempDir())
	cmd.Env = append(benchEnv(), "PATH="+filepath.Dir(python)+":"+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the server starts workers
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	expect.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait() // ended by the signal
	})
	address = "http://" + at
	client := http.Client{Timeout: 5 * time.Second} // a worker that starts may take a connection and not answer
	for range 600 {
		resp, err := client.Get(address + "/health")
		if err == nil {
			resp.Body.Close()
			return address
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatalf("mlflow server does not answer: %s", output.String())
	return ""
}

func benchEnv() []string {
	return append(os.Environ(), "MLFLOW_TRACKING_URI=", "PYTHONWARNINGS=ignore", "GIT_PYTHON_REFRESH=quiet")
}

// mlflowClient returns the seconds that MLflow's client took and how much it did.
func mlflowClient(b *testing.B, args ...string) (seconds float64, count int) {
	b.Helper()
	cmd := exec.Command(os.Getenv("SPHERELAB_TEST_MLFLOW"), append([]string{"testdata/bench_client.py"}, args...)...)
	cmd.Env = benchEnv()
	out, err := cmd.Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &seconds, &count)
	}
	if err != nil {
		b.Fatalf("bench_client.py %s: %v\n%s", args[0], err, out)
	}
	return seconds, count
}

// median of a list that is not empty.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// durable opens a tracker on a private cluster of its own, which forces commits to the disk as in use.
func durable(b *testing.B) *postgres.Store {
	b.Helper()
	trackertest.Skip(b)
	dir := filepath.Join(b.TempDir(), "d")
	tr, err := postgres.Open(context.Background(), "", tracker.Options{DataDir: dir, Idle: time.Second})
	expect.NoError(b, err)
	trackertest.EndCluster(b, tr, dir)
	return tr
}

// logPoints logs points of 40 keys and returns the seconds until they are in the database.
func logPoints(b *testing.B, tr *postgres.Store, points int) float64 {
	ctx := context.Background()
	run, err := tr.StartRun(ctx, tracker.RunSpec{})
	expect.NoError(b, err)
	const keys = 40
	values := map[string]float64{}
	began := time.Now()
	for step := range points / keys {
		for k := range keys {
			values["valid/metric_"+strconv.Itoa(k)] = float64(step*keys+k) / 3
		}
		expect.NoError(b, run.LogMetrics(int64(step), values))
	}
	expect.NoError(b, run.Flush(ctx))
	seconds := time.Since(began).Seconds()
	expect.NoError(b, run.Finish(ctx, tracker.Finished))
	return seconds
}

// throughServer is a tracker that logs to a database through a tracking server of ours.
func throughServer(b *testing.B, stored *postgres.Store) *postgres.Store {
	b.Helper()
	api, err := mlflow.New(stored, func(line string) { b.Log(line) })
	expect.NoError(b, err)
	server := httptest.NewServer(api)
	b.Cleanup(func() { server.Close(); api.Close() })
	return trackertest.StoreWith(b, server.URL, tracker.Options{})
}

// BenchmarkBesideMLflow logs points until they are durable, in turn by this package and by MLflow's client with
// log_batch: each through its own server, and without one straight into a database. All are on one PostgreSQL. x-mlflow
// is the median of the ratios of a turn.
func BenchmarkBesideMLflow(b *testing.B) {
	tr := durable(b)
	const turns, ours, theirs = 3, 100_000, 5_000
	for _, way := range []string{"server", "database"} {
		b.Run("points/"+way, func(b *testing.B) {
			name := "mlflow_" + way
			if _, err := tr.DB().Exec(`DROP DATABASE IF EXISTS ` + name); err != nil {
				b.Fatal(err)
			}
			if _, err := tr.DB().Exec(`CREATE DATABASE ` + name); err != nil {
				b.Fatal(err)
			}
			to, err := url.Parse(tr.URL())
			expect.NoError(b, err)
			to.Path = "/" + name
			address := mlflowServer(b, to.String())
			if address == "" {
				b.Skip("without MLflow")
			}
			from := tr
			if way == "database" {
				address = to.String()
			} else {
				from = throughServer(b, tr)
			}
			b.ResetTimer()
			var own, other, ratios []float64
			for b.Loop() {
				for turn := range turns {
					var x, y float64
					mine := func() { x = ours / logPoints(b, from, ours) }
					if turn%2 == 0 {
						mine()
					}
					seconds, n := mlflowClient(b, "log", address, strconv.Itoa(theirs))
					y = float64(n) / seconds
					if turn%2 != 0 {
						mine()
					}
					own, other, ratios = append(own, x), append(other, y), append(ratios, x/y)
				}
			}
			b.ReportMetric(median(own), "points/s")
			b.ReportMetric(median(other), "mlflow-points/s")
			b.ReportMetric(median(ratios), "x-mlflow")
		})
	}
}

// BenchmarkSearch looks for the 100 runs with the highest F1 above a half, with all their params, tags and
// metrics, in a generated database; next to it MLflow's client does through MLflow's server.
func BenchmarkSearch(b *testing.B) {
	m := manyRuns(b)
	const condition, rows = "metrics.`test/head_f1` > 0.5 AND params.model = 'rotate'", 100
	ctx := context.Background()
	columns, err := m.tr.Columns(ctx)
	expect.NoError(b, err)
	b.Run(fmt.Sprintf("runs=%d/own", m.runs), func(b *testing.B) {
		for b.Loop() {
			list, err := m.tr.List(ctx, tracker.Listing{Search: condition, Sort: "metric/test/head_f1", Columns: columns,
				Limit: rows})
			if err != nil || len(list.Runs) == 0 {
				b.Fatalf("%d runs, %v", len(list.Runs), err)
			}
		}
	})
	b.Run(fmt.Sprintf("runs=%d/mlflow", m.runs), func(b *testing.B) {
		address := mlflowServer(b, m.tr.URL())
		if address == "" {
			b.Skip("without MLflow")
		}
		sum := 0.0
		for b.Loop() {
			seconds, n := mlflowClient(b, "search", address, condition, "metrics.`test/head_f1` DESC", strconv.Itoa(rows))
			if n == 0 {
				b.Fatal("MLflow finds no run")
			}
			sum += seconds
		}
		b.ReportMetric(sum/float64(b.N)*1e9, "ns/op") // without Python's start
	})
}

// BenchmarkHistory reads the 1,000,000 points of a metric: as a curve of 1,000 columns, all of them, and all of them by
// MLflow's client through MLflow's server.
func BenchmarkHistory(b *testing.B) {
	tr := trackertest.Store(b)
	ctx := context.Background()
	run, err := tr.StartRun(ctx, tracker.RunSpec{})
	expect.NoError(b, err)
	const points = 1_000_000
	if _, err := tr.DB().Exec(`INSERT INTO public.metrics (run_uuid, key, value, timestamp, step, is_nan)
		SELECT $1, 'loss', sin(s / 1000.0), 1700000000000 + s, s, false FROM generate_series(1, $2) s`, run.ID(),
		points); err != nil {
		b.Fatal(err)
	}
	if _, err := tr.DB().Exec(`VACUUM ANALYZE public.metrics`); err != nil {
		b.Fatal(err)
	}
	expect.NoError(b, run.Finish(ctx, tracker.Finished))
	b.Run("points=1000000/curve", func(b *testing.B) {
		for b.Loop() {
			c, err := tr.Curve(ctx, run.ID(), "loss", nil, 1000)
			if err != nil || c.Total != points {
				b.Fatalf("%d points, %v", c.Total, err)
			}
		}
	})
	b.Run("points=1000000/all", func(b *testing.B) {
		for b.Loop() {
			all, err := tr.History(ctx, run.ID(), "loss")
			if err != nil || len(all) != points {
				b.Fatalf("%d points, %v", len(all), err)
			}
		}
	})
	b.Run("points=1000000/mlflow", func(b *testing.B) {
		address := mlflowServer(b, tr.URL())
		if address == "" {
			b.Skip("without MLflow")
		}
		sum := 0.0
		for b.Loop() {
			seconds, n := mlflowClient(b, "history", address, run.ID(), "loss")
			if n != points {
				b.Fatalf("MLflow reads %d points", n)
			}
			sum += seconds
		}
		b.ReportMetric(sum/float64(b.N)*1e9, "ns/op") // without Python's start
	})
}
