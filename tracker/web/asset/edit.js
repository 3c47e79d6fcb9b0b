"use strict";
// Tags and notes are edited in the table of runs: a double click or Enter opens a field in the cell, Enter or
// leaving the cell saves it, Escape does not. Without this file the page of a run and the form below the table do the same.

function editCell(cell) {
	if (cell.querySelector("input")) return;
	const was = cell.dataset.value, shown = cell.textContent; // the text shown has signs in place of what cannot be seen
	const input = document.createElement("input");
	input.type = "text";
	input.maxLength = 8000;
	input.value = was;
	input.setAttribute("aria-label", cell.dataset.label);
	let closed = false, refused = null; // the text that the server did not take
	const close = (text, focus) => {
		if (closed) return; // a field that is removed loses the focus
		closed = true;
		cell.replaceChildren(text);
		if (focus) cell.focus();
	};
	const save = async (focus) => {
		if (input.value === was) {
			close(shown, focus);
			return;
		}
		input.disabled = true;
		const fields = { key: cell.dataset.key, value: input.value, note: input.value, was };
		if (!input.value) fields.delete = "1";
		let wrong = "not saved: the server does not answer";
		try {
			// The page may be left meanwhile: keepalive sends the text anyway.
			const request = { method: "POST", body: new URLSearchParams(fields), keepalive: true };
			const reply = await fetch(cell.dataset.tag, request);
			if (reply.ok) {
				cell.dataset.value = input.value;
				close(input.value, focus);
				return;
			}
			const page = new DOMParser().parseFromString(await reply.text(), "text/html");
			wrong = page.querySelector("[role=alert]")?.textContent || reply.statusText || "not saved";
		} catch { /* no answer: wrong says so */ }
		input.disabled = false;
		refused = input.value;
		input.setCustomValidity(wrong);
		input.title = wrong;
		if (focus) input.reportValidity(); // it takes the focus, which has left the cell otherwise
		else document.querySelector("#compare output")?.replaceChildren(cell.dataset.label + ": " + wrong);
		input.addEventListener("input", () => {
			input.setCustomValidity("");
			input.title = "";
		}, { once: true });
	};
	input.addEventListener("keydown", (e) => {
		e.stopPropagation();
		if (e.key === "Escape") close(shown, true);
		if (e.key === "Enter" && !input.disabled) save(true);
	});
	input.addEventListener("blur", () => {
		if (document.activeElement === input) return; // another window has the focus
		if (!closed && !input.disabled && input.value !== refused) save(false);
	});
	cell.replaceChildren(input);
	input.focus();
}

for (const cell of document.querySelectorAll("td[data-tag]")) {
	cell.tabIndex = 0;
	cell.setAttribute("aria-description", "Enter edits it");
}
const runTable = document.querySelector("table.runs");
runTable?.addEventListener("dblclick", (e) => {
	const cell = e.target.closest("td[data-tag]");
	if (cell) editCell(cell);
});
runTable?.addEventListener("keydown", (e) => {
	if (e.key === "Enter" && e.target.matches("td[data-tag]")) {
		e.preventDefault();
		editCell(e.target);
	}
});

// An address has no empty fields.
document.querySelector("#compare")?.addEventListener("submit", (e) => {
	if (e.defaultPrevented || e.submitter?.formMethod === "post") return;
	for (const input of e.target.querySelectorAll("input")) input.disabled = true;
	setTimeout(() => { for (const input of e.target.querySelectorAll("input")) input.disabled = false; });
});
