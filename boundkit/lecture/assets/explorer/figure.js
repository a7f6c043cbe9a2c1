// One explorer: sliders that drive the terms of a theorem.
//
// The terms are the functions that Python printed from the theorem, under boundkit[settings.theorem].
// element.boundkit holds what is shown: {q, terms, total, inside}.
(function (explorer, drawing) {
  "use strict";
  const { formatNumber, put } = drawing;
  const { STEPS, valueAt, placeOf, whole, meaningful, inside, allowed, noteOf, paintLimit, colour, chart } = explorer;
  const percent = (value, total) => `${Math.round(100 * value / total)} %`;

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
    const select = put(put(parent, "label", {}, `${words} `), "select", { "aria-label": label });
    for (const [value, text] of entries) put(select, "option", { value }, text);
    select.addEventListener("change", () => changed(select.value));
    return select;
  }

  // What the theorem needs beside its condition and does not get here, in words that Python printed.
  const missing = (theorem, requires, q) => requires.filter((_, k) => !theorem.requires[k].holds(q)).join(" and ");
  function sentenceOf(theorem, values, sum, largest, sense, good, lacks) {
    if (!sense) return `The bound has no meaning at these values: it needs ${lacks}.`;
    const where = good ? "The step is inside the condition." : "The step is outside the condition: the theorem does not apply.";
    return `The bound is ${formatNumber(sum)}; the largest term is ${theorem.terms[largest].label}, ${percent(values[largest], sum)}. ${where}`;
  }

  function mount(element, settings) {
    const theorem = globalThis.boundkit[settings.theorem], { sliders } = settings, q = { ...settings.values };
    const rows = Array.from(element.querySelectorAll("tbody tr")), total = element.querySelector(".total"), polite = element.querySelector(".announcement");
    let along = sliders.find(one => one.name === settings.along), lines = false, timer = 0, frame = 0;

    const controls = sliders.map(slider => control(
      element.querySelector(".sliders"), slider, `${settings.theorem}-${slider.name}`, q[slider.name], settings.letters[slider.name],
      value => { q[slider.name] = value; update(); },
    ));
    const place = element.querySelector(".chart"), way = put(place, "div", { class: "way" }), svg = put(place, "svg", { role: "img", "aria-label": "" });
    choice(way, "along", "Quantity along the horizontal axis", sliders.map(s => [s.name, s.meaning]), name => {
      along = sliders.find(s => s.name === name);
      update();
    }).value = along.name;
    choice(way, "as", "Shape of the chart", [["stack", "stacked by cause"], ["lines", "lines, log scale"]], shape => {
      lines = shape === "lines";
      update();
    });
    put(way, "button", { type: "button" }, "Start again").addEventListener("click", () => {
      Object.assign(q, settings.values);
      for (const { slider, input } of controls) input.value = placeOf(slider, q[slider.name]);
      update();
    });

    function update() {
      const at = whole(q), sense = meaningful(theorem, at), good = sense && inside(theorem, at);
      const values = theorem.terms.map(t => (sense ? t.value(at) : NaN)), sum = sense ? theorem.total(at) : NaN;
      const largest = values.indexOf(Math.max(...values)), lacks = missing(theorem, settings.requires, at);
      const sentence = sentenceOf(theorem, values, sum, largest, sense, good, lacks);
      element.boundkit = { q: { ...at }, terms: values, total: sum, inside: good };
      for (const one of controls) {
        one.output.textContent = formatNumber(at[one.slider.name]);
        one.input.setAttribute("aria-valuetext", `${one.slider.meaning} ${one.output.textContent}`);
        one.row.classList.toggle("outside", !good && one.slider.limited);
      }
      rows.forEach((row, k) => {
        row.querySelector(".number").textContent = sense ? formatNumber(values[k]) : "";
        row.querySelector(".share").textContent = sense && sum ? percent(values[k], sum) : "";
        row.classList.toggle("dominant", k === largest);
        row.style.setProperty("--colour", colour(theorem.terms[k].cause));
      });
      total.textContent = sense ? formatNumber(sum) : "";
      svg.setAttribute("aria-label", `Chart of the bound along the ${along.meaning}. ${sentence}`);
      cancelAnimationFrame(frame);  // numbers at once, pictures as often as the screen shows them
      frame = requestAnimationFrame(() => {
        for (const { slider, limit, note } of controls.filter(one => one.slider.limited)) {
          const stretches = allowed(theorem, slider, q);
          paintLimit(limit, stretches);
          note.textContent = noteOf(slider, at, stretches, good);
        }
        chart(svg, theorem, along, q, sum, lines, lacks);
      });
      clearTimeout(timer);
      timer = setTimeout(() => { polite.textContent = sentence; }, 400);
    }

    if (globalThis.ResizeObserver) new ResizeObserver(() => update()).observe(place);
    update();
  }

  Object.assign(explorer, { mount });
})(globalThis.boundkitExplorer, globalThis.boundkitDrawing);
