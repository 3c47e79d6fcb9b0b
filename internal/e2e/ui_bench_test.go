package e2e

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"github.com/spherelab/spherelab/internal/expect"
)

// BenchmarkScroll turns the wheel over the table of 10,000 runs with eight params and metrics each, a screen at a time,
// through thousands of rows and back. It says how many milliseconds lie between the frames of the browser meanwhile,
// and how many of processor time the page itself takes per frame, for all and for parts of it.
func BenchmarkScroll(b *testing.B) {
	findBrowser(b)
	p := newProgram(b)
	p.ok("runs", "ls") // it makes the tables
	database, _ := strings.CutPrefix(p.env[2], "DATABASE_URL=")
	db, err := sql.Open("postgres", database)
	expect.NoError(b, err)
	defer db.Close()
	const id = `lpad(to_hex(i), 32, '0')`
	for _, statement := range []string{
		`INSERT INTO public.runs (run_uuid, name, status, user_id, start_time, end_time, lifecycle_stage, artifact_uri,
			experiment_id, source_type) SELECT ` + id + `, 'run-' || i, 'FINISHED', 'me', i, i + 1000, 'active', 'file:///none', 0,
			'LOCAL' FROM generate_series(1, 10000) i`,
		`INSERT INTO public.params (run_uuid, key, value) SELECT ` + id + `, key, (i % 7)::text
			FROM generate_series(1, 10000) i, unnest(ARRAY['graph', 'model', 'variant', 'seed']) key`,
		`INSERT INTO public.latest_metrics (run_uuid, key, value, timestamp, step, is_nan) SELECT ` + id + `, key,
			((i * 7919) % 10007)::double precision / 10007, 1, 1, false FROM generate_series(1, 10000) i,
			unnest(ARRAY['loss', 'test/head_f1', 'test/tail_f1', 'test/mrr']) key`,
	} {
		if _, err := db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	w := openWindow(b, p.ui().address+"?rows=10000", 1400, 1000)
	w.waitFor("the table", `document.readyState === 'complete' && document.querySelector('table.runs').ariaRowCount === '10001'`)
	at := read[struct{ X, Y float64 }](w, `(() => { const r = document.querySelector('.tall').getBoundingClientRect();
		return {X: r.left + 300, Y: r.top + 300} })()`)
	wheel := func(by float64) {
		w.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
			_, err = cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseWheel",
				X: at.X, Y: at.Y, DeltaX: 1e-9, DeltaY: by}) // it is sent if it is not 0
			return v, err
		})
	}
	const screen, turns = 900.0, 60 // px of one turn of the wheel
	w.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, performance.Enable,
			performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
		return v, err
	})
	parts := map[string]string{"TaskDuration": "page-ms/frame", "ScriptDuration": "script-ms/frame",
		"RecalcStyleDuration": "style-ms/frame", "LayoutDuration": "layout-ms/frame"}
	busy := func() map[string]float64 { // processor time of the page's thread in seconds
		type result = performance.GetMetricsResult
		got, err := chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (result, error) {
			return cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
		})
		expect.NoError(b, err)
		seconds := map[string]float64{}
		for _, m := range got.Metrics {
			seconds[m.Name] = m.Value
		}
		return seconds
	}
	before := busy()
	var frames []float64
	for b.Loop() {
		read[string](w, `(window.frameTimes = [], window.turning = true, requestAnimationFrame(function look(now) {
			window.frameTimes.push(now); if (window.turning) requestAnimationFrame(look) }), '')`)
		for range turns {
			wheel(screen)
		}
		for range turns {
			wheel(-screen)
		}
		times := read[[]float64](w, `(window.turning = false, window.frameTimes)`)
		for i := range len(times) - 1 {
			frames = append(frames, times[i+1]-times[i])
		}
	}
	slices.Sort(frames)
	after := busy()
	for name, unit := range parts {
		b.ReportMetric((after[name]-before[name])*1e3/float64(len(frames)), unit)
	}
	b.ReportMetric(frames[len(frames)/2], "p50-ms")
	b.ReportMetric(frames[len(frames)*99/100], "p99-ms")
	b.ReportMetric(frames[len(frames)-1], "max-ms")
	b.ReportMetric(float64(len(frames))/float64(b.N), "frames/op")
}
