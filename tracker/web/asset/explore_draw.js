"use strict";
// What the canvas of a model's space shows: discs, edges, the moving sphere, names.

const bigDisc = 28; // px; smaller ones are blended into the picture's bytes, which is many times as fast as a path each

// mask returns how much of each pixel a disc of a radius covers, 0 to 255: its line whole, its inside in part.
const masks = new Map();
function mask(radius) {
	const key = radius < 16 ? Math.round(2 * radius) / 2 : Math.round(radius);
	let made = masks.get(key);
	if (made) return made;
	const half = Math.ceil(key + 1), side = 2 * half + 1, cover = new Uint8Array(side * side);
	const within = (x) => Math.min(Math.max(x, 0), 1);
	for (let i = 0; i < cover.length; i++) {
		const far = Math.hypot((i % side) - half, Math.floor(i / side) - half);
		cover[i] = Math.round(255 * Math.max(0.4 * within(key - far + 0.5), within(1 - Math.abs(key - far))));
	}
	made = { half, side, cover };
	masks.set(key, made);
	return made;
}

// blend puts a disc of a colour into a picture of bytes. Its middle is at a pixel.
function blend(pixels, width, height, { half, side, cover }, x, y, color, share) {
	const red = color >> 16, green = (color >> 8) & 255, blue = color & 255;
	const x0 = Math.max(0, half - x), x1 = Math.min(side, width - x + half);
	const y0 = Math.max(0, half - y), y1 = Math.min(side, height - y + half);
	for (let row = y0; row < y1; row++) {
		let at = 4 * ((y - half + row) * width + x - half + x0);
		for (let i = row * side + x0, end = row * side + x1; i < end; i++, at += 4) {
			const a = (cover[i] * share) >> 8;
			if (!a) continue;
			pixels[at] += ((red - pixels[at]) * a) >> 8;
			pixels[at + 1] += ((green - pixels[at + 1]) * a) >> 8;
			pixels[at + 2] += ((blue - pixels[at + 2]) * a) >> 8;
		}
	}
}

function paintDisc(c, x, y, r, color, fill = 0.4, line = 1) {
	c.beginPath();
	c.arc(x, y, r, 0, 2 * Math.PI);
	c.fillStyle = c.strokeStyle = color;
	c.globalAlpha = fill;
	c.fill();
	c.globalAlpha = line;
	c.lineWidth = 1;
	c.stroke();
	c.globalAlpha = 1;
}

// drawDiscs draws all entities, paler where something is chosen.
function drawDiscs(view, c, ground) {
	const { x, y } = view.space, { scale, ratio } = view, { width, height } = view.canvas;
	if (view.bytes?.width !== width || view.bytes.height !== height) view.bytes = c.createImageData(width, height);
	const pixels = view.bytes.data, by = scale * ratio;
	const [red, green, blue] = ground.match(/\d+/g).map(Number);
	new Uint32Array(pixels.buffer).fill(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0); // bytes are red first
	const left = width / 2 - view.x * by, top = height / 2 + view.y * by;
	const crowd = Math.min(1, 0.45 + 2000 / view.order.length); // thousands of discs would make one spot
	const pale = (view.sight?.touched ? 0.3 : view.sight ? 0.5 : 0.85) * crowd, share = Math.round(256 * pale);
	const big = [];
	for (const i of view.order) {
		const r = view.disc(i) * ratio, px = Math.round(x[i] * by + left), py = Math.round(top - y[i] * by);
		if (px < -r || py < -r || px > width + r || py > height + r) continue;
		if (r > bigDisc * ratio) big.push(i);
		else blend(pixels, width, height, mask(r), px, py, view.tint[i], share);
	}
	c.putImageData(view.bytes, 0, 0);
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	for (const i of big) {
		const r = view.disc(i);
		paintDisc(c, ...view.to(x[i], y[i]), r, hex(view.tint[i]), 0.8 * pale * (bigDisc / r) * Math.min(1, 60 / big.length), pale * Math.min(1, 200 / big.length));
	}
}

const hex = (color) => "#" + color.toString(16).padStart(6, "0");

// edges are the lines from the entity to those that a fact or an answer joins with it: known ones are whole, held-out
// ones dashed, inferred ones dotted.
const dashes = { known: [], "held out": [6, 4], inferred: [1.5, 3.5] };

function edges(view) {
	const { facts, touched, entity } = view.sight;
	const list = touched ? touched.ids.slice(0, view.shown).map((id, i) => [id, touched.marks[i]]) : facts;
	const seen = new Set([entity]); // two relations may join the same entities
	return list.filter(([id]) => !seen.has(id) && seen.add(id)).slice(0, 300);
}

// marked are the entities that are drawn above the others, with their colours, the first ones last.
function marked(view) {
	const { nearest, touched } = view.sight;
	if (touched?.against) {
		const there = new Set(touched.other ?? []), here = new Set(touched.ids.slice(0, view.size));
		const list = [...here].map((id) => [id, there.has(id) ? sideColors.both : sideColors.here]);
		return list.concat([...there].filter((id) => !here.has(id)).map((id) => [id, sideColors.there])).reverse();
	}
	const list = edges(view).map(([id, mark]) => [id, markColors[mark]]);
	const seen = new Set(list.map(([id]) => id));
	const ink = getComputedStyle(document.body).color;
	for (const id of touched ? [] : nearest) if (!seen.has(id)) list.push([id, ink]);
	return list.reverse();
}

// filling is how dense a disc of a radius is among others: many large ones would hide each other.
const filling = (r, count) => (r > bigDisc ? 0.55 * (bigDisc / r) * Math.min(1, 12 / count) : 0.55);

function drawSight(view, c) {
	const { space, sight } = view, ink = getComputedStyle(document.body).color;
	const origin = sight.touched ? view.head() : [space.x[sight.entity], space.y[sight.entity]];
	const [ox, oy] = view.to(...origin);
	const arrived = !sight.touched || view.moving >= 1;
	if (arrived) {
		for (const [id, mark] of edges(view)) {
			c.beginPath();
			c.moveTo(ox, oy);
			c.lineTo(...view.to(space.x[id], space.y[id]));
			c.setLineDash(dashes[mark]);
			c.strokeStyle = markColors[mark];
			c.globalAlpha = 0.55;
			c.lineWidth = 1;
			c.stroke();
		}
		c.setLineDash([]);
		c.globalAlpha = 1;
		const list = marked(view);
		for (const [id, color] of list) {
			const r = view.disc(id);
			paintDisc(c, ...view.to(space.x[id], space.y[id]), r, color, filling(r, list.length), r > bigDisc ? 0.8 : 1);
		}
	}
	paintDisc(c, ...view.to(space.x[sight.entity], space.y[sight.entity]), view.disc(sight.entity), ink, 0.15);
	if (!sight.touched) return;
	const path = sight.touched.path;
	c.beginPath();
	path.slice(0, Math.ceil(view.moving * (path.length - 1)) + 1).forEach(([x, y], i) => c[i ? "lineTo" : "moveTo"](...view.to(x, y)));
	c.strokeStyle = ink;
	c.lineWidth = 1.5;
	c.globalAlpha = 0.6;
	c.stroke();
	c.globalAlpha = 1;
	paintDisc(c, ox, oy, Math.max(view.reach() * view.scale, 4), ink, 0.08);
	c.lineWidth = 2;
	c.stroke();
	c.beginPath();
	c.arc(ox, oy, 3, 0, 2 * Math.PI);
	c.fillStyle = ink;
	c.fill();
}

// shortName is a name of at most 40 signs.
function shortName(name) {
	const signs = [...plainName(name)]; // whole ones, where slice could halve one
	return signs.length > 40 ? signs.slice(0, 39).join("") + "\u2026" : signs.join("");
}

// names places the names of what matters where they hide no other name.
function names(view, measure) {
	const { space, sight } = view, taken = [], list = [];
	const written = new Set();
	const write = (id) => {
		if (written.has(id)) return;
		written.add(id);
		const [x, y] = view.to(space.x[id], space.y[id]);
		if (x < 0 || y < 0 || x > view.width || y > view.height) return;
		const text = shortName(space.names[id]);
		const width = measure(text), r = Math.min(view.disc(id), 30);
		const places = [[x + r + 4, y + 4], [x - r - 4 - width, y + 4], [x - width / 2, y - r - 6], [x - width / 2, y + r + 14]];
		for (const [tx, ty] of places) {
			const box = [tx - 2, ty - 12, tx + width + 2, ty + 4];
			if (box[0] < 0 || box[2] > view.width || box[1] < 0 || box[3] > view.height) continue;
			if (taken.some((b) => b[0] < box[2] && box[0] < b[2] && b[1] < box[3] && box[1] < b[3])) continue;
			taken.push(box);
			list.push({ text, x: tx, y: ty });
			return;
		}
	};
	if (view.hover >= 0) write(view.hover);
	if (sight) {
		write(sight.entity);
		for (const id of sight.touched ? sight.touched.ids.slice(0, Math.min(view.shown, 25)) : sight.nearest) write(id);
		if (!sight.touched) {
			for (const [id, mark] of sight.facts) if (mark === "inferred") write(id);
			for (const [id] of sight.facts.slice(0, 25)) write(id);
		}
	} else {
		view.best ??= view.order.map((i) => i).sort((a, b) => space.degree[b] - space.degree[a]).slice(0, 200);
		let room = 14;
		for (const id of view.best) {
			const before = list.length;
			write(id);
			if (list.length > before && --room === 0) break;
		}
	}
	return list;
}

function drawSpace(view) {
	if (!view.canvas.width || !view.canvas.height) return; // the window has no room for it
	const c = view.context, style = getComputedStyle(document.body);
	drawDiscs(view, c, style.backgroundColor);
	if (view.sight) drawSight(view, c);
	if (view.hover >= 0) {
		const { x, y } = view.space;
		paintDisc(c, ...view.to(x[view.hover], y[view.hover]), view.disc(view.hover), style.color, 0.2);
	}
	c.font = "12px system-ui, sans-serif";
	c.lineJoin = "round";
	for (const n of names(view, (text) => c.measureText(text).width)) {
		c.strokeStyle = style.backgroundColor;
		c.lineWidth = 3.5;
		c.strokeText(n.text, n.x, n.y);
		c.fillStyle = style.color;
		c.fillText(n.text, n.x, n.y);
	}
}

// viewSVG is what the canvas shows as a picture of its own, in which everything has a title.
function viewSVG(view) {
	const { space, sight, width, height } = view, style = getComputedStyle(document.body);
	const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
	const n = (value) => value.toFixed(1);
	const parts = [];
	const disc = (id, r, color, fill, place = [space.x[id], space.y[id]]) => {
		const [x, y] = view.to(...place);
		if (x < -r || y < -r || x > width + r || y > height + r) return;
		parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${color}" fill-opacity="${fill}" stroke="${color}"><title>` +
			`${escape(plainName(space.names[id]))}</title></circle>`);
	};
	const pale = sight ? 0.15 : 0.4;
	for (const i of view.order) disc(i, view.disc(i), hex(view.tint[i]), pale * Math.min(1, bigDisc / view.disc(i)));
	if (sight) {
		const from = view.to(...(sight.touched ? view.head() : [space.x[sight.entity], space.y[sight.entity]]));
		for (const [id, mark] of edges(view)) {
			const [x, y] = view.to(space.x[id], space.y[id]);
			parts.push(`<line x1="${n(from[0])}" y1="${n(from[1])}" x2="${n(x)}" y2="${n(y)}" stroke="${markColors[mark]}" ` +
				`stroke-dasharray="${dashes[mark].join(" ")}"/>`);
		}
		const list = marked(view);
		for (const [id, color] of list) disc(id, view.disc(id), color, filling(view.disc(id), list.length).toFixed(3));
		disc(sight.entity, view.disc(sight.entity), style.color, 0.15);
		if (sight.touched) {
			const points = sight.touched.path.map(([x, y]) => view.to(x, y).map(n).join(",")).join(" ");
			parts.push(`<polyline points="${points}" fill="none" stroke="${style.color}" stroke-opacity="0.6"/>`);
			disc(sight.entity, Math.max(view.reach() * view.scale, 4), style.color, 0.08, view.head());
		}
	}
	for (const t of names(view, (text) => view.context.measureText(text).width)) {
		parts.push(`<text x="${n(t.x)}" y="${n(t.y)}" fill="${style.color}" stroke="${style.backgroundColor}" stroke-width="3.5" ` +
			`paint-order="stroke" font-family="sans-serif" font-size="12">${escape(t.text)}</text>`);
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}">` +
		`<rect width="100%" height="100%" fill="${style.backgroundColor}"/>${parts.join("\n")}</svg>`;
}
