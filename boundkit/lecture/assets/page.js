// What every page does: figures come alive, answers are judged, pages turn, details open for paper.
(function () {
  "use strict";
  const every = (words, within = document) => Array.from(within.querySelectorAll(words));

  const mount = (attribute, library) => {
    for (const element of every(`[data-${attribute}]`)) {
      library.mount(element, JSON.parse(element.dataset[attribute]));
    }
  };

  const judge = question => {
    question.classList.add("scripted");
    const verdict = question.querySelector(".verdict"), why = question.querySelector(".why");
    question.addEventListener("change", event => {
      const right = event.target.value === question.dataset.right;
      verdict.textContent = right ? "Right." : "Not so.";
      verdict.className = `verdict ${right ? "right" : "wrong"}`;
      question.classList.add("answered");
      why.open = right;
    });
  };

  const redraw = exercise => {
    const button = exercise.querySelector(".other");
    if (!button) return;
    const drawings = every(".drawing", exercise);
    button.hidden = false;
    button.addEventListener("click", () => {
      const shown = drawings.findIndex(one => !one.hidden);
      drawings[shown].hidden = true;
      const next = drawings[(shown + 1) % drawings.length];
      next.hidden = false;
      every("details", next).forEach(one => { one.open = false; });
      reach();
    });
  };

  // What is wider than its place is reached by keys, and has a name then; what fits is no stop on the way.
  const reach = () => {
    // A table that is wider than a phone is stacked: one block a row.
    for (const one of every(".of-table .wide")) {
      one.classList.remove("stacked");
      one.classList.toggle("stacked", innerWidth <= 640 && one.scrollWidth > one.clientWidth);
    }
    for (const one of every(".picture picture")) one.classList.toggle("tall", one.scrollHeight > one.clientHeight + 1);
    for (const one of every(".formula, .wide")) {
      const { name = "formula", namedBy } = one.dataset;
      const named = namedBy ? ["aria-labelledby", namedBy] : ["aria-label", `${name}, scrolls`];
      for (const [key, value] of [["tabindex", "0"], ["role", "region"], named]) {
        if (one.scrollWidth > one.clientWidth) one.setAttribute(key, value);
        else one.removeAttribute(key);
      }
    }
  };

  // The arrows turn pages only where they mean nothing else.
  const turn = event => {
    if (document.documentElement.classList.contains("slides")) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, select, textarea, button, summary, svg, [tabindex]")) return;
    const wanted = { ArrowRight: "next", ArrowLeft: "prev" }[event.key];
    const link = wanted && document.querySelector(`a[rel=${wanted}]`);
    if (link) location.href = link.href;
  };

  const menu = document.querySelector(".menu");
  document.addEventListener("click", event => { if (!menu.contains(event.target)) menu.open = false; });
  document.addEventListener("keydown", event => {
    if (event.key === "Escape" && menu.open) { menu.open = false; menu.querySelector("summary").focus(); }
    turn(event);
  });

  // Paper shows questions and exercises; their answers are on a page of their own.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = every("main :is(.question, .exercise):not([open])");
    closed.forEach(one => { one.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach(one => { one.open = false; }));

  const contents = document.querySelector(".toc details");
  if (contents) contents.open = matchMedia("(min-width: 76rem)").matches;
  if (globalThis.boundkitExplorer) mount("explorer", globalThis.boundkitExplorer);
  if (globalThis.boundkitSimulation) mount("simulation", globalThis.boundkitSimulation);
  if (globalThis.boundkitStability) mount("stability", globalThis.boundkitStability);
  every(".question").forEach(judge);
  every(".exercise").forEach(redraw);
  reach();
  if (globalThis.boundkitAddress) globalThis.boundkitAddress.goThere();
  addEventListener("resize", reach);
  addEventListener("load", reach);
  addEventListener("toggle", reach, true);
})();
