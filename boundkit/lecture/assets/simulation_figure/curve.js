// What is observed, in every round.
(function (sim, drawing) {
  "use strict";
  const { put, pixels, path } = drawing;
  const { random, OBSERVABLES, formatted, besides, curveOf, axes, inner } = sim.figure;

  function drawObservable(svg, plot, result, state, settings, size, id) {
    const name = curveOf(state, settings), log = state.height !== "linear", { model, seen } = result;
    const t = Math.min(state.at, seen.x.length - 1), series = seen.observed[name];
    const sampled = result.sample ? result.sample.x.slice(0, seen.x.length).map(x => sim.observed(model, x)[name]) : null;
    const floor = result.floor ? result.floor.observed[name] : 0, others = result.beside.map(o => o.seen.observed[name]);
    const all = [series, ...others].flat().filter(v => Number.isFinite(v) && v > 0), start = series[0] || Math.max(...all, 1);
    const high = Math.min(Math.max(...all, 1e-300), 1e3 * start) * (log ? 1.6 : 1.06), expected = Math.min(...all, ...(floor > 0 ? [floor] : []));
    const least = sampled && expected > 0 ? Math.min(expected, Math.max(expected / 30, Math.min(...sampled.filter(v => v > 0)))) : expected;
    const low = log ? Math.min(Math.max(least / 1.6, high * 1e-10), high / 10) : 0;
    const frame = axes(svg, plot, { ...size, last: Math.max(model.rounds, 1), low, high, log, title: OBSERVABLES[name][0] });
    const area = inner(svg, id, frame), line = (kind, values) => put(area, "path", { class: kind, d: path(values.map((v, k) => [frame.across(k), frame.up(v)])) });
    put(area, "path", { class: "cursor", d: `M${pixels(frame.across(t))} ${pixels(frame.top)}V${pixels(frame.foot)}` });
    const key = [["measured", OBSERVABLES[name][1] + (random(model) ? ", expected" : "")]];
    if (floor > high * 1e-14 && floor >= low) {
      put(area, "path", { class: "floor", d: `M${pixels(frame.left)} ${pixels(frame.up(floor))}H${pixels(frame.right)}` });
      key.push(["floor", `its limit, ${formatted(floor)}`]);
    }
    if (sampled) { line("sample", sampled.slice(0, t + 1)); key.push(["sample", "one sample"]); }
    others.forEach((values, k) => { line(besides(k), values); key.push([besides(k), sim.ALGORITHMS[result.beside[k].algorithm].label]); });
    line("measured ahead", series);
    line("measured", series.slice(0, t + 1));
    if (series[t] >= low && series[t] <= high)
      put(plot, "circle", { class: "measured-here", cx: pixels(frame.across(t)), cy: pixels(frame.up(series[t])), r: pixels(0.3 * size.em) });
    if (others.length) nameEnds(area, frame, [[model.algorithm, series], ...others.map((values, k) => [result.beside[k].algorithm, values])], size.em);
    return key;
  }
  // the algorithms' names above the ends of their curves, where there is room for each
  function nameEnds(area, frame, curves, em) {
    const taken = [];
    for (const [algorithm, values] of curves) {
      const label = sim.ALGORITHMS[algorithm].label, from = frame.right - em * (0.8 + 0.56 * label.length);
      const under = values.filter((_, k) => k === values.length - 1 || frame.across(k) >= from);
      const y = Math.min(...under.map(frame.up)) - 0.5 * em;
      if (y < frame.top + em || y > frame.foot || taken.some(other => Math.abs(other - y) < 1.2 * em)) continue;
      taken.push(y);
      put(area, "text", { class: "halo", x: pixels(frame.right - 0.4 * em), y: pixels(y), "text-anchor": "end" }, label);
    }
  }

  Object.assign(sim.figure, { drawObservable });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
