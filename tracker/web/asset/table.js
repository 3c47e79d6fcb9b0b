"use strict";
// A table of thousands of rows scrolls smoothly only if the browser has few of them to lay out. The page keeps the rows
// in sight and a screen of them on either side; a row of their height stands for the others, which wait in memory.
const mostRows = 300, rowsOfFrame = 8;

function keepInSight(box, rows) {
	const table = box.querySelector("table"), body = table.tBodies[0];
	const heads = [...table.tHead.rows[0].cells];
	const widths = heads.map((cell) => cell.getBoundingClientRect().width); // all rows have decided them
	const width = table.getBoundingClientRect().width, height = body.getBoundingClientRect().height / rows.length;
	const newSpace = () => {
		const space = document.createElement("tr");
		space.className = "space";
		space.ariaHidden = "true";
		return space;
	};
	const above = newSpace(), between = newSpace(), below = newSpace();
	const stretch = (space, count) => {
		const px = height * count + "px";
		if (space.style.height !== px) space.style.height = px;
	};
	for (const cell of body.querySelectorAll("td[data-tag]")) cell.classList.add("wide"); // its text may grow
	body.replaceChildren(above, below);
	heads.forEach((cell, i) => { cell.style.width = widths[i] + "px"; });
	table.style.width = width + "px";
	box.style.width = width + box.offsetWidth - box.clientWidth + "px";
	box.classList.add("long");
	const limit = parseFloat(getComputedStyle(heads[0]).maxWidth) - 1;
	const wide = widths.flatMap((px, i) => px >= limit ? [i] : []);
	table.ariaRowCount = rows.length + 1;
	rows.forEach((row, i) => {
		row.ariaRowIndex = i + 2;
		for (const at of wide) row.cells[at].classList.add("wide");
	});

	let from = 0, to = 0, held = -1; // the rows in the page: from up to before to, and the one with the focus

	// show has the rows from first up to before last in the page. The row with the focus stays, wherever it is.
	function show(first, last) {
		const now = body.contains(document.activeElement) ? document.activeElement.closest("tr").ariaRowIndex - 2 : -1;
		for (let i = from; i < to; i++) if ((i < first || i >= last) && i !== now) rows[i].remove();
		if (held >= 0 && held !== now && (held < first || held >= last)) rows[held].remove();
		between.remove();
		held = now < first || now >= last ? now : -1;
		let next = below;
		if (held >= last) {
			rows[held].before(between);
			next = between;
		}
		for (let i = last - 1; i >= first; i--) {
			if (rows[i].nextSibling !== next) body.insertBefore(rows[i], next);
			next = rows[i];
		}
		if (held >= 0 && held < first) rows[held].after(between);
		stretch(above, held >= 0 ? Math.min(held, first) : first);
		stretch(below, rows.length - (held >= 0 ? Math.max(held + 1, last) : last));
		if (held >= 0) stretch(between, held < first ? first - held - 1 : held - last);
		[from, to] = [first, last];
	}

	// look shows the rows in sight at once, and those around them a few at a time, so that no frame waits for them.
	let asked = false;
	function look() {
		asked = false;
		const clamp = (i) => Math.min(Math.max(i, 0), rows.length);
		const screen = Math.ceil(box.clientHeight / height) + 1, top = Math.floor(box.scrollTop / height);
		const [first, last] = [clamp(top - screen), clamp(top + 2 * screen)];
		let [a, b] = [clamp(top), clamp(top + screen)];
		if (from < last && to > first) [a, b] = [Math.min(a, Math.max(from, first)), Math.max(b, Math.min(to, last))];
		[a, b] = [Math.max(a - rowsOfFrame, first), Math.min(b + rowsOfFrame, last)];
		if (a !== from || b !== to) show(a, b);
		if (a > first || b < last) ask();
	}
	function ask() {
		if (asked) return;
		asked = true;
		requestAnimationFrame(look);
	}
	box.addEventListener("scroll", ask, { passive: true });
	new ResizeObserver(ask).observe(box);
	look();
}

// Rows of a comparison have texts of several lines: their heights differ, so none stands for the others.
const tallBox = document.querySelector(".scroll.tall:has(> table.runs)");
const tallRows = tallBox ? [...tallBox.querySelectorAll("tbody tr")] : [];
if (tallRows.length > mostRows) keepInSight(tallBox, tallRows);
