// One simulation: the plane on the left, curves on the right, and what moves them below.
(function (sim, drawing, address) {
  "use strict";
  const { heightOf, put } = drawing;
  const {
    initialState, simulate, summary, boundWords, chartWords, planeWords, drawPlane, drawLine, drawObservable, drawBound, framed,
    drawKey, planeKey, choices, sliders, player, press,
  } = sim.figure;
  let mounted = 0;

  // A curve, or the terms of a bound; its key.
  function drawChart(svg, result, state, settings, width, em, id) {
    const height = heightOf(width, 0.95, 0.18), plot = framed(svg, width, height, id);
    const draw = state.show === "bound" && result.bound && result.bound.applies ? drawBound : drawObservable;
    return draw(svg, plot, result, state, settings, { width, height, em }, id);
  }
  function panels(element) {
    const pictures = put(element, "div", { class: "pictures" });
    return ["plane", "chart"].map(kind => {
      const panel = put(pictures, "div", { class: `simulation-${kind}` });
      return { panel, svg: put(panel, "svg", { role: "img", "aria-label": "" }), key: put(panel, "ul", { class: "key" }) };
    });
  }

  // <figure class="simulation" data-simulation='{settings}'> is filled; boundkitSimulation.mount does it elsewhere.
  function mount(element, settings) {
    const id = `simulation-${++mounted}`, state = initialState(settings);
    element.classList.add("live", "simulation");
    if (!element.querySelector("figcaption")) put(element, "figcaption", {}, settings.title);
    const [plane, chart] = panels(element), panel = put(element, "div", { class: "controls" }), words = put(element, "div", { class: "says" });
    const says = put(words, "p", { class: "simulation-says" }), claims = put(words, "p", { class: "simulation-claims" });
    const heard = put(words, "p", { class: "simulation-heard", "aria-live": "polite", role: "status" });
    let result = null, waiting = false, telling = null;

    const changed = () => { renew(); tell(); };
    const more = put(document.createElement("div"), "details", { class: "more" });
    put(more, "summary", {}, "More");
    const another = press(more, "Draw another sample", () => { state.seed += 1; changed(); });
    const showChoices = choices(more, settings, state, changed);
    const showSliders = sliders(panel, more, settings, state, id, changed);
    player(put(panel, "div", { class: "buttons" }), state, draw, tell);
    panel.append(more);

    function tell() {
      clearTimeout(telling);
      telling = setTimeout(() => { heard.textContent = says.textContent; }, 500);
    }
    function renew() {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => { waiting = false; result = null; draw(); });
    }
    function draw() {
      if (!element.isConnected) return;  // it has no size; what watches its size draws it once it is there
      try {
        result = result || simulate(settings, state);
      } catch (error) {
        says.textContent = error.message;
        refresh();
        return;
      }
      refresh();
      const em = 0.82 * parseFloat(getComputedStyle(element).fontSize), width = ({ panel }) => Math.max(Math.round(panel.clientWidth), 200);
      (result.model.d === 1 ? drawLine : drawPlane)(plane.svg, result, state, settings, width(plane), em, `${id}-plane`);
      drawKey(chart.key, drawChart(chart.svg, result, state, settings, width(chart), em, `${id}-chart`));
      drawKey(plane.key, planeKey(result));
      if (result.seen.outcome === "diverged" || (result.limit && !result.limit.stable)) for (const panel of [plane, chart])
        put(panel.svg, "text", { class: "diverges halo", x: width(panel) / 2, y: 2.2 * em, "text-anchor": "middle" }, "diverges: it leaves the frame");
      says.textContent = summary(result, state.at);
      claims.textContent = state.show === "bound" ? boundWords(result, state) : "";
      plane.svg.setAttribute("aria-label", `${planeWords(result)} ${says.textContent}`);
      chart.svg.setAttribute("aria-label", `${chartWords(result, state, settings)} ${claims.textContent}`.trim());
      element.setAttribute("data-round", state.at);
    }
    function refresh() {
      another.hidden = !(result && result.sample);
      showChoices(result);
      showSliders();
    }
    draw();
    if (globalThis.ResizeObserver) {
      let before = element.clientWidth;
      new ResizeObserver(() => {
        if (element.clientWidth !== before) { before = element.clientWidth; draw(); }
      }).observe(element);
    }
    addEventListener("resize", draw);
    const named = Array.from(panel.querySelectorAll("input, select")), kindOf = one => (one.matches("select") ? "change" : "input");
    address.follow(element, () => Object.fromEntries([
      ...named.map(one => [one.name, { value: one.value, set: text => {
        if (one.value === text) return;
        one.value = text;
        one.dispatchEvent(new Event(kindOf(one)));
      } }]),
      ["round", { value: state.at, set: text => {
        const at = Math.round(Number(text));
        if (at >= 0 && at <= state.rounds) { state.at = at; draw(); }
      } }],
    ]));
  }

  Object.assign(sim, { mount });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing, globalThis.boundkitAddress);
