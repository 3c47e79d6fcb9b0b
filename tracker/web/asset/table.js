"use strict";
// A table of thousands of rows scrolls smoothly only if the browser lays out few of them: groups of rows out of sight
// are replaced by a row of their height. They stay in the page, so what is selected in them is still sent.
const mostRows = 300, rowsOfGroup = 25, margin = "800px";

const box = document.querySelector(".scroll.tall");
const rows = box ? [...box.querySelectorAll("tbody tr")] : [];
if (rows.length > mostRows) {
	const table = box.querySelector("table");
	const heads = [...table.tHead.rows[0].cells];
	const widths = heads.map((cell) => cell.getBoundingClientRect().width); // all rows have decided them
	const height = table.tBodies[0].getBoundingClientRect().height / rows.length;
	heads.forEach((cell, i) => { cell.style.width = widths[i] + "px"; });
	table.style.width = table.getBoundingClientRect().width + "px";
	table.style.tableLayout = "fixed";
	const groups = document.createDocumentFragment();
	for (let i = 0; i < rows.length; i += rowsOfGroup) {
		const group = document.createElement("tbody");
		const own = rows.slice(i, i + rowsOfGroup);
		const space = document.createElement("tr");
		space.className = "space";
		space.ariaHidden = "true";
		space.style.height = height * own.length + "px";
		group.className = "away";
		group.append(...own, space);
		groups.append(group);
	}
	const list = [...groups.children];
	table.tBodies[0].replaceWith(groups);
	const seen = new IntersectionObserver((entries) => {
		for (const e of entries) e.target.classList.toggle("away", !e.isIntersecting && !e.target.contains(document.activeElement));
	}, { root: box, rootMargin: margin });
	for (const group of list) seen.observe(group);
}
