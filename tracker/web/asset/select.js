"use strict";
// The selected runs of the table. They stay selected while this tab sorts, searches, turns pages and comes back: their
// ids are kept for the tab. Without this file the boxes of one page are sent.
const selection = document.querySelector("#compare");
const boxes = document.querySelectorAll("tbody input[name=run]");
const store = "selected runs";

function readSelected() {
	try {
		return new Set(JSON.parse(sessionStorage.getItem(store) ?? "[]"));
	} catch {
		return new Set(); // no storage is allowed
	}
}
let selected = readSelected();

function keepSelected() {
	try {
		sessionStorage.setItem(store, JSON.stringify([...selected]));
	} catch { /* they last as long as the page */ }
}

// showSelected makes the boxes say what is selected, and the form how many runs.
function showSelected() {
	let here = 0;
	for (const box of boxes) {
		box.checked = selected.has(box.value);
		if (box.checked) here++;
	}
	if (head) head.checked = here > 0 && here === boxes.length;
	const rest = selected.size - here;
	selection.querySelector("output").value = selected.size ? selected.size + " selected" + (rest ? `, ${rest} not on this page` : "") : "";
	document.querySelector("#unselect").hidden = !selected.size;
}

function select(list, on) {
	for (const box of list) on ? selected.add(box.value) : selected.delete(box.value);
	keepSelected();
	showSelected();
}

// One box selects the runs of the page.
let head = null;
if (selection && document.querySelector("thead .all") && boxes.length > 1) {
	head = document.createElement("input");
	head.type = "checkbox";
	head.autocomplete = "off";
	head.setAttribute("aria-label", "Select all runs of this page");
	head.addEventListener("change", (e) => {
		e.stopPropagation();
		select(boxes, head.checked);
	});
	document.querySelector("thead .all").replaceChildren(head);
}

if (selection) {
	document.querySelector("table.runs").addEventListener("change", (e) => {
		if (e.target.matches("tbody input[name=run]")) select([e.target], e.target.checked);
	});
	document.querySelector("#unselect").addEventListener("click", () => {
		selected.clear();
		keepSelected();
		showSelected();
	});
	selection.addEventListener("submit", (e) => {
		const { most, done } = e.submitter?.dataset ?? {};
		let wrong = "";
		if (!selected.size && done !== "compared" && done !== "tagged") wrong = "select runs in the first column of the table";
		if (selected.size > most) wrong = `${selected.size} runs are selected; at most ${most} are ${done} at once`;
		if (done === "tagged" && (selection.elements.key.value || selection.elements.value.value)) {
			if (!selected.size) wrong = "select runs in the first column of the table, then tag them";
			else if (!selection.elements.key.value.trim()) wrong = "a tag needs a name";
		}
		if (!wrong) return;
		e.preventDefault();
		selection.querySelector("output").value = wrong;
	});
	selection.addEventListener("formdata", (e) => {
		e.formData.delete("run");
		for (const id of selected) e.formData.append("run", id);
	});
	if (document.querySelector("[data-did]")) selected.clear(); // they are elsewhere, or deleted
	keepSelected();
	showSelected();
	addEventListener("pageshow", (e) => { // a page that comes back as it was left
		if (!e.persisted) return;
		selected = readSelected();
		showSelected();
	});
}
