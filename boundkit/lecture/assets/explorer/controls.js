// The controls of an explorer: a slider of a quantity, and a choice.
(function (explorer, drawing) {
  "use strict";
  const { put } = drawing;
  const { STEPS, valueAt, placeOf } = explorer;

  // Letters come as MathML that Python made of the theorem's own quantities.
  const letter = markup => document.importNode(new DOMParser().parseFromString(markup, "application/xml").documentElement, true);

  function control(parent, slider, id, begins, markup, changed) {
    const row = put(parent, "div", { class: "slider" });
    put(row, "label", { for: id }, slider.meaning);
    row.append(letter(markup));
    const input = put(row, "input", { type: "range", min: 0, max: STEPS, step: 1, id, "data-name": slider.name, "aria-describedby": `${id}-note`, value: placeOf(slider, begins) });
    const output = put(row, "output", { for: id }), limit = put(row, "div", { class: "limit", "aria-hidden": "true" });
    input.addEventListener("input", () => changed(valueAt(slider, Number(input.value))));
    // One press of an arrow is one other value, also where many places mean the same whole number.
    input.addEventListener("keydown", event => {
      const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      const before = output.textContent;
      for (let place = Number(input.value) + way; place >= 0 && place <= STEPS && output.textContent === before; place += way) {
        input.value = place;
        changed(valueAt(slider, place));
      }
    });
    return { slider, row, input, output, limit, note: put(row, "div", { class: "note", id: `${id}-note` }) };
  }
  function choice(parent, words, label, entries, changed) {
    const select = put(put(parent, "label", { class: "choice" }, words), "select", { "aria-label": label });
    for (const [value, text] of entries) put(select, "option", { value }, text);
    select.addEventListener("change", () => changed(select.value));
    return select;
  }

  Object.assign(explorer, { control, choice });
})(globalThis.boundkitExplorer, globalThis.boundkitDrawing);
