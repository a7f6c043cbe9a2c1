// Two dimensions: level sets of the losses, and the path of the server's mean.
(function (sim, drawing) {
  "use strict";
  const { clamp, heightOf, subscript, put, pixels, path } = drawing;
  const { besides, mark, labelled, named, merged, framed, core, seeable } = sim.figure;

  function ring(parent, kind, centre, H, level, scale, to) {
    const { values, vectors } = sim.eigen(H);
    if (!(values[values.length - 1] > 1e-9 * values[0])) return;
    const [rx, ry] = values.map(v => Math.sqrt(2 * level / v) * scale), [cx, cy] = to(centre);
    const angle = -Math.atan2(vectors[0][1], vectors[0][0]) * 180 / Math.PI;
    put(parent, "ellipse", { class: kind, rx: pixels(rx), ry: pixels(ry), transform: `translate(${pixels(cx)} ${pixels(cy)}) rotate(${angle.toFixed(3)})` });
  }
  function drawPlane(svg, result, state, settings, width, em, id) {
    const height = heightOf(width, 0.95, 0.24), [[x0, x1], [y0, y1]] = core(result, settings);
    const scale = Math.min(width / (x1 - x0), height / (y1 - y0));
    const to = ([x, y]) => [width / 2 + scale * (x - (x0 + x1) / 2), height / 2 - scale * (y - (y0 + y1) / 2)];
    const { model, seen } = result, t = Math.min(state.at, seen.x.length - 1), plot = framed(svg, width, height, id);
    const corner = Math.max(...[[0, 0], [width, 0], [0, height], [width, height]].map(([a, b]) => {
      const u = [(a - width / 2) / scale + (x0 + x1) / 2 - model.centre[0], (height / 2 - b) / scale + (y0 + y1) / 2 - model.centre[1]];
      return (u[0] * (model.mean[0][0] * u[0] + model.mean[0][1] * u[1]) + u[1] * (model.mean[1][0] * u[0] + model.mean[1][1] * u[1])) / 2;
    }));
    for (let k = 1; k <= 7; k++) ring(plot, "level", model.centre, model.mean, corner * (k / 7) ** 2, scale, to);
    const centres = model.e.map(e => e.map((v, k) => v + model.centre[k])), reach = Math.min(width, height) / scale;
    centres.forEach((e, i) => {
      const values = sim.eigen(model.H[i]).values, middle = Math.sqrt(Math.abs(values[0] * values[1]));
      for (let k = 1; k <= 2; k++) ring(plot, `level client client-${i}`, e, model.H[i], middle * (0.055 * k * reach) ** 2, scale, to);
      put(plot, "circle", { class: `centre client-${i}`, cx: pixels(to(e)[0]), cy: pixels(to(e)[1]), r: pixels(0.22 * em) });
    });
    const cov = seen.covariance[t], spread = sim.eigen(cov);
    if (spread.values[0] > 0) {
      const [cx, cy] = to(seen.x[t]), angle = -Math.atan2(spread.vectors[0][1], spread.vectors[0][0]) * 180 / Math.PI;
      put(plot, "ellipse", {
        class: "scatter", rx: pixels(Math.sqrt(spread.values[0]) * scale), ry: pixels(Math.sqrt(Math.max(spread.values[1], 0)) * scale),
        transform: `translate(${pixels(cx)} ${pixels(cy)}) rotate(${angle.toFixed(3)})`,
      });
    }
    if (result.sample) put(plot, "path", { class: "sample", d: path(result.sample.x.slice(0, t + 1).map(to)) });
    result.beside.forEach((other, k) => put(plot, "path", { class: besides(k), d: path(other.seen.x.map(to)) }));
    put(plot, "path", { class: "server ahead", d: path(seen.x.map(to)) });
    const ends = [];
    for (const { client, points, probability } of seeable(seen.x[t], core(result, settings)) ? sim.inside(model, t, seen.states[t]) : []) {
      const drawn = points.map(to);
      put(plot, "path", { class: `local client-${client}`, d: path(drawn), "stroke-opacity": clamp(0.35 + 0.65 * probability, 0, 1).toFixed(2) });
      ends.push(drawn[drawn.length - 1]);
      drawn.slice(1).forEach(([x, y], k) => put(plot, "circle", { class: `local-step client-${client}`, cx: pixels(x), cy: pixels(y), r: pixels((k === drawn.length - 2 ? 0.26 : 0.13) * em) }));
    }
    put(plot, "path", { class: "server", d: path(seen.x.slice(0, t + 1).map(to)) });
    seen.x.slice(0, t + 1).forEach(x => { const [a, b] = to(x); put(plot, "circle", { class: "server-round", cx: pixels(a), cy: pixels(b), r: pixels(0.16 * em) }); });
    const points = named(result, t), taken = [];
    points.forEach(({ kind, x }) => mark(plot, kind, to(x), 0.42 * em));
    const [sx, sy] = to(seen.x[t]);
    put(plot, "circle", { class: "server-here", cx: pixels(sx), cy: pixels(sy), r: pixels(0.38 * em) });
    const marks = [...points.map(p => to(p.x)), ...centres.map(to), [sx, sy], ...ends];
    marks.forEach(([x, y]) => taken.push([x - 0.45 * em, y - 0.45 * em, x + 0.45 * em, y + 0.45 * em]));
    const labels = merged(points, to, em).concat([{ words: `x${subscript(t)}`, at: [sx, sy], kind: "of-server" }],
      centres.map((e, i) => ({ words: `F${subscript(i + 1)}`, at: to(e), kind: `of-client client-${i}` })));
    labelled(plot, labels, em, [2, 2, width - 2, height - 2], taken);
  }

  Object.assign(sim.figure, { drawPlane });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
