"use strict";
// Pages work without this file. It adds what a page cannot do alone.

// MLflow's clients print addresses as its own pages have them: #/experiments/ID/runs/ID and #/experiments/ID. A server
// does not see what follows the sign #.
function followMLflow() {
	const linked = /^#\/experiments\/(\d+)(?:\/runs\/([0-9a-f]{32}))?(?![0-9a-f])/.exec(location.hash);
	if (linked) location.replace(linked[2] ? "/runs/" + linked[2] : "/experiments/" + linked[1]);
}
followMLflow();
addEventListener("hashchange", followMLflow); // such an address was typed into this page

// A choice beside a search needs no button. With the keyboard a select changes at each arrow, so there it is sent when
// the focus leaves it, or by Enter.
let byKey = false;
document.addEventListener("keydown", () => { byKey = true; }, true);
document.addEventListener("pointerdown", () => { byKey = false; }, true);
for (const input of document.querySelectorAll("form[role=search] select, form[role=search] [type=checkbox]")) {
	let changed = false;
	const send = () => { if (changed) input.form.requestSubmit(); };
	input.addEventListener("change", () => {
		changed = true;
		if (!byKey) send();
	});
	input.addEventListener("keydown", (e) => { if (e.key === "Enter") send(); });
	input.addEventListener("blur", send);
}

// A slash goes to the search.
document.addEventListener("keydown", (e) => {
	const typing = e.target.closest?.("input, textarea, select, [contenteditable]");
	const search = document.querySelector("input[type=search]");
	if (e.key === "/" && search && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
		e.preventDefault();
		search.focus();
	}
});

// Hundreds of columns need a filter.
for (const form of document.querySelectorAll(".columns form")) {
	const filter = document.createElement("input");
	filter.type = "search";
	filter.setAttribute("aria-label", "Filter the columns");
	filter.placeholder = "filter";
	filter.addEventListener("input", () => {
		for (const label of form.querySelectorAll("fieldset label"))
			label.hidden = !label.textContent.toLowerCase().includes(filter.value.toLowerCase());
	});
	form.querySelector(".bar").append(filter);
}

// Names are completed while they are typed: the whole field, or in an expression what follows its last sign or word.
// Signs and words in quotes are part of a name.
function typedPart(input) {
	if (!input.dataset.relations) return ["", input.value, input.dataset.names];
	const masked = input.value.replace(/"(?:[^"\\]|\\.)*"/gs, (name) => "x".repeat(name.length));
	const quote = masked.indexOf('"'); // of a name that is being typed
	const at = quote >= 0 ? quote : /^(?:.*(?:[<>(]|\b(?:and|or|minus)\s))?\s*/is.exec(masked)[0].length;
	const before = input.value.slice(0, at).trimEnd();
	return [before && before + " ", input.value.slice(quote >= 0 ? at + 1 : at),
		/[<>]$/.test(before) ? input.dataset.relations : input.dataset.names];
}

// A name as an expression has it: in quotes where it would be read as something else.
function quoted(name) {
	const plain = !/[<>()"]/.test(name) && name.split(" ").every((word) => word && !/\s|^(and|or|minus)$/.test(word));
	return plain ? name : '"' + name.replace(/["\\]/g, "\\$&") + '"';
}
for (const input of document.querySelectorAll("input[data-names]")) {
	let timer = 0;
	input.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(async () => {
			const whole = input.value;
			const [before, typed, source] = typedPart(input);
			const reply = await fetch(source + "&typed=" + encodeURIComponent(typed));
			if (!reply.ok || input.value !== whole) return;
			input.list.replaceChildren(...(await reply.json()).map((name) => {
				const option = document.createElement("option");
				option.value = before + (input.dataset.relations ? quoted(name) : name);
				return option;
			}));
		}, 150);
	});
}

// The slider says its value, chooses the cut that it is for, and asks again.
const precision = document.querySelector("#precision");
precision?.addEventListener("input", () => {
	precision.nextElementSibling.value = precision.value;
	document.querySelector("#cut").value = "precision";
});
precision?.addEventListener("change", () => {
	if (document.querySelector("section h2")) precision.form.requestSubmit(); // there is a question to ask again
});

// The search completes the names of params, metrics and tags that the table can be sorted by.
const search = document.querySelector("#q[list=keys]");
const keys = [...document.querySelectorAll("#sort optgroup option")].map((option) => {
	const [, kind, key] = /^(.*?)\/(.*)$/s.exec(option.value);
	return kind + "s." + (/[\s'"(),=<>!]/.test(key) ? "`" + key + "`" : key);
});
search?.addEventListener("input", () => {
	const [, before, typed] = /^(.*\s|)(\S*)$/s.exec(search.value);
	const fits = (key) => key.toLowerCase().startsWith(typed.toLowerCase()) && key !== typed;
	search.list.replaceChildren(...(typed ? keys.filter(fits) : []).slice(0, 30).map((key) => {
		const option = document.createElement("option");
		option.value = before + key;
		return option;
	}));
});
