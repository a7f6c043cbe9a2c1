// One dimension: the losses above, with the local steps on them; below, the mean round by round downwards.
(function (sim, drawing) {
  "use strict";
  const { clamp, heightOf, subscript, ticks, put, pixels, path } = drawing;
  const { range, sum } = sim.matrices;
  const { random, formatted, besides, mark, labelled, named, merged, framed, core, seeable } = sim.figure;

  function drawLine(svg, result, state, settings, width, em, id) {
    const height = heightOf(width, 0.95, 0.24), [[low, high]] = core(result, settings);
    const { model, seen } = result, t = Math.min(state.at, seen.x.length - 1), plot = framed(svg, width, height, id);
    const top = 0.7 * em, ground = 0.52 * height, foot = ground + 3.8 * em, end = height - 0.6 * em, left = 2.6 * em;
    const to = x => left + (x - low) / (high - low) * (width - left - 0.8 * em);
    const loss = (i, x) => model.H[i][0][0] * (x - model.e[i][0] - model.centre[0]) ** 2 / 2;
    const mean = x => sum(model.p.map((p, i) => p * loss(i, x))), xs = range(121).map(k => low + (high - low) * k / 120);
    const peak = 1.25 * Math.max(mean(low), mean(high)), up = f => ground - (ground - top) * f / peak;
    const row = k => foot + (end - foot) * k / Math.max(seen.x.length - 1, 1);
    const points = named(result, t).map(p => ({ ...p, at: [to(p.x[0]), ground] }));
    points.filter(p => p.kind !== "start").forEach(p => put(plot, "path", { class: `guide ${p.kind}-guide`, d: `M${pixels(p.at[0])} ${ground}V${end}` }));
    model.e.forEach((_, i) => put(plot, "path", { class: `level client client-${i}`, d: path(xs.map(x => [to(x), up(loss(i, x))])) }));
    put(plot, "path", { class: "level mean", d: path(xs.map(x => [to(x), up(mean(x))])) });
    put(plot, "path", { class: "axis", d: `M0 ${ground}H${width}` });
    for (const x of ticks(low, high, Math.floor(width / (6 * em)))) {
      put(plot, "path", { class: "axis", d: `M${pixels(to(x))} ${ground}v${pixels(0.35 * em)}` });
      put(plot, "text", { class: "quiet", x: pixels(to(x)), y: pixels(ground + 1.35 * em), "text-anchor": "middle" }, formatted(x));
    }
    const deviation = seen.covariance.map(c => Math.sqrt(Math.max(c[0][0], 0)));
    if (random(model)) {
      const edge = (sign, k) => [to(seen.x[k][0] + sign * deviation[k]), row(k)], all = range(t + 1);
      put(plot, "path", { class: "scatter", d: path([...all.map(k => edge(1, k)), ...all.reverse().map(k => edge(-1, k))]) + "Z" });
    }
    if (result.sample) put(plot, "path", { class: "sample", d: path(result.sample.x.slice(0, t + 1).map(([x], k) => [to(x), row(k)])) });
    result.beside.forEach((other, which) => put(plot, "path", { class: besides(which), d: path(other.seen.x.map(([x], k) => [to(x), row(k)])) }));
    put(plot, "path", { class: "server ahead", d: path(seen.x.map(([x], k) => [to(x), row(k)])) });
    put(plot, "path", { class: "server", d: path(seen.x.slice(0, t + 1).map(([x], k) => [to(x), row(k)])) });
    for (const { client, points: walk, probability } of seeable(seen.x[t], [[low, high]]) ? sim.inside(model, t, seen.states[t]) : []) {
      const drawn = walk.map(([x]) => [to(x), up(loss(client, x))]), [a, b] = [walk[0][0], walk[walk.length - 1][0]];
      const along = range(25).map(k => a + (b - a) * k / 24).map(x => [to(x), up(loss(client, x))]);
      put(plot, "path", { class: `local client-${client}`, d: path(along), "stroke-opacity": clamp(0.35 + 0.65 * probability, 0, 1).toFixed(2) });
      drawn.slice(1).forEach(([x, y], k) => put(plot, "circle", { class: `local-step client-${client}`, cx: pixels(x), cy: pixels(y), r: pixels((k === drawn.length - 2 ? 0.28 : 0.14) * em) }));
    }
    const here = seen.x[t][0];
    put(plot, "circle", { class: "server-here", cx: pixels(to(here)), cy: pixels(up(mean(here))), r: pixels(0.36 * em) });
    put(plot, "circle", { class: "server-here", cx: pixels(to(here)), cy: pixels(row(t)), r: pixels(0.36 * em) });
    points.filter(p => p.kind !== "start").forEach(p => mark(plot, p.kind, p.at, 0.42 * em));
    // each client's name where its loss is highest inside the frame
    const clientLabels = () => model.e.map(([e], i) => {
      const centre = e + model.centre[0], reach = Math.sqrt(2 * 0.85 * peak / model.H[i][0][0]), room = 0.04 * (high - low);
      const [x] = [-reach, reach].map(r => clamp(centre + r, low + room, high - room)).sort((a, b) => loss(i, b) - loss(i, a));
      return { words: `F${subscript(i + 1)}`, at: [to(x), up(loss(i, x))], kind: `of-client client-${i}` };
    });
    const taken = points.map(p => [p.at[0] - 0.4 * em, ground - 0.4 * em, p.at[0] + 0.4 * em, ground + 0.4 * em]);
    taken.push([to(here) - 0.4 * em, up(mean(here)) - 0.4 * em, to(here) + 0.4 * em, up(mean(here)) + 0.4 * em]);
    labelled(plot, [
      ...merged(points.filter(p => p.kind !== "start"), x => [to(x[0]), ground + 2.4 * em], em).map(l => ({ ...l, below: true })),
      { words: `x${subscript(t)}`, at: [to(here), row(t)], kind: "of-server" },
      ...clientLabels(),
      { words: "F", at: [to(low + 0.03 * (high - low)), up(mean(low + 0.03 * (high - low)))], kind: "of-mean" },
    ], em, [2, 2, width - 2, height - 2], taken);
    put(plot, "text", { class: "quiet", x: pixels(0.3 * em), y: pixels(foot + 0.4 * em) }, "0");
    put(plot, "text", { class: "quiet", x: pixels(0.3 * em), y: pixels(end) }, String(seen.x.length - 1));
    if (end - foot > 6 * em) put(plot, "text", { class: "quiet", transform: `translate(${pixels(1.1 * em)} ${pixels((foot + end) / 2)}) rotate(-90)`, "text-anchor": "middle" }, "round");
  }

  Object.assign(sim.figure, { drawLine });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
