"use strict";
// A scatter chart says which run the dot nearest to the pointer is. Without this file the table of runs has the values.

const dotReach = 20; // px of the picture

// The picture is read again as text, for the places and titles of its dots.
async function readDots(img) {
	const reply = await fetch(img.src);
	if (!reply.ok) return null;
	const root = new DOMParser().parseFromString(await reply.text(), "image/svg+xml").documentElement;
	const dots = [...root.querySelectorAll("g.point")].flatMap((g) => {
		const title = g.querySelector("title")?.textContent, disc = g.querySelector("circle");
		if (!title) return [];
		if (disc) return [{ title, x: Number(disc.getAttribute("cx")), y: Number(disc.getAttribute("cy")) }];
		const corners = g.querySelector("polygon, path")?.getAttribute("points")?.trim().split(/\s+/).map((p) => p.split(",").map(Number));
		if (!corners?.length) return [];
		const middle = (i) => corners.reduce((sum, p) => sum + p[i], 0) / corners.length;
		return [{ title, x: middle(0), y: middle(1) }];
	});
	return { width: Number(root.getAttribute("width")), dots };
}

for (const img of document.querySelectorAll(".dots img")) {
	let drawn = null, source = "";
	const values = document.createElement("p");
	values.className = "values";
	values.textContent = "\u00a0";
	img.closest("figure").append(values);
	const load = async () => {
		if (source === img.src) return;
		source = img.src;
		drawn = await readDots(img);
	};
	img.addEventListener("pointerenter", load);
	img.addEventListener("pointermove", (e) => {
		load();
		if (!drawn) return;
		const box = img.getBoundingClientRect(), scale = drawn.width / box.width;
		const x = (e.clientX - box.left) * scale, y = (e.clientY - box.top) * scale;
		const far = (dot) => Math.hypot(dot.x - x, dot.y - y);
		const nearest = drawn.dots.reduce((a, b) => (a && far(a) <= far(b) ? a : b), null);
		values.textContent = nearest && far(nearest) < dotReach ? nearest.title : "\u00a0";
	});
}
