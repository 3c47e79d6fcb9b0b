"use strict";
// Curves say their values below the pointer, and dragging over steps zooms to them. Without this file the fields above
// the curves do the same.

// The pictures are read again as text, for the places of their lines.
async function readCurve(img) {
	const reply = await fetch(img.src);
	if (!reply.ok) return null;
	const root = new DOMParser().parseFromString(await reply.text(), "image/svg+xml").documentElement;
	const area = root.querySelector(".area");
	if (!area) return null;
	const number = (name) => Number(area.getAttribute(name));
	const axis = (name, start, end) => {
		const log = area.dataset[name + "log"] === "true";
		const to = log ? Math.log10 : (v) => v, from = log ? (v) => 10 ** v : (v) => v;
		const low = to(Number(area.dataset[name + "min"])), high = to(Number(area.dataset[name + "max"]));
		return (px) => from(low + (px - start) / (end - start) * (high - low));
	};
	const left = number("x"), top = number("y"), right = left + number("width"), bottom = top + number("height");
	const lines = [...root.querySelectorAll("g.series")].map((g) => ({
		name: g.querySelector("title").textContent.split(": ").slice(0, -1).join(": "),
		points: [...g.querySelectorAll("polyline")].flatMap((line) =>
			line.getAttribute("points").trim().split(/\s+/).map((p) => p.split(",").map(Number))),
	})).filter((line) => line.points.length);
	return { left, right, width: Number(root.getAttribute("width")), x: axis("x", left, right), y: axis("y", bottom, top), lines };
}

const shown = (v) => String(Number(v.toPrecision(4)));
const mostValues = 6;

for (const img of document.querySelectorAll(".curves img")) {
	let curve = null, source = "", began = null;
	const values = document.createElement("p");
	values.className = "values";
	values.textContent = "\u00a0";
	const range = document.createElement("div");
	range.className = "range";
	img.closest("figure").append(values, range);
	img.draggable = false;
	// Where the pointer is in the picture's own px, inside of the axes.
	const place = (e) => {
		const box = img.getBoundingClientRect();
		const x = (e.clientX - box.left) / box.width * curve.width;
		return Math.min(Math.max(x, curve.left), curve.right);
	};
	const load = async () => {
		if (source === img.src) return;
		source = img.src;
		curve = await readCurve(img);
	};
	img.addEventListener("pointerenter", load);
	img.addEventListener("pointermove", (e) => {
		load();
		if (!curve) return;
		const at = place(e);
		const texts = curve.lines.map((line) => {
			const p = line.points.reduce((a, b) => Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a);
			return [p[0], (line.name ? line.name + " " : "") + shown(curve.y(p[1]))];
		});
		if (texts.length) {
			const near = texts.reduce((a, b) => Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a)[0];
			const rest = texts.length > mostValues ? ` and ${texts.length - mostValues} more` : "";
			values.textContent = "step " + Math.round(curve.x(near)) + ": " + texts.slice(0, mostValues).map((t) => t[1]).join(", ") + rest;
		}
		if (began !== null) {
			const scale = img.getBoundingClientRect().width / curve.width;
			range.style.left = img.offsetLeft + Math.min(began, at) * scale + "px";
			range.style.width = Math.abs(at - began) * scale + "px";
			range.style.height = img.clientHeight + "px";
		}
	});
	img.addEventListener("pointerdown", (e) => {
		if (!curve || e.button !== 0) return;
		began = place(e);
		img.setPointerCapture(e.pointerId);
	});
	img.addEventListener("pointerup", (e) => {
		if (began === null) return;
		const ends = [began, place(e)].sort((a, b) => a - b);
		began = null;
		range.style.width = 0;
		if (ends[1] - ends[0] < 8) return; // a click
		const [from, to] = [Math.ceil(curve.x(ends[0])), Math.floor(curve.x(ends[1]))];
		if (!(from <= to)) return; // no step is between
		const address = new URL(location.href);
		address.searchParams.set("from", BigInt(from)); // digits, however many
		address.searchParams.set("to", BigInt(to));
		address.hash = "curves";
		location.assign(address);
	});
	img.addEventListener("pointercancel", () => { began = null; range.style.width = 0; });
}
