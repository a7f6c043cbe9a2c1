// One simulation: the plane on the left, curves on the right, and what moves them below.
(function (sim, drawing) {
  "use strict";
  const { clamp, put } = drawing;
  const {
    begun, asked, summary, boundWords, chartWords, planeWords, drawPlane, drawLine, drawObservable, drawBound, framed,
    drawKey, planeKey, choices, sliders, player, press,
  } = sim.figure;
  let mounted = 0;

  // A curve, or the terms of a bound; its key.
  function drawChart(svg, found, state, settings, width, em, id) {
    const height = Math.round(clamp(0.78 * width, 17 * em, 36 * em)), plot = framed(svg, width, height, id);
    const draw = state.show === "bound" && found.bound && found.bound.applies ? drawBound : drawObservable;
    return draw(svg, plot, found, state, settings, { width, height, em }, id);
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
    const id = `simulation-${++mounted}`, state = begun(settings), old = element.querySelector("figcaption");
    element.replaceChildren();
    element.classList.add("simulation");
    if (old) element.appendChild(old);
    else put(element, "figcaption", {}, settings.title);
    const [plane, chart] = panels(element);
    const says = put(element, "p", { class: "simulation-says" }), claims = put(element, "p", { class: "simulation-claims" });
    const heard = put(element, "p", { class: "simulation-heard", "aria-live": "polite", role: "status" });
    const buttons = put(element, "div", { class: "simulation-buttons" });
    let found = null, waiting = false, telling = null;

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
      requestAnimationFrame(() => { waiting = false; found = null; draw(); });
    }
    function draw() {
      if (!element.isConnected) return;  // it has no size; what watches its size draws it once it is there
      try {
        found = found || asked(settings, state);
      } catch (error) {
        says.textContent = error.message;
        refresh();
        return;
      }
      refresh();
      const em = 0.82 * parseFloat(getComputedStyle(element).fontSize), width = ({ panel }) => Math.max(Math.round(panel.clientWidth), 200);
      (found.model.d === 1 ? drawLine : drawPlane)(plane.svg, found, state, settings, width(plane), em, `${id}-plane`);
      drawKey(chart.key, drawChart(chart.svg, found, state, settings, width(chart), em, `${id}-chart`));
      drawKey(plane.key, planeKey(found));
      says.textContent = summary(found, state.at);
      claims.textContent = state.show === "bound" ? boundWords(found, state) : "";
      plane.svg.setAttribute("aria-label", `${planeWords(found)} ${says.textContent}`);
      chart.svg.setAttribute("aria-label", `${chartWords(found, state, settings)} ${claims.textContent}`.trim());
      element.setAttribute("data-round", state.at);
    }
    function refresh() {
      another.hidden = !(found && found.sample);
      showChoices(found);
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
