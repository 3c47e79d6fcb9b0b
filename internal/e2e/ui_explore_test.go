package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/spherelab/spherelab/internal/expect"
	"github.com/spherelab/spherelab/internal/quantity"
)

// shown is how many answers the page of a space shows, in three ways that must agree.
const shown = `(() => { const dd = (name) => [...document.querySelectorAll('.numbers dt')].find(d => d.textContent === name)?.
	nextElementSibling.textContent; const rows = [...document.querySelectorAll('#touched li')].filter(li => !li.hidden);
	return [Number(dd('answers')), rows.length, Number(dd('known')) + Number(dd('novel')),
		rows.filter(li => li.className !== 'known').length === Number(dd('novel')) ? 1 : 0] })()`

// TestUIExplore walks through the spaces of two models: with a mouse, by keyboard, without scripts and in the dark.
func TestUIExplore(t *testing.T) {
	t.Parallel()
	findBrowser(t)
	p := newProgram(t)
	p.ok("train", "bundled", "sphere-2d", "--set", "dimension=1", "--set", "train.epochs=20", "--set", "gamma=0.05",
		"--set", "eval.criterion=intersect", "--set", "eval.fit=false", "--set", "name=plane")
	p.ok("train", "bundled", "sphere-2d", "--set", "dimension=16", "--set", "train.epochs=40", "--set", "eval.calibrate=true",
		"--set", "name=many")
	p.ok("train", "bundled", "distmult", "--set", "train.epochs=2", "--set", "dimension=8", "--set", "name=product")
	u := p.ui()
	w := openWindow(t, u.address+"runs/many", 1300, 900)
	w.do(chromedp.Click(chromedp.CSS(`a[href$="/explore"]`)))
	w.waitFor("the canvas", `document.querySelector('#stage canvas')?.getAttribute('aria-label')?.includes('entities')`)
	w.checkPage("the whole space")
	w.checkTree("the whole space")
	w.shot("whole")

	w.do(chromedp.SendKeys(chromedp.CSS("#entity"), "Max B"))
	w.waitFor("completed names", `[...document.querySelector('#entities').options].some(o => o.value === 'Max Born')`)
	w.do(chromedp.SendKeys(chromedp.CSS("#entity"), "orn"+kb.Enter))
	w.waitFor("an entity", `document.querySelector('#here')?.textContent === 'Max Born'`)
	w.checkPage("an entity")
	w.checkTree("an entity")
	w.shot("entity")
	relation := read[string](w, `(() => { const d = [...document.querySelectorAll('#sight details')].
		find(d => d.textContent.includes('advised ?')); d.open = true; return d.querySelector('a[data-go]').textContent })()`)
	if relation != "Move the sphere by advised" {
		t.Errorf("the link of a relation is %q", relation)
	}
	read[string](w, `([...document.querySelectorAll('#sight details[open] a[data-go]')].find(a => a.textContent === '`+relation+`').click(), '')`)
	w.waitFor("answers", `document.querySelector('#touched h3')?.textContent === 'Max Born advised ?' && document.querySelector('#size')`)
	checkShown(w, "the usual cut")
	told[bool](w, endOfMove)
	w.checkPage("answers")
	w.checkTree("answers")
	w.shot("answers")

	// By keyboard: the slider widens the cut by one answer, and the address keeps it.
	before := read[[]int](w, shown)[0]
	w.do(chromedp.Focus(chromedp.CSS("#size")), chromedp.KeyEvent(kb.ArrowRight))
	checkShown(w, "a wider cut")
	if now := read[[]int](w, shown)[0]; now <= before || !strings.Contains(read[string](w, `location.search`), fmt.Sprint("size=", now)) {
		t.Errorf("a wider cut has %d answers after %d, address %s", now, before, read[string](w, `location.search`))
	}
	// An answer asks on; the trail leads back, and so does Back.
	next := read[string](w, `(() => { const a = document.querySelector('#touched li a'); a.click(); return a.textContent })()`)
	w.waitFor("the answer", `document.querySelector('#here')?.textContent === `+quote(next))
	if trail := read[string](w, `document.querySelector('.trail').textContent`); trail != "Max Born advised ?" {
		t.Errorf("the trail is %q", trail)
	}
	w.do(chromedp.NavigateBack())
	w.waitFor("the way back", `document.querySelector('#touched h3')?.textContent === 'Max Born advised ?'`)
	checkShown(w, "the way back")

	exploreCuts(p, u, w)
	svg := told[string](w, `new Promise(r => { const make = URL.createObjectURL; URL.createObjectURL = (b) => { b.text().then(r);
		return make.call(URL, b) }; [...document.querySelectorAll('.stage button')].find(b => b.textContent.includes('SVG')).click() })`)
	if !strings.HasPrefix(svg, "<svg xmlns=") || !strings.Contains(svg, ">Max Born<") || strings.Count(svg, "<circle") < 100 {
		t.Errorf("the picture of the view is %.200q", svg)
	}
	for _, ending := range []string{"svg", "pdf", "png"} {
		if !told[bool](w, `fetch(document.querySelector('#sight a[href*="sight.`+ending+`"]').href).then(r => r.ok)`) {
			t.Errorf("there is no %s of what is around", ending)
		}
	}

	exploreTrouble(w)
	exploreTwo(p, u, w)
	explorePlane(u, w)
	exploreWithout(u, w)
}

// told returns what a JavaScript promise is resolved with.
func told[T any](w *window, promise string) T {
	w.t.Helper()
	read[string](w, `(window.told = undefined, (`+promise+`).then(v => window.told = v), '')`)
	w.waitFor("an answer", `window.told !== undefined`)
	return read[T](w, `window.told`)
}

const endOfMove = `new Promise(r => setTimeout(() => r(true), 2000))`

func quote(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a form
	}
	return string(raw)
}

// checkShown compares the numbers of a cut with the list next to them.
func checkShown(w *window, what string) {
	w.t.Helper()
	if n := read[[]int](w, shown); n[0] != n[1] || n[0] != n[2] || n[3] != 1 || n[0] == 0 {
		w.t.Errorf("%s: the numbers and the list have %v answers", what, n)
	}
}

// asked are the answers that query has to who was advised by Max Born, by a cut; "" is the default.
func asked(p *program, run, cut string) (labels []string) {
	p.t.Helper()
	args := []string{"query", run, "Max Born", "advised", "?", "--limit", "0", "--format", "json"}
	if cut != "" {
		args = append(args, "--cut", cut)
	}
	var answer struct {
		Set []struct {
			Label string
			Slack float64
		}
	}
	expect.NoError(p.t, json.Unmarshal([]byte(p.ok(args...)), &answer))
	for _, m := range answer.Set {
		if m.Slack >= 0 { // others are facts outside the cut
			labels = append(labels, m.Label)
		}
	}
	return labels
}

// exploreCuts compares what the page shows with what is asked: it has the same answers as query by the same cut, in the
// same order, and where the cut has none it says so.
func exploreCuts(p *program, u *ui, w *window) {
	w.t.Helper()
	type page struct {
		Cut, Shared string
		Labels      []string
	}
	read := func(query string) page {
		return told[page](w, `fetch('/runs/many/explore?entity=Max+Born&relation=advised`+query+`').then(r => r.text()).then(text => {
			const page = new DOMParser().parseFromString(text, 'text/html'), rows = '#touched > ol > li:not([hidden]) a[data-go]';
			return { cut: page.querySelector('.cut').textContent, shared: page.querySelector('#shared')?.textContent ?? '',
				labels: [...page.querySelectorAll(rows)].map(a => a.textContent) } })`)
	}
	const empty = "precision-0.8"
	counts := map[int]bool{}
	for _, cut := range []string{"", "margin", "fitted-novel", "top-7", empty} {
		want, query := asked(p, "many", cut), ""
		if cut != "" {
			query = "&cut=" + cut
		}
		got := read(query)
		counts[len(want)] = true
		says := quantity.Count(len(want), "answer") + " by the cut " + cut
		if len(want) == 0 { // the best ones are shown
			says += ", the first 10 are shown;"
			want = got.Labels[:min(len(got.Labels), 10)]
		}
		if !strings.HasPrefix(got.Cut, says) || strings.Contains(got.Cut, "shown") != strings.HasSuffix(says, "shown;") {
			w.t.Errorf("by the cut %q the page says %q, want %q", cut, got.Cut, says)
		}
		if !slices.Equal(got.Labels, want) {
			w.t.Errorf("by the cut %q the page has %q, query has %q", cut, got.Labels, want)
		}
	}
	if !counts[0] || !counts[7] || len(counts) < 4 {
		w.t.Errorf("the cuts have so many answers: %v", counts)
	}
	there := len(asked(p, "product", ""))
	want := fmt.Sprintf("0 answers of both, 0 only here, %d only there", there)
	if got := read("&against=product&cut=" + empty); got.Shared != want {
		w.t.Errorf("of an empty set and another the page says %q, want %q", got.Shared, want)
	}
	// The script says the same.
	w.do(chromedp.Navigate(u.address + "runs/many/explore?entity=Max+Born&relation=advised&against=product&cut=" + empty))
	w.waitFor("the empty set", `document.querySelector('#size')`)
	if got := told[[]string](w, `Promise.resolve([document.querySelector('#shared').textContent, document.querySelector('.numbers dd').
		textContent, String(document.querySelectorAll('#touched > ol > li:not([hidden])').length)])`); !slices.Equal(got,
		[]string{want, "0", "10"}) {
		w.t.Errorf("of an empty set the script shows %q", got)
	}
	size := len(asked(p, "many", "fitted-novel"))
	for _, n := range []int{1, size + 20} {
		got := read(fmt.Sprint("&cut=fitted-novel&size=", n))
		says := fmt.Sprintf("%s by the cut fitted-novel, %s;", quantity.Count(size, "answer"), quantity.FirstShown(n))
		if !strings.HasPrefix(got.Cut, says) || len(got.Labels) != n {
			w.t.Errorf("of size %d the page says %q and has %d answers, want %q", n, got.Cut, len(got.Labels), says)
		}
	}
	caption := told[string](w, `fetch('/runs/many/sight.svg?entity=Max+Born&relation=advised&cut=`+empty+`').then(r => r.text())`)
	if !strings.Contains(caption, "0 answers by the cut "+empty+", the first 10 are shown.") {
		w.t.Errorf("the caption of an empty set is in %.3000q", caption)
	}
	w.do(chromedp.Navigate(u.address + "runs/many/explore?entity=Max+Born&relation=advised"))
	w.waitFor("the usual cut", `document.querySelector('#size')`)
}

// exploreTrouble has names that XML forbids, and a space that does not load.
func exploreTrouble(w *window) {
	w.t.Helper()
	names := told[[]bool](w, `Promise.resolve([plainName('a\ufffe\uffff\ud800b\u{1f600}') === 'a\ufffd\ufffd\ufffdb\u{1f600}',
		shortName('x'.repeat(38) + '\u{1f600}'.repeat(5)) === 'x'.repeat(38) + '\u{1f600}\u2026',
		shortName('\u{1f600}'.repeat(40)) === '\u{1f600}'.repeat(40)])`)
	if !slices.Equal(names, []bool{true, true, true}) {
		w.t.Errorf("names are cleaned and cut: %v", names)
	}
	said := told[[]string](w, `fetch(location.href).then(r => r.text()).then(async (text) => {
		const page = new DOMParser().parseFromString(text, 'text/html'), held = [...stage.childNodes], get = window.fetch;
		const said = [];
		for (const reply of [() => Promise.reject(new Error('away')), () => Promise.resolve(new Response('', { status: 500 })),
			() => Promise.resolve(new Response('half a'))]) {
			stage.replaceChildren(element('noscript', { textContent: page.querySelector('#stage noscript').innerHTML }));
			window.fetch = reply;
			await loadSpace();
			said.push(stage.firstChild.textContent + ' ' + stage.querySelectorAll('img[src*="sight.svg"]').length);
		}
		window.fetch = get;
		stage.replaceChildren(...held);
		return said })`)
	for _, one := range said {
		if !strings.HasPrefix(one, "The space did not load.") || !strings.HasSuffix(one, " 1") {
			w.t.Errorf("without the space the page has %q", one)
		}
	}
	if len(said) != 3 {
		w.t.Errorf("the page said %q", said)
	}
}

// exploreTwo compares the answers of two models, one of which has no space, with what query says of each.
func exploreTwo(p *program, u *ui, w *window) {
	w.t.Helper()
	sets := map[string][]string{}
	for _, name := range []string{"many", "product"} {
		sets[name] = asked(p, name, "")
	}
	both := 0
	for _, label := range sets["many"] {
		if slices.Contains(sets["product"], label) {
			both++
		}
	}
	want := fmt.Sprintf("%s of both, %d only here, %d only there", quantity.Count(both, "answer"), len(sets["many"])-both,
		len(sets["product"])-both)
	w.do(chromedp.Navigate(u.address+"runs/many/explore?entity=Max+Born&relation=advised"),
		chromedp.SendKeys(chromedp.CSS("#against"), "product"+kb.Enter))
	w.waitFor("two models", `document.querySelector('#shared')`)
	if got := read[string](w, `document.querySelector('#shared').textContent`); got != want {
		w.t.Errorf("the page has %q, want %q", got, want)
	}
	w.checkPage("two models")
	told[bool](w, endOfMove)
	w.shot("two")
	w.do(chromedp.Focus(chromedp.CSS("#size")), chromedp.KeyEvent(kb.Home)) // the empty set
	want = fmt.Sprintf("0 answers of both, 0 only here, %d only there", len(sets["product"]))
	if got := read[string](w, `document.querySelector('#shared').textContent`); got != want {
		w.t.Errorf("by the narrowest cut the page has %q, want %q", got, want)
	}
}

// explorePlane looks at a model of dimension 1, whose discs touch where the cut holds, in the dark and in a narrow
// window.
func explorePlane(u *ui, w *window) {
	w.t.Helper()
	w.do(chromedp.Navigate(u.address + "runs/plane/explore?entity=Max+Born&relation=advised"))
	w.waitFor("the plane", `document.querySelector('#size')`)
	if !read[bool](w, `document.body.textContent.includes('The model lies in the plane')`) {
		w.t.Error("the page does not say that the plane is the model's")
	}
	touching := told[[]int](w, `fetch('/runs/plane/space.json').then(r => r.json()).then(s => {
		const t = JSON.parse(document.querySelector('#sight').dataset.sight).touched, at = t.path.at(-1);
		const r = t.reach + t.values[t.size - 1];
		const touch = s.x.map((x, i) => Math.hypot(x - at[0], s.y[i] - at[1]) <= r + t.factor * s.radius[i] + 1e-4);
		return [touch.filter(Boolean).length, t.ids.slice(0, t.size).filter(i => touch[i]).length, t.size] })`)
	if touching[1] != touching[2] || touching[0] > touching[2]+1 { // values that are equal to the last
		w.t.Errorf("%d discs touch the moved one, %d of %d answers among them", touching[0], touching[1], touching[2])
	}
	told[bool](w, endOfMove)
	w.shot("plane")
	w.dark(true)
	w.checkPage("the plane, dark")
	w.do(chromedp.EmulateViewport(380, 800))
	w.checkPage("the plane in a narrow window")
	w.shot("plane-narrow")
	w.dark(false)
	w.do(chromedp.EmulateViewport(1300, 900))
}

// exploreWithout reads the page without scripts, and what it says where there is nothing to see.
func exploreWithout(u *ui, w *window) {
	w.t.Helper()
	w.scripts(false)
	for address, says := range map[string]string{
		"many/explore": "Where to begin", "many/explore?entity=Max+Born": "Nearest spheres",
		"many/explore?entity=Max+Born&relation=advised&size=3": ", the first 3 are shown;",
		"many/explore?entity=Nobody":                           "no entity", "many/explore?relation=advised": "needs an entity",
		"many/explore?entity=Max+Born&relation=none": "no relation", "many/explore?entity=Max+Born&size=-1": "must be a number",
		"product/explore": "cannot be explored",
		"many/explore?entity=Max+Born&trail=" + url.QueryEscape("entity=Niels Bohr&relation=advised&side=heads"): "? advised Niels Bohr",
	} {
		w.do(chromedp.Navigate(u.address+"runs/"+address), chromedp.WaitVisible(chromedp.CSS("h1")))
		text, err := chromedp.Run(w.ctx, chromedp.Text(chromedp.CSS("main")))
		if err != nil || !strings.Contains(text, says) {
			w.t.Errorf("without scripts %q lacks %q: %v\n%s", address, says, err, text)
		}
	}
	w.do(chromedp.Navigate(u.address+"runs/many/explore?entity=Max+Born&relation=advised"),
		chromedp.WaitVisible(chromedp.CSS(`#stage img[src*="sight.svg"]`)))
	w.shot("noscript")
}
