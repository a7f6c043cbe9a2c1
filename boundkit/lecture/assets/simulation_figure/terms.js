// The terms of a bound by cause, at every number of rounds, with what it bounds below.
(function (sim, drawing) {
  "use strict";
  const { clamp, slug, put, pixels, path } = drawing;
  const { sum } = sim.matrices;
  const { percent, claimWords, axes, inner } = sim.figure;

  // stacked areas by cause, linear as a stack must be; lines on a logarithmic height
  function drawBound(svg, plot, result, state, settings, size, id) {
    const { bound } = result, log = state.height === "logarithmic", last = bound.horizon.length, t = clamp(state.at, 1, last);
    const totals = bound.horizon.map((_, k) => sum(bound.terms.map(term => term.values[k]))), end = totals[last - 1];
    const shown = bound.terms.filter(term => Math.max(...term.values) > 0), most = Math.max(...bound.measured);
    const high = log ? 1.6 * Math.max(...totals, most) : Math.max(1.15 * most, Math.min(totals[0], 2.5 * end));
    const small = Math.min(...bound.measured.filter(v => v > 0), ...shown.map(term => Math.min(...term.values.filter(v => v > 0))));
    const low = log ? Math.max(small / 1.6, high * 1e-8) : 0;
    const frame = axes(svg, plot, { ...size, last, low, high, log, title: claimWords(settings) }), area = inner(svg, id, frame);
    const point = (v, k) => [frame.across(bound.horizon[k]), frame.up(v)], outside = bound.inside ? "" : " outside";
    let below = totals.map(() => 0);
    const key = [["measured", "measured"], [`total${outside}`, "bound"]];
    for (const term of shown) {
      const cause = `cause-${slug(term.cause)}`, share = term.values[t - 1] / totals[t - 1];
      if (log) put(area, "path", { class: `term ${cause}${outside}`, d: path(term.values.map(point)) });
      else {
        const above = below.map((v, k) => v + term.values[k]);
        put(area, "path", { class: `area ${cause}${outside}`, d: path([...above.map(point), ...below.map(point).reverse()]) + "Z" });
        const from = frame.up(above[last - 1]), to = frame.up(below[last - 1]);
        if (to - from > 1.4 * size.em) put(area, "text", { class: "halo", x: pixels(frame.right - 0.5 * size.em), y: pixels((from + to) / 2 + 0.35 * size.em), "text-anchor": "end" }, term.label);
        below = above;
      }
      key.push([`${log ? "term" : "area"} ${cause}`, `${term.label} ${percent(share)}`]);
    }
    put(area, "path", { class: `total${outside}`, d: path(totals.map(point)) });
    put(area, "path", { class: "cursor", d: `M${pixels(frame.across(t))} ${pixels(frame.top)}V${pixels(frame.foot)}` });
    put(area, "path", { class: "measured", d: path(bound.measured.map(point)) });
    const [hx, hy] = point(bound.measured[t - 1], t - 1);
    put(plot, "circle", { class: "measured-here", cx: pixels(hx), cy: pixels(hy), r: pixels(0.3 * size.em) });
    return key;
  }

  Object.assign(sim.figure, { drawBound });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
