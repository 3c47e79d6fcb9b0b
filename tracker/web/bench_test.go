package web_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker"
	"github.com/spherelab/spherelab/tracker/trackertest"
	"github.com/spherelab/spherelab/tracker/web"
)

// BenchmarkPage measures the first byte of pages with 10,000 runs of 60 params and 100 metrics each, of which one has
// 1,000,000 points and 20 have 1,000 of a metric: a page is rendered before any of it is sent, so this is the whole of
// it. Next to them stands search_runs of MLflow's Python client on the same database.
func BenchmarkPage(b *testing.B) {
	uri := trackertest.Database(b)
	tr := trackertest.StoreWith(b, uri, tracker.Options{})
	db, err := sql.Open("postgres", uri)
	expect.NoError(b, err)
	defer db.Close()
	const id = "lpad(to_hex(i), 32, '0')"
	for _, statement := range []string{
		`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, end_time, lifecycle_stage, artifact_uri,
			experiment_id, source_type) SELECT ` + id + `, 'run-' || i, 'FINISHED', 'me', 1700000000000 + i,
			1700000001000 + i, 'active', 'file:///none', 0, 'LOCAL' FROM generate_series(1, 10000) i`,
		`INSERT INTO public.params (run_uuid, key, value) SELECT ` + id + `, 'param-' || k, (i % (k + 1))::text
			FROM generate_series(1, 10000) i, generate_series(1, 60) k`,
		`INSERT INTO public.latest_metrics (run_uuid, key, value, timestamp, step, is_nan) SELECT ` + id + `, 'metric-' || k,
			((i * 7919) % 10007)::double precision / k, 1700000000000, 1, false
			FROM generate_series(1, 10000) i, generate_series(1, 100) k`,
		`INSERT INTO public.metrics (run_uuid, key, value, timestamp, step, is_nan) SELECT ` + id + `, 'metric-1',
			sin(s / 1000.0), 1700000000000 + s, s, false
			FROM generate_series(1, 20) i, generate_series(1, CASE WHEN i = 1 THEN 1000000 ELSE 1000 END) s`,
		// Sweeps of ten runs; the runs of a name that tables distinguish.
		`UPDATE public.runs SET name = 'run-' || left(run_uuid, 31)`,
		`INSERT INTO public.tags (run_uuid, key, value) SELECT ` + id + `, 'mlflow.parentRunId', md5((i / 10)::text)
			FROM generate_series(1, 10000) i`,
		`ANALYZE`,
	} {
		if _, err := db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	h := web.New(tr, web.Options{})
	some := url.Values{}
	for i := range 20 {
		some.Add("run", "000000000000000000000000000000"+string("0123456789abcdef"[(i+1)/16])+
			string("0123456789abcdef"[(i+1)%16]))
	}
	first := some.Get("run")
	others := url.Values{"run": some["run"][1:]}
	for _, page := range []struct{ name, address string }{
		{"runs=10000", "/"},
		{"runs=10000/sort=metric", "/?sort=metric/metric-7"},
		{"runs=10000/search", "/?q=" + url.QueryEscape("metrics.metric-7 > 100 AND params.param-3 = '1'")},
		{"runs=10000/fold", "/?fold=1"},
		{"runs=10000/fold/sort=metric", "/?fold=1&sort=metric/metric-7"},
		{"run/points=1000000", "/runs/" + first},
		{"curve/points=1000000", "/curve.svg?key=metric-1&run=" + first},
		{"compare/runs=20", "/compare?" + some.Encode()},
		{"curve/runs=19/points=1000", "/curve.svg?key=metric-1&" + others.Encode()},
		{"runs=10000/rows=10000", "/?rows=10000"},
		{"csv/runs=10000", "/runs.csv"},
	} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, page.address, nil))
				if w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
	python := os.Getenv("SPHERELAB_PYTHON")
	if python == "" {
		b.Log("SPHERELAB_PYTHON does not name a Python with mlflow: nothing to compare with")
		return
	}
	for _, rows := range []int{100, 1000} { // 10,000 take minutes
		b.Run(fmt.Sprintf("mlflow/search_runs=%d", rows), func(b *testing.B) {
			cmd := exec.Command(python, "testdata/search_runs.py", uri, strconv.Itoa(rows), strconv.Itoa(b.N))
			cmd.Env = append(os.Environ(), "MLFLOW_TRACKING_URI=", "PYTHONWARNINGS=ignore", "GIT_PYTHON_REFRESH=quiet")
			out, err := cmd.Output()
			if err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			sum := 0.0
			for _, line := range strings.Fields(string(out)) {
				seconds, err := strconv.ParseFloat(line, 64)
				expect.NoError(b, err)
				sum += seconds
			}
			b.ReportMetric(sum/float64(b.N)*1e9, "ns/op") // without Python's start
		})
	}
}
