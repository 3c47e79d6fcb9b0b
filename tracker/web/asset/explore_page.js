"use strict";
// The page around the canvas of a model's space: pointer and keys, the slider of the cut, and going on without loading
// the page again. Every view has its address, so Back works.

function listen(view) {
	const { canvas } = view;
	const place = (e) => {
		const box = canvas.getBoundingClientRect();
		return [e.clientX - box.left, e.clientY - box.top];
	};
	let drag = null;
	canvas.addEventListener("pointerdown", (e) => {
		drag = { at: place(e), moved: false };
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener("pointermove", (e) => {
		const [x, y] = place(e);
		if (drag) {
			const [dx, dy] = [x - drag.at[0], y - drag.at[1]];
			if (!drag.moved && Math.hypot(dx, dy) < 4) return;
			drag = { at: [x, y], moved: true };
			view.x -= dx / view.scale;
			view.y += dy / view.scale;
			return view.redraw();
		}
		point(view, view.at(x, y));
	});
	canvas.addEventListener("pointerup", (e) => {
		const clicked = drag && !drag.moved;
		drag = null;
		const id = clicked ? view.at(...place(e)) : -1;
		if (id >= 0) go(view, addressOf(view, id));
	});
	canvas.addEventListener("pointercancel", () => { drag = null; });
	canvas.addEventListener("pointerleave", () => point(view, -1));
	canvas.addEventListener("wheel", (e) => {
		e.preventDefault();
		view.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), ...place(e));
	}, { passive: false });
	canvas.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey) return;
		const moves = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
		if (moves[e.key]) {
			view.x += moves[e.key][0] / view.scale;
			view.y += moves[e.key][1] / view.scale;
			view.redraw();
		} else if (e.key === "+" || e.key === "=") view.zoom(1.25);
		else if (e.key === "-") view.zoom(0.8);
		else if (e.key === "0") view.fit();
		else return;
		e.preventDefault();
	});
	new ResizeObserver(() => view.resize()).observe(canvas);
	night.addEventListener("change", () => {
		view.look();
		view.redraw();
	});
	// What the pointer or the focus is on in a list is marked on the canvas.
	for (const [on, off] of [["pointerover", "pointerout"], ["focusin", "focusout"]]) {
		document.addEventListener(on, (e) => {
			const li = e.target.closest?.("#sight li[data-id]");
			if (li) point(view, Number(li.dataset.id));
		});
		document.addEventListener(off, (e) => { if (e.target.closest?.("#sight li[data-id]")) point(view, -1); });
	}
	document.addEventListener("click", (e) => {
		const a = e.target.closest?.("a[data-go]");
		if (!a || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
		e.preventDefault();
		go(view, a.getAttribute("href"));
	});
	const form = document.querySelector("#spot");
	form.addEventListener("submit", (e) => {
		const values = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
		e.preventDefault();
		go(view, location.pathname + "?" + values);
	});
	addEventListener("popstate", () => go(view, location.href, true));
}

// point marks an entity on the canvas, and in the list.
function point(view, id) {
	if (view.hover === id) return;
	view.hover = id;
	view.canvas.classList.toggle("over", id >= 0);
	for (const li of document.querySelectorAll("#sight li.lit")) li.classList.remove("lit");
	document.querySelector(`#touched li[data-id="${id}"]`)?.classList.add("lit");
	view.redraw();
}

// go shows another view: the parts of its page take the place of those here.
let going = null;
async function go(view, address, back) {
	going?.abort();
	going = new AbortController();
	let page;
	try {
		const reply = await fetch(address, { signal: going.signal });
		page = new DOMParser().parseFromString(await reply.text(), "text/html");
		if (!page.querySelector("#sight")) throw new Error("another page");
	} catch (e) {
		if (e.name !== "AbortError") location.assign(address); // the browser says what is wrong
		return;
	}
	if (!back) history.pushState(null, "", address);
	document.title = page.title;
	document.querySelector("#sight").replaceWith(page.querySelector("#sight"));
	const form = document.querySelector("#spot"), next = page.querySelector("#spot");
	for (const name of ["entity", "relation", "side", "against"]) form.elements[name].value = next.elements[name].value;
	for (const kept of form.querySelectorAll("[type=hidden]")) kept.remove();
	form.append(...next.querySelectorAll("[type=hidden]"));
	for (const old of document.querySelectorAll("main > .wrong, main > .wrong + p")) old.remove();
	const wrong = page.querySelectorAll("main > .wrong, main > .wrong + p"); // with what helps
	if (wrong.length) form.after(...wrong);
	else document.querySelector("#here")?.focus({ preventScroll: true }); // a screen reader says where it is
	take(view);
}

// take shows the sight of the page.
function take(view) {
	const raw = document.querySelector("#sight").dataset.sight;
	view.sight = raw ? JSON.parse(raw) : null;
	view.hover = -1;
	cancelAnimationFrame(view.frame);
	view.moving = 1;
	const touched = view.sight?.touched;
	view.size = touched ? touched.set : 0;
	view.shown = touched ? touched.size : 0;
	if (touched) addSlider(view);
	view.explain();
	describe(view);
	view.around();
	if (touched) view.animate();
}

// describe says what the canvas shows.
function describe(view) {
	const name = view.sight && plainName(view.space.names[view.sight.entity]);
	view.canvas.setAttribute("aria-label", (view.sight?.touched
		? `${name}, moved by the relation, touches ${view.size} of ${view.space.names.length} entities`
		: name ? `${name} among ${view.space.names.length} entities` : `${view.space.names.length} entities as discs`) +
		". Arrows move the view, plus and minus zoom, 0 shows all. The lists next to it have the same.");
}

// sizes are those that the slider offers: each of the first ones, then steps of a twentieth, and the usual one.
function sizes(touched) {
	const list = new Set([Math.min(touched.usual, touched.ids.length), touched.set]);
	for (let n = 0; n <= touched.ids.length; n = Math.max(n + 1, Math.ceil(n * 1.05))) list.add(n);
	list.add(touched.ids.length);
	return [...list].sort((a, b) => a - b);
}

const answers = (n) => n + (n === 1 ? " answer" : " answers");

// addSlider puts the slider of the cut, and its numbers, above the answers.
function addSlider(view) {
	const touched = view.sight.touched, list = sizes(touched);
	const input = element("input", { type: "range", id: "size", min: 0, max: list.length - 1, step: 1,
		value: list.indexOf(touched.set) });
	const numbers = element("dl", { className: "numbers" });
	const cut = document.querySelector("#touched .cut");
	cut.replaceWith(element("div", { className: "slider" },
		element("label", { htmlFor: "size", textContent: "cut" }), input), numbers, cut);
	cut.textContent = `The cut ${cut.dataset.cut} has ${touched.usual}; the graph has ${touched.known} known and ` +
		`${touched.heldOut} held-out answers. Precision is the held-out share of the novel ones, recall the share of the ` +
		"held-out ones that are found, reach the distance less radii of the last.";
	cut.className = "faint";
	const count = () => {
		const n = { known: 0, "held out": 0, inferred: 0 };
		for (const mark of touched.marks.slice(0, view.size)) n[mark]++;
		const novel = n["held out"] + n.inferred;
		const share = (part, of) => (of ? (part / of).toFixed(3) : "\u2013");
		const limit = view.size ? touched.values[view.size - 1].toPrecision(3) : "\u2013";
		const pairs = [["answers", view.size], ["known", n.known], ["novel", novel], ["held out", n["held out"]],
			["precision", share(n["held out"], novel)], ["recall", share(n["held out"], touched.heldOut)], ["reach", limit]];
		numbers.replaceChildren(...pairs.map(([name, value]) => element("div", {}, element("dt", { textContent: name }),
			element("dd", { textContent: value }))));
		input.setAttribute("aria-valuetext", `${answers(view.size)}, ${novel} novel, ${n["held out"]} of them held out`);
		const rows = document.querySelectorAll("#touched > ol > li");
		rows.forEach((li, i) => { li.hidden = i >= view.shown; });
		document.querySelector("#rest").hidden = view.shown <= rows.length;
		if (touched.against) {
			const there = new Set(touched.other ?? []), both = touched.ids.slice(0, view.size).filter((id) => there.has(id)).length;
			const here = new Set(touched.ids.slice(0, view.size));
			for (const li of document.querySelectorAll("#there li")) li.hidden = here.has(Number(li.dataset.id));
			document.querySelector("#shared").textContent =
				`${answers(both)} of both, ${view.size - both} only here, ${there.size - both} only there`;
		}
	};
	input.addEventListener("input", () => {
		view.size = view.shown = list[input.value];
		count();
		view.redraw();
	});
	input.addEventListener("change", () => { // the address has the cut too
		const here = new URL(location.href);
		here.searchParams.set("size", view.size);
		history.replaceState(null, "", here);
		describe(view);
	});
	count();
}

// loadSpace returns where all entities are, or null after saying that they did not come.
async function loadSpace() {
	try {
		const reply = await fetch(stage.dataset.space);
		if (reply.ok) return await reply.json();
	} catch {} // the same for a reader as a reply that is an error
	const text = "The space did not load. The lists of this page are whole; load the page again to see the space.";
	const picture = stage.querySelector("noscript")?.textContent ?? "";
	stage.replaceChildren(element("p", { className: "wrong", textContent: text }),
		...new DOMParser().parseFromString(picture, "text/html").body.childNodes);
	stage.firstChild.setAttribute("role", "alert");
	return null;
}

async function startExploring() {
	const space = await loadSpace();
	if (!space) return;
	const view = new Explorer(space);
	listen(view);
	take(view);
}
if (stage) startExploring();
