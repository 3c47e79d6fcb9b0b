package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/tracker/trackertest"
)

// hand does what a person does with mouse and keyboard, and counts it.
type hand struct {
	*window
	clicks, keys int
}

// click clicks in the middle of an element when it has come to rest: a table that is drawn again moves below the mouse.
func (h *hand) click(element string) {
	h.t.Helper()
	type point struct {
		X, Y  float64
		Clear bool // nothing lies above the element
	}
	at := `(() => { const e = ` + element + `; e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect();
		const x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2, top = document.elementFromPoint(x, y);
		return {X: x, Y: y, Clear: r.width > 0 && (e.contains(top) || top?.contains(e))} })()`
	h.waitFor("an element to click", element)
	last := point{X: -1}
	for end := time.Now().Add(browserPatience); ; time.Sleep(50 * time.Millisecond) {
		now := point{X: -2}
		if read[bool](h.window, "!!("+element+")") {
			now = read[point](h.window, at)
		}
		if now.Clear && now == last {
			break
		}
		if last = now; time.Now().After(end) {
			h.shot("failure")
			h.t.Fatalf("%s does not come to rest", element)
		}
	}
	h.do(chromedp.MouseClickXY(last.X, last.Y))
	h.clicks++
}

// clickFor clicks an element until that has an effect, and counts one click: scripts that are not ready lose some.
func (h *hand) clickFor(element, effect string) {
	h.t.Helper()
	before := h.clicks
	for end := time.Now().Add(browserPatience); time.Now().Before(end); {
		h.click(element)
		h.clicks = before + 1
		for range 60 {
			if read[bool](h.window, "!!("+effect+")") {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	h.shot("failure")
	h.t.Fatalf("clicking does not show %s", effect)
}

// press types keys where the cursor is.
func (h *hand) press(keys string) {
	h.t.Helper()
	h.do(chromedp.KeyEvent(keys))
	h.keys += len([]rune(keys))
}

// named is the JavaScript of the first element of a kind that begins with a text and can be seen.
func named(selector, text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('%s')].find(e => e.offsetWidth && e.textContent.trim().startsWith(%s))`,
		selector, strconv.Quote(text))
}

// task is what somebody wants to know, done in pages from their first one, and what these say.
type task func(h *hand, address string) string

// twoVariants are two runs that differ in the variant alone.
const twoVariants = `params.model = 'sphere-2d' AND params.gamma = '4' AND params.seed = '1'`

// ourTasks ask in these pages which run is best and why, whether two variants differ, and which new answers a model
// adds to lookup.
var ourTasks = []task{
	func(h *hand, address string) string {
		h.do(chromedp.Navigate(address))
		h.click(named("nav a", "Params that matter"))
		h.waitFor("best runs and what explains them", `document.querySelectorAll('tbody th').length >= 10 &&
			(document.querySelector('img[src*="importance"]')?.scrollIntoView(), document.querySelector('img[src*="importance"]')?.naturalWidth > 0)`)
		return read[string](h.window, `document.querySelector('tbody tr').innerText + ' | ' +
			document.querySelectorAll('section')[1].querySelector('tbody tr').innerText`)
	},
	func(h *hand, address string) string {
		h.do(chromedp.Navigate(address))
		h.click(`document.querySelector('#q')`)
		h.press(twoVariants + kb.Enter)
		h.waitFor("two runs", `document.querySelectorAll('table.runs tbody tr').length === 2 && document.readyState === 'complete'`)
		h.click(`document.querySelector('thead .all input')`)
		h.click(named("#compare button", "Compare"))
		h.click(named("#paired button", "Compare query by query"))
		h.waitFor("differences with intervals", `document.querySelector('#paired td') && document.readyState === 'complete'`)
		return read[string](h.window, `document.querySelector('#paired tbody tr').innerText`)
	},
	func(h *hand, address string) string {
		h.do(chromedp.Navigate(address))
		h.click(named("table.runs tbody th a", ""))
		h.click(named("a", "Ask its model"))
		h.click(`document.querySelector('#head')`)
		h.press("Max Born" + kb.Tab + "advised" + kb.Enter)
		h.waitFor("answers", `document.querySelector('section tbody') && document.readyState === 'complete'`)
		return read[string](h.window, `document.querySelector('section p').innerText`)
	},
}

// The rows of MLflow's table, and what selects one.
const (
	mlflowRows = `.ag-center-cols-container .ag-row`
	mlflowAll  = `[...document.querySelectorAll('.ag-header input[type=checkbox]')].find(e => e.offsetWidth)`
	mlflowRow  = `[...document.querySelectorAll('.ag-row input[type=checkbox]')].filter(e => e.offsetWidth)[%d]`
)

// mlflowTasks ask the same in MLflow's pages. The third task has no page there.
var mlflowTasks = []task{
	func(h *hand, address string) string {
		h.do(chromedp.Navigate(address))
		h.clickFor(named("a", "bundled"), `document.querySelectorAll('`+mlflowRows+`').length > 0`)
		h.clickFor(named("button", "Sort:"), `document.activeElement.type === 'search'`)
		h.press("test/mrr")
		h.clickFor(named("[role=menuitemcheckbox]", "test/mrr"), `document.querySelectorAll('`+mlflowRows+`').length > 10 &&
			`+named("button", "Sort: test/mrr"))
		h.clickFor(mlflowAll, named("button", "Compare"))
		h.clickFor(named("button", "Compare"), named("button", "Clear All"))
		h.clickFor(named("button", "Clear All"), `!document.querySelector('[class*=selection-item-remove]')`)
		for i, names := range [][]string{{"gamma", "model", "variant"}, {"test/mrr"}} {
			h.clickFor(fmt.Sprintf(`document.querySelectorAll('[class*=select-selector]')[%d]`, i), `document.querySelectorAll('[class*=select-open]').length === 1`)
			for _, name := range names {
				h.press(name + kb.Enter)
			}
			h.press(kb.Escape)
		}
		h.waitFor("parallel coordinates", `['gamma', 'model', 'variant', 'test/mrr'].every(name =>
			[...document.querySelectorAll('svg.main-svg text')].some(e => e.textContent === name))`)
		return "parallel coordinates of gamma, model, variant and test/mrr, to be read by eye"
	},
	func(h *hand, address string) string {
		h.do(chromedp.Navigate(address))
		h.clickFor(named("a", "bundled"), `document.querySelectorAll('`+mlflowRows+`').length > 0`)
		h.click(`document.querySelector('input[placeholder^="metrics.rmse"]')`)
		h.press(twoVariants + kb.Enter)
		// The sweep is the parent of its runs, which are folded below it.
		h.waitFor("the runs that are found", `document.body.innerText.includes('3 matching runs')`)
		h.clickFor(`document.querySelector('.ag-row [data-testid="expander"], .ag-row [class*=expander], .ag-row button')`,
			`document.querySelectorAll('`+mlflowRows+`').length === 3`)
		for row := 1; row <= 2; row++ {
			element := fmt.Sprintf(mlflowRow, row)
			h.clickFor(element, element+`.checked`)
		}
		h.clickFor(named("button", "Compare"), named("button", "Clear All"))
		h.waitFor("both runs' metrics", `document.body.innerText.includes('test/head_f1')`)
		return "values side by side, without differences or intervals"
	},
}

// TestSameTasksInMLflow does three tasks in the pages and in MLflow's own, on one database with forty runs of a sweep.
// It says how many clicks, keys and seconds each takes. The seconds are what the pages take; a person's own come on
// top. Both have their files in the browser's cache, and take turns.
func TestSameTasksInMLflow(t *testing.T) {
	python := trackertest.MLflowPython(t, trackertest.MLflow2)
	findBrowser(t)
	p := newProgram(t)
	sweep := filepath.Join(t.TempDir(), "forty.yaml")
	expect.NoError(t, os.WriteFile(sweep, []byte(`runs:
  - config: bundled/sphere-2d
    seeds: [1, 2]
    set: [train.epochs=10]
    each: {model: [sphere-2d, rotate], variant: [released, clean], gamma: [2, 4, 6, 9, 12]}
`), 0o644))
	p.ok("sweep", sweep)
	database, _ := strings.CutPrefix(p.env[2], "DATABASE_URL=")
	theirs, _ := trackertest.MLflowServer(t, python, "--backend-store-uri",
		strings.Replace(database, "postgres://", "postgresql://", 1))
	ours := p.ui()
	const rounds = 4 // the first one fills caches
	type result struct {
		clicks, keys int
		seconds      []float64
		answer       string
	}
	results := map[string]*result{}
	windows := []*window{openWindow(t, "about:blank", 1400, 1000), openWindow(t, "about:blank", 1400, 1000)}
	for round := range rounds {
		for at := range ourTasks {
			for i, pages := range []struct {
				name, address string
				tasks         []task
			}{{"ours", ours.address, ourTasks}, {"MLflow's", theirs + "/", mlflowTasks}} {
				if at >= len(pages.tasks) {
					continue
				}
				h := &hand{window: windows[i]}
				h.do(chromedp.Navigate(pages.address + "static/none"))
				read[string](h.window, `(localStorage.clear(), '')`) // MLflow keeps the order of its table there
				h.do(chromedp.Navigate("about:blank"))
				began := time.Now()
				answer := pages.tasks[at](h, pages.address)
				name := fmt.Sprintf("task %d, %s", at+1, pages.name)
				if results[name] == nil {
					results[name] = &result{}
				}
				r := results[name]
				r.clicks, r.keys, r.answer = h.clicks, h.keys, answer
				if round > 0 {
					r.seconds = append(r.seconds, time.Since(began).Seconds())
				} else {
					h.shot(strings.NewReplacer(" ", "-", ",", "", "'", "").Replace(name))
				}
			}
		}
	}
	for at, want := range []string{"sphere-2d", "head f1", "inferred"} {
		name := fmt.Sprintf("task %d, ours", at+1)
		if !strings.Contains(results[name].answer, want) {
			t.Errorf("%s: %q", name, results[name].answer)
		}
	}
	for name, r := range results {
		slices.Sort(r.seconds)
		t.Logf("%s: %d clicks, %d keys, median of %d rounds %.2f s (%.2f to %.2f); %s", name, r.clicks, r.keys,
			len(r.seconds), r.seconds[len(r.seconds)/2], r.seconds[0], r.seconds[len(r.seconds)-1], r.answer)
	}
}
