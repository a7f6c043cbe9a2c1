// Sliders that drive the terms of a theorem. The terms are the functions that Python printed from the
// theorem, under boundkit[settings.theorem]; this file draws and computes nothing of its own.
(function (root) {
  "use strict";
  const STEPS = 1000, POINTS = 121, SVG = "http://www.w3.org/2000/svg", TEX = "http://www.w3.org/1998/Math/MathML";

  // ---- values ----
  const clampWhole = (value, low, high) => Math.min(Math.max(Math.round(value), low), high);

  // A slider's value at a place between 0 and STEPS: three digits, and whole where it counts something.
  const valueAt = (slider, place) => {
    const share = place / STEPS;
    const raw = slider.log ? slider.low * Math.pow(slider.high / slider.low, share)
                           : slider.low + (slider.high - slider.low) * share;
    if (place <= 0) return slider.low;
    if (place >= STEPS) return slider.high;
    return slider.whole ? clampWhole(raw, slider.low, slider.high) : Number(raw.toPrecision(3));
  };
  const placeOf = (slider, value) => {
    const share = slider.log ? Math.log(value / slider.low) / Math.log(slider.high / slider.low)
                             : (value - slider.low) / (slider.high - slider.low);
    return Math.round(STEPS * Math.min(Math.max(share, 0), 1));
  };
  // C m clients come, a whole number of them.
  const whole = q => (q.C !== undefined && q.m !== undefined ? { ...q, C: clampWhole(q.C * q.m, 1, q.m) / q.m } : q);

  const meaningful = (theorem, q) => theorem.requires.every(one => one.holds(q));
  const inside = (theorem, q) => theorem.conditions.every(one => one.holds(q));

  // ---- numbers in words ----
  const raised = text => text.replace(/[-0-9]/g, sign => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
  const said = (value, digits = 3) => {
    if (!Number.isFinite(value)) return "too large";
    if (value === 0) return "0";
    const power = Math.floor(Math.log10(Math.abs(value)));
    if (power >= -4 && power <= 5) return String(Number(value.toPrecision(digits)));
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${Number(mantissa)}×10${raised(String(Number(exponent)))}`;
  };

  // ---- elements ----
  const make = (name, attributes = {}, children = []) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const draw = (name, attributes = {}, text = "") => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text) node.textContent = text;
    return node;
  };
  const colour = cause => `var(--cause-${cause.replaceAll(" ", "-")})`;
  // Letters come as MathML that Python made of the theorem's own quantities.
  const letter = markup => {
    const parsed = new DOMParser().parseFromString(markup, "application/xml").documentElement;
    return document.importNode(parsed, true);
  };

  // ---- the chart ----
  const ticks = (low, high, log) => {
    if (!log) {
      const step = Math.pow(10, Math.floor(Math.log10((high - low) / 2)));
      const wide = [1, 2, 5, 10].map(k => k * step).find(s => (high - low) / s <= 6);
      const found = [];
      for (let k = Math.ceil(low / wide - 1e-9); k * wide <= high * (1 + 1e-9); k++) found.push(Number((k * wide).toPrecision(12)));
      return found;
    }
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (const k of high / low < 200 ? [1, 2, 5] : [1]) {
        const value = Number((k * Math.pow(10, power)).toPrecision(3));
        if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
      }
    }
    const every = Math.ceil(found.length / 7);
    return found.filter((_, place) => place % every === 0);
  };

  // Centres of labels of one height that do not overlap, as near to the wanted ones as they can.
  const spread = (wanted, height, low, high) => {
    const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
    const placed = [];
    let last = low - height / 2;
    for (const i of order) { last = Math.max(wanted[i], last + height, low + height / 2); placed[i] = last; }
    let next = high + height / 2;
    for (const i of order.slice().reverse()) { next = Math.min(placed[i], next - height); placed[i] = next; }
    return placed;
  };

  const curves = (theorem, slider, q) => {
    const xs = new Set();
    for (let k = 0; k < POINTS; k++) xs.add(valueAt(slider, (STEPS * k) / (POINTS - 1)));
    return Array.from(xs, x => whole({ ...q, [slider.name]: x }))
      .filter((at, i, all) => meaningful(theorem, at) && (i === 0 || at[slider.name] !== all[i - 1][slider.name]))
      .map(at => ({ x: at[slider.name], terms: theorem.terms.map(t => t.value(at)), inside: inside(theorem, at) }));
  };

  const area = (points, lower, upper, x, y) => {
    const there = points.map((p, i) => `${x(p.x).toFixed(2)},${y(upper[i]).toFixed(2)}`);
    const back = points.map((p, i) => `${x(p.x).toFixed(2)},${y(lower[i]).toFixed(2)}`).reverse();
    return `M${there.join("L")}L${back.join("L")}Z`;
  };

  const stretches = points => {
    const found = [];
    points.forEach((p, i) => {
      if (p.inside) return;
      const before = i > 0 ? points[i - 1] : null;
      if (before && !before.inside) found[found.length - 1][1] = p.x;
      else found.push([before ? before.x : p.x, p.x]);
    });
    return found;
  };

  const chart = (svg, theorem, slider, q, total, lines, unit) => {
    const box = svg.parentNode.getBoundingClientRect().width || 640;
    const width = Math.max(box, 300), narrow = width < 560, type = Math.max(12, Math.min(width / 46, 19));
    const height = Math.max(220, Math.min(width * 0.56, 520));
    const left = type * 4.6, right = narrow ? 8 : type * 10.5, top = type * 1.2, bottom = type * 3.2;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const points = curves(theorem, slider, q).filter(p => p.terms.every(Number.isFinite));
    if (points.length < 2) return;
    const low = points[0].x, high = points[points.length - 1].x;
    const x = v => left + (width - left - right) * (slider.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
    const sums = points.map(p => p.terms.reduce((s, v) => s + v, 0));
    const positive = points.flatMap(p => p.terms).filter(v => v > 0);
    const most = Math.max(...sums), cut = Math.min(most, Math.max(8 * total, 1.3 * Math.min(...sums)));
    const roof = lines ? most * 1.5 : cut * 1.05;
    const floor = lines ? Math.max(Math.min(...positive), roof * 1e-8) : 0;
    const y = v => {
      const share = lines ? Math.log(Math.max(v, floor) / floor) / Math.log(roof / floor) : v / roof;
      return height - bottom - (height - bottom - top) * Math.min(Math.max(share, 0), 1.02);
    };
    const add = (name, attributes, text) => svg.appendChild(draw(name, attributes, text));
    for (const v of ticks(lines ? floor : 0, roof, lines)) {
      add("path", { class: "grid", d: `M${left},${y(v)}H${width - right}` });
      add("text", { class: "tick", x: left - 0.5 * type, y: y(v) + 0.35 * type, "text-anchor": "end", "font-size": 0.85 * type }, said(v));
    }
    for (const v of ticks(low, high, slider.log)) {
      add("path", { class: "axis", d: `M${x(v)},${height - bottom}v5` });
      add("text", { class: "tick", x: x(v), y: height - bottom + 1.4 * type, "text-anchor": "middle", "font-size": 0.85 * type }, said(v));
    }
    let below = points.map(() => 0);
    const ends = [];
    theorem.terms.forEach((term, k) => {
      const paint = colour(term.cause), own = points.map(p => p.terms[k]);
      if (lines) {
        const seen = points.map((p, i) => [p, own[i]]).filter(pair => pair[1] >= floor);
        if (seen.length) add("path", { d: "M" + seen.map(([p, v]) => `${x(p.x).toFixed(2)},${y(v).toFixed(2)}`).join("L"), style: `stroke: ${paint}; stroke-width: ${type / 5}; fill: none` });
        ends.push({ term, at: own[own.length - 1] >= floor ? y(own[own.length - 1]) : null });
      } else {
        const above = below.map((v, i) => v + own[i]);
        add("path", { d: area(points, below, above, x, y), style: `fill: ${paint}` });
        const base = Math.min(below[below.length - 1], roof), crest = Math.min(above[above.length - 1], roof);
        ends.push({ term, at: y(base) - y(crest) > 1.5 ? (y(base) + y(crest)) / 2 : null });
        below = above;
      }
    });
    if (lines) add("path", { class: "here", style: "stroke-dasharray: none", d: "M" + points.map((p, i) => `${x(p.x).toFixed(2)},${y(sums[i]).toFixed(2)}`).join("L") });
    for (const [from, to] of stretches(points)) {
      const reaches = Math.max(x(to), x(from) + 2);
      add("rect", { class: "forbidden", x: x(from), y: top, width: reaches - x(from), height: height - bottom - top });
      add("path", { class: "edge", d: `M${from === low ? reaches : x(from)},${top}V${height - bottom}` });
      if (reaches - x(from) > 9 * type) add("text", { class: "edge-label", x: (x(from) + reaches) / 2, y: top + 1.2 * type, "text-anchor": "middle", "font-size": 0.85 * type }, "outside the condition");
    }
    add("path", { class: "axis", d: `M${left},${top}V${height - bottom}H${width - right}` });
    const at = whole(q)[slider.name];
    if (at >= low && at <= high) {
      add("path", { class: "here", d: `M${x(at)},${top}V${height - bottom}` });
      add("circle", { cx: x(at), cy: y(total), r: type / 3, style: "fill: var(--ink); stroke: var(--ground); stroke-width: 2" });
    }
    add("text", { x: left, y: 0.8 * type, "font-size": 0.9 * type, class: "tick" }, lines ? "each term, and the bound above them" : "the bound, by cause");
    add("text", { x: (left + width - right) / 2, y: height - 0.5 * type, "text-anchor": "middle", "font-size": 0.95 * type }, unit);
    if (narrow) return;
    const labelled = ends.filter(one => one.at !== null);
    const places = spread(labelled.map(one => one.at), 1.25 * type, top, height - bottom);
    labelled.forEach((one, i) => {
      const start = width - right, mark = start + 1.1 * type;
      add("path", { d: `M${start + 2},${one.at}L${mark - 4},${places[i]}`, style: `stroke: ${colour(one.term.cause)}; stroke-width: 1.5; fill: none` });
      add("text", { x: mark, y: places[i] + 0.33 * type, "font-size": 0.9 * type }, one.term.label);
    });
  };

  // ---- one explorer ----
  const mount = (element, settings) => {
    const theorem = root.boundkit[settings.theorem];
    const sliders = settings.sliders, q = { ...settings.values };
    let along = sliders.find(one => one.name === settings.along), lines = false, timer = 0, frame = 0;
    const rows = Array.from(element.querySelectorAll("tbody tr"));
    const total = element.querySelector(".total"), polite = element.querySelector(".said");

    const controls = new Map(sliders.map((slider, place) => {
      const id = `${settings.theorem}-${slider.name}`;
      const input = make("input", { type: "range", min: 0, max: STEPS, step: 1, id, "data-name": slider.name, value: placeOf(slider, q[slider.name]) });
      const output = make("output", { for: id }), limit = make("div", { class: "limit", "aria-hidden": "true" });
      const note = make("div", { class: "note" });
      const row = make("div", { class: "slider" }, [make("label", { for: id }, [slider.meaning]), letter(settings.letters[slider.name]), input, output, limit, note]);
      input.addEventListener("input", () => { q[slider.name] = valueAt(slider, Number(input.value)); update(); });
      element.querySelector(".sliders").append(row);
      return [slider.name, { slider, input, output, limit, note, row, place }];
    }));

    const svg = draw("svg", { role: "img", "aria-label": "" });
    const chosen = make("select", { "aria-label": "Quantity along the horizontal axis" }, sliders.map(s => make("option", { value: s.name }, [s.meaning])));
    const shape = make("select", { "aria-label": "Shape of the chart" }, [["stack", "stacked by cause"], ["lines", "lines, log scale"]].map(([value, text]) => make("option", { value }, [text])));
    chosen.value = along.name;
    chosen.addEventListener("change", () => { along = sliders.find(s => s.name === chosen.value); update(); });
    shape.addEventListener("change", () => { lines = shape.value === "lines"; update(); });
    const again = make("button", { type: "button" }, ["Start again"]);
    again.addEventListener("click", () => {
      Object.assign(q, settings.values);
      for (const { slider, input } of controls.values()) input.value = placeOf(slider, q[slider.name]);
      update();
    });
    element.querySelector(".chart").append(make("div", { class: "way" }, [make("label", {}, ["along ", chosen]), make("label", {}, ["as ", shape]), again]), svg);

    // Where a slider may stand while the others stay: the part that the condition forbids is marked.
    const paintLimit = ({ slider, limit }) => {
      const marks = [];
      for (let k = 0; k <= 100; k++) marks.push(inside(theorem, whole({ ...q, [slider.name]: valueAt(slider, STEPS * k / 100) })));
      if (marks.every(Boolean)) { limit.style.background = "none"; return; }
      const stops = marks.map((good, k) => `${good ? "var(--good)" : "var(--bad)"} ${Math.max(k - 0.5, 0)}% ${Math.min(k + 0.5, 100)}%`);
      limit.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    };

    const noteOf = (slider, at, good) => {
      if (slider.name !== "eta" || !theorem.largestEta) return "";
      const largest = theorem.largestEta(at);
      return Number.isFinite(largest) ? `${good ? "the condition ends at" : "outside: the condition ends at"} ${said(largest)}` : "";
    };

    function update() {
      const at = whole(q), sense = meaningful(theorem, at), good = sense && inside(theorem, at);
      const values = theorem.terms.map(t => (sense ? t.value(at) : NaN)), sum = sense ? theorem.total(at) : NaN;
      element.boundkit = { q: { ...at }, terms: values, total: sum, inside: good };
      for (const control of controls.values()) {
        const value = at[control.slider.name];
        control.output.textContent = said(value);
        control.input.setAttribute("aria-valuetext", `${control.slider.meaning} ${said(value)}`);
        control.note.textContent = noteOf(control.slider, at, good);
        control.row.classList.toggle("outside", !good && control.slider.name === "eta");
      }
      const largest = values.indexOf(Math.max(...values));
      rows.forEach((row, k) => {
        row.querySelector(".number").textContent = sense ? said(values[k]) : "";
        row.querySelector(".share").textContent = sense && sum ? `${Math.round(100 * values[k] / sum)} %` : "";
        row.classList.toggle("dominant", k === largest);
        row.style.setProperty("--colour", colour(theorem.terms[k].cause));
      });
      total.textContent = sense ? said(sum) : "";
      const sentence = !sense ? "The bound has no meaning at these values."
        : `The bound is ${said(sum)}; the largest term is ${theorem.terms[largest].label}, ${Math.round(100 * values[largest] / sum)} %. `
          + (good ? "The step is inside the condition." : "The step is outside the condition: the theorem says nothing here.");
      svg.setAttribute("aria-label", `Chart of the bound along the ${along.meaning}. ${sentence}`);
      cancelAnimationFrame(frame);  // numbers at once, pictures as often as the screen shows them
      frame = requestAnimationFrame(() => {
        controls.forEach(paintLimit);
        chart(svg, theorem, along, q, sum, lines, along.meaning);
      });
      clearTimeout(timer);
      timer = setTimeout(() => { polite.textContent = sentence; }, 400);
    }

    if (root.ResizeObserver) new ResizeObserver(() => update()).observe(element.querySelector(".chart"));
    update();
  };

  root.boundkitExplorer = { mount, valueAt, placeOf, said, spread, ticks };
})(globalThis);
