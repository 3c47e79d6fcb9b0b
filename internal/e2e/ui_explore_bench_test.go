package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/spherelab/spherelab/internal/expect"
)

// BenchmarkExplore moves and zooms the space of a model of 15,000 entities, all of which are in view, with the mouse.
// It says how many milliseconds lie between the frames of the browser meanwhile, how long the drawing of one takes, how
// many bytes the page loads at first, and after how long it shows the discs.
func BenchmarkExplore(b *testing.B) {
	findBrowser(b)
	p := newProgram(b)
	const entities = 15000
	dir := b.TempDir()
	var splits [3]strings.Builder
	for i := range 4 * entities {
		split := 0
		if i%100 < 2 {
			split = 1 + i%2
		}
		fmt.Fprintf(&splits[split], "entity %05d\trelation %d\tentity %05d\n", i%entities, i%7, (i*i+i/entities*7919)%entities)
	}
	for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		expect.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(splits[i].String()), 0o644))
	}
	p.ok("train", dir, "sphere-2d", "--set", "dimension=32", "--set", "train.epochs=3", "--set", "train.batch=1024",
		"--set", "eval.fit=false", "--set", "eval.final=false", "--set", "name=large")
	address := p.ui().address + "runs/large/explore"
	const ready = `document.querySelector('#stage canvas')?.getAttribute('aria-label')?.includes('15000 entities')`
	openWindow(b, address, 1400, 1000).waitFor("the space", ready) // it is laid out once
	w := openWindow(b, address, 1400, 1000)                        // with a cache of its own
	w.waitFor("the space again", ready)
	bytes := read[float64](w, `performance.getEntries().reduce((sum, e) => sum + (e.transferSize ?? 0), 0)`)
	loaded := read[float64](w, `performance.getEntriesByType('resource').find(e => e.name.endsWith('space.json')).responseEnd`)
	box := read[struct{ X, Y float64 }](w, `(() => { const r = document.querySelector('#stage canvas').getBoundingClientRect();
		return {X: r.left + r.width / 2, Y: r.top + r.height / 2} })()`)
	mouse := func(kind input.DispatchMouseEventType, x, y, wheel float64) {
		event := input.DispatchMouseEventParams{Type: kind, X: box.X + x, Y: box.Y + y, DeltaX: wheel / 1e9,
			DeltaY: wheel}
		if kind != "mouseWheel" {
			event.Button, event.ClickCount = "left", 1
		}
		w.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
			_, err = cdp.Call(ctx, t, input.DispatchMouseEvent, event)
			return v, err
		})
	}
	read[string](w, `(() => { const draw = drawSpace; window.drawn = []; drawSpace = (view) => { const t = performance.now();
		draw(view); window.drawn.push(performance.now() - t) }; return '' })()`)
	var frames, drawn []float64
	for b.Loop() {
		read[string](w, `(window.frameTimes = [], window.drawn.length = 0, window.turning = true, requestAnimationFrame(function look(now) {
			window.frameTimes.push(now); if (window.turning) requestAnimationFrame(look) }), '')`)
		mouse("mousePressed", 0, 0, 0)
		for i := range 60 { // to and fro, so that all discs stay in view
			mouse("mouseMoved", float64(10-(i+10)%20), float64((i+5)%10), 0)
		}
		mouse("mouseReleased", 10, 5, 0)
		for i := range 60 {
			mouse("mouseWheel", 0, 0, float64(40-80*(i%2)))
		}
		times := read[[]float64](w, `(window.turning = false, window.frameTimes)`)
		for i := range len(times) - 1 {
			frames = append(frames, times[i+1]-times[i])
		}
		drawn = append(drawn, read[[]float64](w, `window.drawn`)...)
	}
	slices.Sort(frames)
	slices.Sort(drawn)
	b.ReportMetric(frames[len(frames)/2], "p50-ms")
	b.ReportMetric(frames[len(frames)*95/100], "p95-ms")
	b.ReportMetric(drawn[len(drawn)/2], "draw-ms")
	b.ReportMetric(float64(len(drawn)), "drawn")
	b.ReportMetric(bytes, "bytes")
	b.ReportMetric(loaded, "loaded-ms")
}
