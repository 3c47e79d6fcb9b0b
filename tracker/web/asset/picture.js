"use strict";
// A picture that cannot be drawn says why in its place, and has no files to download.
async function explain(img) {
	const reply = await fetch(img.currentSrc || img.src);
	if (reply.ok) return; // it can be drawn now
	const page = new DOMParser().parseFromString(await reply.text(), "text/html");
	const alert = page.querySelector("[role=alert]");
	const texts = [alert, alert?.nextElementSibling].filter((e) => e?.matches("p:not(:has(a))")).map((e) => e.textContent);
	const why = img.closest("figure").querySelector(".wrong") ?? document.createElement("p");
	why.className = "wrong";
	why.setAttribute("role", "alert");
	why.textContent = texts.join(". ") || "this picture cannot be drawn";
	img.closest("picture").after(why);
	show(img, false);
}

// show shows a picture and its files, or neither.
function show(img, drawn) {
	img.hidden = !drawn;
	img.loading = "eager"; // what is hidden would not be loaded again
	for (const link of img.closest("figure").querySelectorAll("a[download]")) link.hidden = !drawn;
	if (drawn) img.closest("figure").querySelector(".wrong")?.remove();
}

for (const img of document.querySelectorAll("figure img")) {
	img.addEventListener("error", () => explain(img));
	img.addEventListener("load", () => { if (img.hidden) show(img, true); });
	if (img.complete && !img.naturalWidth && img.loading !== "lazy") explain(img);
}
