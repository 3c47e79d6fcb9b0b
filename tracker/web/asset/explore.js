"use strict";
// The space of a model on a canvas. Without this file the page has the same lists, and a picture of what is around.

const stage = document.querySelector("#stage");
const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const markColors = { known: "#0072b2", "held out": "#009e73", inferred: "#d55e00" };
const sideColors = { both: "#cc79a7", here: "#e69f00", there: "#56b4e9" }; // of two models compared
const still = matchMedia("(prefers-reduced-motion: reduce)");
const night = matchMedia("(prefers-color-scheme: dark)");

// Names may have signs that change the direction of writing, which would make one look like another, and some that no
// picture may have. Only halves of pairs are surrogates here.
const plainName = (name) => name.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]/gu, "\ufffd");

function element(name, properties, ...children) {
	const e = Object.assign(document.createElement(name), properties);
	e.append(...children);
	return e;
}

class Explorer {
	constructor(space) {
		this.space = space;
		for (const name of ["x", "y", "radius"]) space[name] = Float64Array.from(space[name]);
		this.order = Array.from(space.x, (_, i) => i).sort((a, b) => Math.abs(space.radius[b]) - Math.abs(space.radius[a]));
		this.size = 0; // of the set
		this.shown = 0; // of the list: another where the cut has no answers
		this.least = space.x.length > 4000 ? 1.2 : 2; // the smallest disc, px
		this.moving = 0; // how far the sphere has moved along its path, 0 to 1
		this.hover = -1;
		this.canvas = element("canvas", { tabIndex: 0 });
		this.canvas.setAttribute("role", "img");
		this.context = this.canvas.getContext("2d", { alpha: false });
		this.controls();
		this.look();
		this.resize();
		this.fit();
	}

	controls() {
		const button = (text, label, action) => {
			const b = element("button", { type: "button", textContent: text, onclick: action });
			if (label) b.setAttribute("aria-label", label);
			return b;
		};
		this.color = element("select", { id: "color", onchange: () => { this.look(); this.redraw(); } },
			element("option", { value: "", textContent: "nothing" }), element("option", { value: "degree", textContent: "known facts" }));
		if (this.space.kind) this.color.append(element("option", { value: "kind", textContent: "type" }));
		this.bar = element("div", { className: "bar" }, button("+", "Nearer", () => this.zoom(1.5)),
			button("\u2212", "Farther", () => this.zoom(1 / 1.5)), button("All", "Show all entities", () => this.fit()),
			button("Around", "Show what is around", () => this.around()),
			element("label", { htmlFor: "color", textContent: "colour by" }), this.color,
			button("SVG of this view", "", () => this.save()));
		this.legend = element("ul", { className: "legend" });
		this.seen = element("details", {}, element("summary", { textContent: "In view" }), element("ol", { className: "seen" }));
		this.seen.addEventListener("toggle", () => this.list());
		stage.replaceChildren(this.bar, this.canvas, this.legend, this.seen);
	}

	// look sets the colours of all discs, as numbers.
	look() {
		const { kind, kinds, degree } = this.space, by = this.color.value;
		const faint = night.matches ? "#8fa3b8" : "#64809c";
		if (by === "kind") {
			const count = kinds.map((_, k) => kind.filter((one) => one === k).length);
			const first = kinds.map((_, k) => k).sort((a, b) => count[b] - count[a]).slice(0, palette.length);
			this.tint = kind.map((k) => palette[first.indexOf(k)] ?? faint);
			this.keys = first.map((k, i) => [palette[i], plainName(kinds[k])]).concat([[faint, "another or none"]]);
		} else if (by === "degree") {
			const shades = ["#fde0a6", "#f6b25d", "#e07b39", "#b03a2e", "#6a1b4d"];
			const sorted = [...degree].sort((a, b) => a - b);
			const ends = shades.slice(1).map((_, i) => sorted[Math.floor((sorted.length * (i + 1)) / shades.length)]);
			const shade = (d) => ends.filter((end) => d > end).length;
			this.tint = degree.map((d) => shades[shade(d)]);
			this.keys = shades.map((color, i) => [color, i === 0 ? "up to " + ends[0] : "more than " + ends[i - 1]]);
		} else {
			this.tint = degree.map(() => faint);
			this.keys = [];
		}
		this.tint = Int32Array.from(this.tint, (color) => parseInt(color.slice(1), 16));
		this.explain();
	}

	// explain is the legend.
	explain() {
		const touched = this.sight?.touched;
		const marks = (touched || this.sight?.facts.length) && !touched?.against ? Object.entries(markColors) : [];
		let keys = this.sight && !touched ? [["currentColor", "nearest"], ...this.keys] : this.keys;
		if (touched?.against) keys = [[sideColors.both, "both"], [sideColors.here, "only here"],
			[sideColors.there, "only " + plainName(touched.against)], ...keys];
		this.legend.replaceChildren(...marks.map(([name]) => element("li", { className: name, textContent: name })),
			...keys.map(([color, name]) => {
				const li = element("li", { textContent: name });
				li.classList.add("tint");
				li.style.setProperty("--tint", color);
				return li;
			}));
	}

	resize() {
		const box = this.canvas.getBoundingClientRect();
		this.ratio = devicePixelRatio || 1;
		this.width = box.width;
		this.height = box.height;
		this.canvas.width = Math.round(box.width * this.ratio);
		this.canvas.height = Math.round(box.height * this.ratio);
		if (this.scale) drawSpace(this); // at once: what is resized is black
	}

	// show brings some entities, and places, into view.
	show(ids, places = []) {
		const { x, y, radius } = this.space;
		let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
		const take = (px, py, r) => {
			x0 = Math.min(x0, px - r); x1 = Math.max(x1, px + r);
			y0 = Math.min(y0, py - r); y1 = Math.max(y1, py + r);
		};
		for (const i of ids) take(x[i], y[i], Math.abs(radius[i]));
		for (const [px, py, r] of places) take(px, py, r ?? 0);
		if (x0 > x1) return;
		const least = this.space.exact ? 1e-9 : this.extent / 60;
		const across = Math.max(x1 - x0, least), up = Math.max(y1 - y0, least);
		this.scale = Math.min(this.width / across, this.height / up) * 0.86;
		this.x = (x0 + x1) / 2;
		this.y = (y0 + y1) / 2;
		this.redraw();
	}

	fit() {
		const { x, y } = this.space;
		const range = (list) => list.reduce(([lo, hi], v) => [Math.min(lo, v), Math.max(hi, v)], [Infinity, -Infinity]);
		const [x0, x1] = range(x), [y0, y1] = range(y);
		this.extent = Math.max(x1 - x0, y1 - y0) || 1;
		this.show(this.order);
	}

	around() {
		if (!this.sight) return this.fit();
		const t = this.sight.touched;
		const near = t ? t.ids.slice(0, Math.min(this.shown, 40)) : this.sight.nearest;
		this.show([this.sight.entity, ...near], t ? [[...this.head(1), this.reach()]] : []);
	}

	zoom(by, px = this.width / 2, py = this.height / 2) {
		const [x, y] = this.from(px, py);
		this.scale *= by;
		this.x = x - (px - this.width / 2) / this.scale;
		this.y = y + (py - this.height / 2) / this.scale;
		this.redraw();
	}

	to(x, y) { return [(x - this.x) * this.scale + this.width / 2, (this.y - y) * this.scale + this.height / 2]; }
	from(px, py) { return [(px - this.width / 2) / this.scale + this.x, this.y - (py - this.height / 2) / this.scale]; }

	// disc returns the radius of an entity in pixels.
	disc(i) {
		const factor = this.space.exact && this.sight?.touched ? this.sight.touched.factor : 1;
		return Math.max(Math.abs(this.space.radius[i]) * factor * this.scale, this.least);
	}

	// at returns the entity at a place of the canvas: of those whose disc is there the smallest.
	at(px, py) {
		let best = -1, least = Infinity;
		for (const i of this.order) {
			const [x, y] = this.to(this.space.x[i], this.space.y[i]);
			const r = this.disc(i), far = Math.hypot(x - px, y - py);
			if (far <= Math.max(r, 5) && r + far / 100 < least) {
				best = i;
				least = r + far / 100;
			}
		}
		return best;
	}

	redraw() {
		if (this.asked) return;
		this.asked = requestAnimationFrame(() => {
			this.asked = 0;
			drawSpace(this);
			clearTimeout(this.listing);
			if (this.seen.open) this.listing = setTimeout(() => this.list(), 300);
		});
	}

	// visible are the entities in view, those of most known facts first.
	visible() {
		const { x, y, degree } = this.space;
		return this.order.filter((i) => {
			const [px, py] = this.to(x[i], y[i]);
			return px >= 0 && py >= 0 && px <= this.width && py <= this.height;
		}).sort((a, b) => degree[b] - degree[a] || a - b);
	}

	list() {
		if (!this.seen.open) return;
		const ids = this.visible(), most = 30;
		this.seen.firstChild.textContent = "In view: " + ids.length + (ids.length > most ? ", the " + most + " with most facts" : "");
		this.seen.lastChild.replaceChildren(...ids.slice(0, most).map((i) => element("li", {},
			element("a", { href: addressOf(this, i), textContent: plainName(this.space.names[i]) }))));
		for (const a of this.seen.querySelectorAll("a")) a.dataset.go = "";
	}

	// head returns where the moving sphere is.
	head(share = this.moving) {
		const path = this.sight.touched.path, place = share * (path.length - 1), i = Math.min(Math.floor(place), path.length - 2);
		if (path.length < 2) return path[0];
		const rest = place - i;
		return [0, 1].map((k) => path[i][k] + rest * (path[i + 1][k] - path[i][k]));
	}

	// reach is the radius of the moved sphere. Where the plane is the model's, it touches the answers with it.
	reach() {
		const t = this.sight.touched;
		if (!this.space.exact) return Math.abs(this.space.radius[this.sight.entity]);
		return Math.max(t.reach + (this.size ? t.values[this.size - 1] : t.values[0] ?? 0), 0);
	}

	// animate moves the sphere block by block.
	animate() {
		cancelAnimationFrame(this.frame);
		if (still.matches) {
			this.moving = 1;
			return this.redraw();
		}
		const lasts = 1600, begin = performance.now();
		const step = (now) => {
			this.moving = Math.min(Math.max((now - begin) / lasts, 0), 1);
			this.redraw();
			if (this.moving < 1) this.frame = requestAnimationFrame(step);
		};
		this.moving = 0;
		this.frame = requestAnimationFrame(step);
	}

	save() {
		const a = element("a", { download: "view.svg", href: URL.createObjectURL(new Blob([viewSVG(this)], { type: "image/svg+xml" })) });
		a.click();
		setTimeout(() => URL.revokeObjectURL(a.href), 1000);
	}
}

// addressOf is that of the view from an entity, with the trail that leads there.
function addressOf(view, id) {
	const here = new URLSearchParams(location.search), next = new URLSearchParams({ entity: view.space.names[id] });
	for (const name of ["cut", "against"]) if (here.get(name)) next.set(name, here.get(name));
	for (const step of here.getAll("trail").slice(-11)) next.append("trail", step);
	if (here.get("entity")) {
		const step = new URLSearchParams();
		for (const name of ["cut", "against", "entity", "relation", "side"]) if (here.get(name)) step.set(name, here.get(name));
		next.append("trail", step.toString());
	}
	return location.pathname + "?" + next;
}
