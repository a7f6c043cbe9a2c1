// The frame of a figure and its limits.
(function (sim, drawing) {
  "use strict";
  const { put } = drawing;
  const { range } = sim.matrices;

  function framed(svg, width, height, id) {
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const clip = put(put(svg, "defs"), "clipPath", { id: `${id}-clip` });
    put(clip, "rect", { width, height, rx: 4 });
    return put(svg, "g", { "clip-path": `url(#${id}-clip)` });
  }
  function core(result, settings) {
    const { model, surrogate } = result;
    const points = [settings.run.x0, model.centre, ...model.e.map(e => e.map((v, k) => v + model.centre[k]))];
    if (surrogate) points.push(surrogate);
    return range(model.d).map(k => {
      const v = points.map(x => x[k]), low = Math.min(...v), high = Math.max(...v), room = 0.1 * (high - low || 1);
      return [low - room, high + room];
    });
  }
  // whether a point is near enough to what is drawn for its local steps to be drawn
  const seeable = (x, ends) => x.every((v, k) => Math.abs(v - (ends[k][0] + ends[k][1]) / 2) < 2 * (ends[k][1] - ends[k][0]));

  Object.assign(sim.figure, { framed, core, seeable });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
