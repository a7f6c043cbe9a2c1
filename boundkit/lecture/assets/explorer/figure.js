// One explorer: sliders that drive the terms of a theorem.
//
// The terms are the functions that Python printed from the theorem, under boundkit[settings.theorem].
// element.boundkit holds what is shown: {q, terms, total, inside}.
(function (explorer, drawing, address) {
  "use strict";
  const { clamp, slug, formatNumber, put } = drawing;
  const { placeOf, whole, meaningful, inside, allowed, noteOf, paintLimit, control, choice, colour, chart } = explorer;
  const IN_VIEW = 3;  // sliders that are not behind "More"
  const percent = (value, total) => `${Math.round(100 * value / total)} %`;

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

    const place = element.querySelector(".chart"), svg = put(place, "svg", { role: "img", "aria-label": "" }), key = put(place, "ul", { class: "key" });
    const panel = element.querySelector(".controls"), more = put(document.createElement("div"), "details", { class: "more" });
    put(more, "summary", {}, "More");
    const controls = sliders.map((slider, k) => control(
      k < IN_VIEW ? panel : more, slider, `${settings.theorem}-${slider.name}`, q[slider.name], settings.letters[slider.name],
      value => { q[slider.name] = value; update(); },
    ));
    panel.append(more);
    const across = choice(more, "along", "Quantity along the horizontal axis", sliders.map(s => [s.name, s.meaning]), setAlong);
    const shape = choice(more, "as", "Shape of the chart", [["stack", "stacked by cause"], ["lines", "lines, log scale"]], setShape);
    function setAlong(name) {
      along = sliders.find(s => s.name === name) || along;
      across.value = along.name;
      update();
    }
    function setShape(name) {
      lines = name === "lines";
      shape.value = lines ? "lines" : "stack";
      update();
    }
    function move({ slider, input }, value) {
      q[slider.name] = value;
      input.value = placeOf(slider, value);
    }
    put(put(panel, "div", { class: "buttons" }), "button", { type: "button" }, "Start again").addEventListener("click", () => {
      for (const one of controls) move(one, settings.values[one.slider.name]);
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
      key.replaceChildren();
      for (const [k, term] of theorem.terms.entries()) {
        const item = put(key, "li");
        put(item, "span", { class: `swatch cause-${slug(term.cause)}` });
        put(item, "span", {}, `${term.label}${sense && sum ? ` ${percent(values[k], sum)}` : ""}`);
      }
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

    if (globalThis.ResizeObserver) new ResizeObserver(update).observe(place);
    addEventListener("resize", update);
    update();
    address.follow(element, () => Object.fromEntries([
      ...controls.map(one => [one.slider.name, { value: q[one.slider.name], set: text => {
        const value = Number(text), { low, high, whole: count } = one.slider;
        if (Number.isFinite(value)) move(one, clamp(count ? Math.round(value) : value, low, high));
        update();
      } }]),
      ["along", { value: along.name, set: setAlong }],
      ["as", { value: shape.value, set: setShape }],
    ]));
  }

  Object.assign(explorer, { mount });
})(globalThis.boundkitExplorer, globalThis.boundkitDrawing, globalThis.boundkitAddress);
