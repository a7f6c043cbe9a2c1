// Slides: with ?slides in the address, one figure and its sentence at a time, by the arrow keys.
//
// n shows the presenter's notes: the answer, the next slide and a clock; p opens them in a window of their own, which
// moves with this one; Escape returns to the text.
(function () {
  "use strict";
  const asked = new URLSearchParams(location.search).get("slides"), root = document.documentElement;
  if (asked === null) return;
  root.classList.add("slides");
  root.classList.toggle("notes", asked === "notes");
  const chosen = ".opening, .of-prose:has(.formula), .of-table, .of-statement:has(article), .of-explorer, .of-simulation, .of-stability, .of-figure, .of-limitations";
  const slides = Array.from(document.querySelectorAll(chosen)), began = Date.now();
  // The notes hold what the text says between the slide before and this one.
  const said = slide => {
    const texts = [];
    for (let one = slide.previousElementSibling; one && !slides.includes(one); one = one.previousElementSibling) if (one.matches(".of-prose")) texts.push(one);
    return texts;
  };
  const idOf = slide => slide.id || slide.querySelector("figure")?.id || "";
  const titleOf = slide => {
    let before = slide;
    while (before && !before.querySelector("h1, h2")) before = before.previousElementSibling;
    return before ? before.querySelector("h1, h2").firstChild.textContent.trim() : "";
  };
  const add = (parent, name, kind) => {
    const node = parent.appendChild(document.createElement(name));
    node.className = kind;
    return node;
  };
  const foot = add(document.body, "aside", "foot"), title = add(foot, "span", "title"), next = add(foot, "span", "next");
  const clock = add(foot, "span", "clock"), count = add(foot, "span", "number");
  let at = 0, other = window.opener;

  function show(place, tell = true) {
    slides[at].classList.remove("current");
    for (const one of said(slides[at])) one.classList.remove("said");
    at = Math.min(Math.max(place, 0), slides.length - 1);
    slides[at].classList.add("current");
    for (const one of said(slides[at])) one.classList.add("said");
    title.textContent = titleOf(slides[at]);
    next.textContent = at + 1 < slides.length ? `next: ${titleOf(slides[at + 1])}` : "the last slide";
    count.textContent = `${at + 1} / ${slides.length}`;
    scrollTo(0, 0);
    if (!location.hash.startsWith(`#${idOf(slides[at])}&`)) history.replaceState(null, "", `#${idOf(slides[at])}`);
    if (tell && other) other.postMessage({ slide: at }, "*");
  }
  const tick = () => {
    const seconds = Math.floor((Date.now() - began) / 1000), two = n => String(n).padStart(2, "0");
    clock.textContent = `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
  };
  const present = () => { other = window.open(`${location.pathname}?slides=notes#${idOf(slides[at])}`, "notes", "popup,width=1100,height=800"); };
  const leave = () => location.assign(`${location.pathname}${location.hash}`);
  const turns = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity };
  addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const page = event.key.startsWith("Page");
    if (!page && event.target.closest("input, select, button, summary, a")) return;
    if (event.key in turns) { event.preventDefault(); show(at + turns[event.key]); }
    if (event.key === "n") root.classList.toggle("notes");
    if (event.key === "p") present();
    if (event.key === "Escape") leave();
  });
  addEventListener("message", event => { if (event.source === other && Number.isInteger(event.data?.slide)) show(event.data.slide, false); });
  tick();
  setInterval(tick, 1000);
  const [id] = decodeURIComponent(location.hash.slice(1)).split("&");
  show(Math.max(slides.findIndex(one => id && idOf(one) === id), 0), false);
})();
