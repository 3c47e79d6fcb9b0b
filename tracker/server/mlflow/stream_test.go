package mlflow_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/postgres"
	"github.com/spherelab/spherelab/tracker/server/mlflow"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// manyPoints stores points of a metric, several at one time and step, and a NaN.
const manyPoints = `INSERT INTO public.metrics (run_uuid, key, value, timestamp, step, is_nan)
	SELECT $1, 'm "1"', CASE WHEN i = 7 THEN 0 ELSE i END, i / 5, i / 3, i = 7 FROM generate_series(1, 25000) i`

type historyPage struct {
	Metrics []struct {
		Key             string
		Value           any
		Timestamp, Step int64
	}
	Next_page_token string
}

// A history is the same in one answer, which is made of parts, and in pages of any size.
func TestLongHistories(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	run := s.newRun()
	_, err := s.tr.DB().Exec(manyPoints, run)
	expect.NoError(t, err)
	for _, size := range []int{0, 7000, 10000, 24999, 25000} {
		var all historyPage
		pages := 0
		for token := ""; ; pages++ {
			query := url.Values{"run_id": {run}, "metric_key": {`m "1"`}, "page_token": {token}}
			if size > 0 {
				query.Set("max_results", fmt.Sprint(size))
			}
			status, body := s.send(http.MethodGet, "/api/2.0/mlflow/metrics/get-history?"+query.Encode(), "")
			var page historyPage
			if err := json.Unmarshal([]byte(body), &page); err != nil || status != 200 || len(page.Metrics) == 0 {
				t.Fatalf("%d: %d %.200s %v", size, status, body, err)
			}
			all.Metrics = append(all.Metrics, page.Metrics...)
			if token = page.Next_page_token; token == "" {
				break
			}
		}
		if want := 24999 / max(size, 1); len(all.Metrics) != 25000 || size > 0 && pages != want {
			t.Fatalf("in pages of %d: %d points on %d pages more than one", size, len(all.Metrics), pages)
		}
		for i, m := range all.Metrics {
			n := int64(i + 1)
			var value any = float64(n)
			switch n { // a NaN is stored as 0, and comes before the others of its time and step
			case 6:
				value = "NaN"
			case 7:
				value = 6.0
			}
			if m.Value != value || m.Timestamp != n/5 || m.Key != `m "1"` {
				t.Fatalf("in pages of %d: point %d is %+v, want %v", size, n, m, value)
			}
		}
	}
	for _, token := range []string{"x", "e30=", "eyJ2IjoieCJ9"} {
		status, body := s.send(http.MethodGet, "/api/2.0/mlflow/metrics/get-history?run_id="+run+"&metric_key=m&page_token="+
			url.QueryEscape(token), "")
		if status != 400 || !strings.Contains(body, "page token") {
			t.Errorf("token %q: %d %s", token, status, body)
		}
	}
}

// A search for more runs than are in memory at once finds each once, in order.
func TestSearchInParts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := s.tr.DB().Exec(`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, lifecycle_stage,
		artifact_uri, experiment_id, source_type) SELECT lpad(to_hex(i), 32, '0'), i::text, 'FINISHED', 'me', i, 'active',
		'file:///none', 0, 'LOCAL' FROM generate_series(1, 250) i`)
	expect.NoError(t, err)
	for _, maximum := range []int{250, 249, 100} {
		var out struct {
			Runs []struct {
				Info struct{ Run_name string }
			}
			Next_page_token string
		}
		s.post("runs/search", fmt.Sprintf(`{"experiment_ids": ["0"], "max_results": %d}`, maximum), &out)
		if len(out.Runs) != maximum || (out.Next_page_token == "") != (maximum == 250) {
			t.Fatalf("%d runs, token %q", len(out.Runs), out.Next_page_token)
		}
		for i, r := range out.Runs {
			if r.Info.Run_name != fmt.Sprint(250-i) {
				t.Fatalf("place %d: %+v", i, r)
			}
		}
	}
}

// breaking is a client during whose answer something happens.
type breaking struct {
	*httptest.ResponseRecorder
	largest int
	do      func()
}

func (b *breaking) Write(p []byte) (int, error) {
	b.do()
	b.largest = max(b.largest, len(p))
	return b.ResponseRecorder.Write(p)
}

// Where the database fails in the middle of an answer, its client does not take what it has for the whole.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	tr := trackertest.Store(t)
	var said []string
	api, err := mlflow.New(tr, func(line string) { said = append(said, line) })
	expect.NoError(t, err)
	defer api.Close()
	run, err := tr.CreateRun(context.Background(), 0, postgres.ClientRun{Name: "r"})
	expect.NoError(t, err)
	_, err = tr.DB().Exec(manyPoints, run)
	expect.NoError(t, err)
	ask := func(do func()) (w *breaking, failed any) {
		defer func() { failed = recover() }()
		w = &breaking{ResponseRecorder: httptest.NewRecorder(), do: do}
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/2.0/mlflow/metrics/get-history?run_id="+run+
			"&metric_key="+url.QueryEscape(`m "1"`), nil))
		return w, nil
	}
	w, failed := ask(func() {})
	if failed != nil || w.largest > 64<<10 || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%v; %d bytes at once", failed, w.largest)
	}
	_, failed = ask(func() { _, _ = tr.DB().Exec(`ALTER TABLE public.metrics RENAME TO gone`) }) // once
	if err, ok := failed.(error); !ok || !errors.Is(err, http.ErrAbortHandler) || len(said) != 1 ||
		!strings.Contains(said[0], "broken off") {
		t.Errorf("%v; said %q", failed, said)
	}
	w, failed = ask(func() {})
	if failed != nil || w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "INTERNAL_ERROR") {
		t.Errorf("%v, %d %s", failed, w.Code, w.Body)
	}
}
