// One simulation: the plane on the left, curves on the right, and what moves them below.
(function (sim, drawing) {
  "use strict";
  const { clamp, put } = drawing;
  const {
    initialState, simulate, summary, boundWords, chartWords, planeWords, drawPlane, drawLine, drawObservable, drawBound, framed,
    drawKey, planeKey, choices, sliders, player, press,
  } = sim.figure;
  let mounted = 0;

  // A curve, or the terms of a bound; its key.
  function drawChart(svg, result, state, settings, width, em, id) {
    const height = Math.round(clamp(0.78 * width, 17 * em, 36 * em)), plot = framed(svg, width, height, id);
    const draw = state.show === "bound" && result.bound && result.bound.applies ? drawBound : drawObservable;
    return draw(svg, plot, result, state, settings, { width, height, em }, id);
  }
  function panels(element) {
    const pictures = put(element, "div", { class: "simulation-pictures" });
    return ["plane", "chart"].map(kind => {
      const panel = put(pictures, "div", { class: `simulation-${kind}` });
      return { panel, svg: put(panel, "svg", { role: "img", "aria-label": "" }), key: put(panel, "ul", { class: "simulation-key" }) };
    });
  }

  // <figure class="simulation" data-simulation='{settings}'> is filled; boundkitSimulation.mount does it elsewhere.
  function mount(element, settings) {
    const id = `simulation-${++mounted}`, state = initialState(settings), old = element.querySelector("figcaption");
    element.replaceChildren();
    element.classList.add("simulation");
    if (old) element.appendChild(old);
    else put(element, "figcaption", {}, settings.title);
    const [plane, chart] = panels(element);
    const says = put(element, "p", { class: "simulation-says" }), claims = put(element, "p", { class: "simulation-claims" });
    const heard = put(element, "p", { class: "simulation-heard", "aria-live": "polite", role: "status" });
    const buttons = put(element, "div", { class: "simulation-buttons" });
    let result = null, waiting = false, telling = null;

    const changed = () => { renew(); tell(); };
    player(buttons, state, draw, tell);
    const another = press(buttons, "Draw another sample", () => { state.seed += 1; changed(); });
    const showChoices = choices(put(element, "div", { class: "simulation-choices" }), settings, state, changed);
    const showSliders = sliders(put(element, "div", { class: "simulation-sliders" }), settings, state, id, changed);

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
  }

  Object.assign(sim, { mount });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
