"use strict";
// A running run draws its curves again when it has new values, and the page loads again when it has ended. A page that
// nobody sees asks for nothing: a browser has six connections to a server, and other pages need them.
const live = document.querySelector("[data-events]");
let events = null, waiting = false, pause = 3; // in seconds

function redraw() {
	const now = (text) => {
		const address = new URL(text, location.href);
		address.searchParams.set("now", Date.now());
		return address.href;
	};
	for (const img of document.querySelectorAll(".curves img")) {
		const dark = img.closest("picture").querySelector("source");
		dark.srcset = now(dark.srcset);
		img.src = now(img.src);
	}
}

// again loads the page again if the server answers: in place of a page that says what was last known, the browser would
// show that it reaches nobody, and would never ask again.
async function again() {
	try {
		const reply = await fetch(location.href, { method: "HEAD" });
		if (reply.ok) location.reload();
	} catch { /* the next event tries again */ }
}

function follow() {
	events?.close();
	events = new EventSource(live.dataset.events);
	events.addEventListener("change", (e) => {
		live.textContent = "running, step " + e.data;
		if (waiting) return;
		waiting = true;
		setTimeout(() => {
			waiting = false;
			if (document.querySelector(".curves") || document.querySelector(".edit[open]")) redraw();
			else again(); // the page is older than the run's first values
		}, 1000);
	});
	events.addEventListener("open", () => { pause = 3; });
	events.addEventListener("error", () => { // a browser gives up after an answer that is an error
		if (events.readyState !== EventSource.CLOSED || document.hidden) return;
		live.textContent = "running, not connected";
		setTimeout(() => { if (!document.hidden) follow(); }, pause * 1000);
		pause = Math.min(2 * pause, 60);
	});
	events.addEventListener("end", (e) => {
		events.close();
		live.textContent = e.data;
		if (!document.querySelector(".edit[open]")) again(); // else somebody may be writing
	});
}

if (live) {
	if (!document.hidden) follow();
	document.addEventListener("visibilitychange", () => {
		events?.close();
		if (document.hidden) return;
		follow();
		redraw(); // what has come meanwhile
	});
}
