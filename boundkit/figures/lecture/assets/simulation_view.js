// Draws a simulation into a figure: the plane on the left, curves on the right, and what moves them below.
//
// <figure class="simulation" data-simulation='{settings}'></figure> is filled once the page is read; other
// pages call boundkitSimulation.mount(element, settings). The settings are those of simulated.py: title,
// algorithm, run, beside, theorem, show, at, controls. Nothing moves before somebody asks for it.
(function (root) {
  "use strict";
  const sim = root.boundkitSimulation, SVG = "http://www.w3.org/2000/svg";
  const OBSERVABLES = {
    distance_squared: ["E‖x − x*‖²", "squared distance to the optimum"],
    loss_gap: ["E F(x) − F*", "loss above the optimum"],
    gradient_norm_squared: ["E‖∇F(x)‖²", "squared gradient norm"],
  };
  const WHO = {
    full: "everyone", uniform: "C of them, at random", cyclic: "groups in turn", bernoulli: "each by its own chance",
    schedule: "by schedule",
  };
  const AGGREGATIONS = {
    weighted: "weighted mean of those who came", mean: "plain mean of those who came", all: "who is absent counts as 0",
    known: "divided by known chances", unbiased: "p divided by the chance",
  };
  let mounted = 0;

  // ---- small things ---------------------------------------------------------------------------------

  const range = n => Array.from({ length: n }, (_, k) => k);
  const sum = v => v.reduce((a, b) => a + b, 0);
  const norm = v => Math.hypot(...v);
  const minus = (u, v) => u.map((a, k) => a - v[k]);
  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  const slug = words => words.replace(/ /g, "-");
  const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const power = n => [...String(n)].map(c => SUPERSCRIPT[c]).join("");
  function said(v, digits = 3) {
    if (v === 0) return "0";
    if (Math.abs(v) < 1e-13) return "less than 10⁻¹³";
    if (Math.abs(v) >= 1e-3 && Math.abs(v) < 1e5) return String(Number(v.toPrecision(digits))).replace("-", "−");
    const [head, tail] = v.toExponential(digits - 1).split("e");
    return `${String(Number(head)).replace("-", "−")} × 10${power(Number(tail))}`;
  }
  const coordinate = (v, size) => (Math.abs(v) < 1e-12 || Math.abs(v) < 2e-3 * size ? "0" : said(v));
  const place = v => (v.length === 1 ? coordinate(v[0], 0) : `(${v.map(a => coordinate(a, norm(v))).join(", ")})`);
  const besides = k => `beside beside-${k + 1}`;
  const percent = v => (v > 0 && v < 0.005 ? "under 1 %" : `${said(100 * v, 2)} %`);
  const rounds = n => `${n} round${n === 1 ? "" : "s"}`;
  function put(parent, name, attributes = {}, words) {
    const node = parent.namespaceURI === SVG || name === "svg" ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) node.setAttribute(key, value);
    if (words !== undefined) node.textContent = words;
    parent.appendChild(node);
    return node;
  }
  const pixels = v => (Number.isFinite(v) ? clamp(v, -1e5, 1e5) : 1e5).toFixed(2);
  const path = points => points.map(([x, y], k) => `${k ? "L" : "M"}${pixels(x)} ${pixels(y)}`).join("");
  const still = () => root.matchMedia && root.matchMedia("(prefers-reduced-motion: reduce)").matches;

  // ---- what is asked, and what comes of it ----------------------------------------------------------

  function begun(settings) {
    const run = settings.run, who = run.schedule ? { kind: "schedule" } : run.participation || { kind: "full" };
    const m = run.problem.e.length, bound = boundOf(settings);
    const probabilities = who.probabilities === undefined ? 0.5 : who.probabilities;
    return {
      algorithm: settings.algorithm, eta: run.eta, steps: Array.isArray(run.local_steps) ? [...run.local_steps] : run.local_steps,
      sigma: run.noise || 0, spread: 1, rounds: run.rounds, kind: who.kind,
      count: who.kind === "uniform" ? Math.round(who.C * m) : Math.max(1, Math.floor(m / 2)),
      groups: who.groups || (m % 3 === 0 && m > 3 ? 3 : m % 2 === 0 ? 2 : m),
      probabilities: Array.isArray(probabilities) ? [...probabilities] : range(m).map(() => probabilities),
      aggregation: (run.options || {}).aggregation || "weighted", mu: (run.options || {}).mu || 1, seed: 1,
      at: Math.min(settings.at === undefined ? run.rounds : settings.at, run.rounds),
      show: settings.show === "bound" && !bound ? "distance_squared" : settings.show || (bound ? "bound" : "distance_squared"),
      height: null,
    };
  }
  const boundOf = settings => (settings.theorem && root.boundkit && root.boundkit[settings.theorem.name]) || null;
  const aggregates = algorithm => sim.ALGORITHMS[algorithm].options.includes("aggregation");

  // the RUN.json of what is asked; clients are moved towards and away from the optimum, which stays
  function runOf(settings, state, algorithm) {
    const run = { ...settings.run, problem: { ...settings.run.problem } }, given = run.problem.e, m = given.length;
    delete run.schedule;
    delete run.participation;
    if (state.kind === "schedule") run.schedule = settings.run.schedule;
    if (state.kind === "uniform") run.participation = { kind: "uniform", C: state.count / m };
    if (state.kind === "cyclic") run.participation = { kind: "cyclic", groups: state.groups };
    if (state.kind === "bernoulli") run.participation = { kind: "bernoulli", probabilities: state.probabilities };
    run.options = {};
    if (aggregates(algorithm) && state.aggregation !== "weighted" && state.kind !== "full") {
      run.options.aggregation = state.aggregation;
      if (state.aggregation === "known") run.options.probabilities = chances(state, m);
    }
    if (algorithm === "fedprox") run.options.mu = state.mu;
    run.local_steps = algorithm === "minibatch_sgd" ? 1 : state.steps;
    if (state.spread !== 1) {
      const centre = sim.prepare("minibatch_sgd", { ...settings.run, local_steps: 1, options: {} }).centre;
      run.problem.e = given.map(e => e.map((v, k) => centre[k] + state.spread * (v - centre[k])));
    }
    return { ...run, eta: state.eta, noise: state.sigma, rounds: state.rounds };
  }
  const chances = (state, m) => (state.kind === "bernoulli" ? state.probabilities.map(q => Math.max(q, 0.01)) : range(m).map(() => state.count / m));

  function asked(settings, state) {
    const of = algorithm => {
      const model = sim.prepare(algorithm, runOf(settings, state, algorithm));
      return { algorithm, model, seen: sim.trajectory(model), limit: sim.limit(model) };
    };
    const own = of(state.algorithm), statement = boundOf(settings), v = sim.surrogateWeights(own.model);
    const beside = (settings.beside || []).concat(settings.algorithm).filter((name, k, all) =>
      settings.beside && name !== state.algorithm && all.indexOf(name) === k);
    return {
      ...own, beside: beside.map(of), surrogate: v && sim.optimumOf(own.model, v),
      sample: random(own.model) ? sim.sample(own.model, state.seed) : null,
      floor: random(own.model) ? sim.stationary(own.model) : null,
      bound: statement ? sim.bound(own.model, own.seen, settings.theorem, statement) : null,
    };
  }
  const random = model => model.sigma > 0 || model.laws.some(law => law.length > 1);

  // ---- words ----------------------------------------------------------------------------------------

  function summary(found, at) {
    const { model, seen, limit, surrogate } = found, last = seen.x.length - 1, t = Math.min(at, last);
    const away = x => said(norm(minus(x, model.centre)));
    const words = [`After ${rounds(t)} the mean is ${away(seen.x[t])} from x*, at ${place(seen.x[t])}`];
    const spread = Math.sqrt(Math.max(sum(seen.covariance[t].map((row, k) => row[k])), 0));
    if (random(model)) words[0] += `; the iterate scatters about it by ${said(spread)}`;
    words[0] += ".";
    if (seen.outcome === "diverged") words.push(`The run diverges: round ${seen.divergedAt} is not finite.`);
    if (limit && !limit.stable) words.push(`At this step size the mean does not settle: it grows by a factor ${said(limit.spectralRadius)} a ${model.period > 1 ? "period" : "round"}.`);
    else if (limit && limit.isPoint) words.push(norm(minus(limit.points[0], model.centre)) < 1e-9 ? "It settles at x*." : `It settles ${away(limit.points[0])} from x*, at ${place(limit.points[0])}.`);
    else if (limit) words.push(`It settles on a cycle of ${limit.points.length} points, up to ${said(Math.max(...limit.points.map(x => norm(minus(x, model.centre)))))} from x*.`);
    if (surrogate && norm(minus(surrogate, model.centre)) > 1e-9) words.push(`Small steps would lead to the surrogate optimum, ${away(surrogate)} from x*.`);
    return words.join(" ");
  }
  function boundWords(found, state) {
    const { bound } = found;
    if (!bound) return "";
    if (!bound.applies) return bound.why;
    const k = clamp(state.at, 1, bound.horizon.length) - 1, total = sum(bound.terms.map(term => term.values[k]));
    const share = bound.measured[k] / total;
    const words = [`After ${rounds(k + 1)} the bound is ${said(total)}, and what it bounds is ${said(bound.measured[k])}: ${share > 1 ? said(share) + " times as much" : said(100 * share, 2) + " % of it"}.`];
    if (!bound.inside) words.push(`This step is outside the theorem's condition, so that it claims nothing here${bound.largestEta ? `; the largest η is ${said(bound.largestEta)}` : ""}.`);
    return words.join(" ");
  }

  // ---- the plane ------------------------------------------------------------------------------------

  const SYMBOLS = {
    optimum: r => `M0 ${-1.5 * r}L${0.4 * r} ${-0.45 * r}L${1.45 * r} ${-0.45 * r}L${0.6 * r} ${0.25 * r}L${0.9 * r} ${1.3 * r}L0 ${0.65 * r}L${-0.9 * r} ${1.3 * r}L${-0.6 * r} ${0.25 * r}L${-1.45 * r} ${-0.45 * r}L${-0.4 * r} ${-0.45 * r}Z`,
    surrogate: r => `M0 ${-1.35 * r}L${1.1 * r} 0L0 ${1.35 * r}L${-1.1 * r} 0Z`,
    fixed: r => `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`,
    start: r => `M${-r * 0.8} ${-r * 0.8}H${r * 0.8}V${r * 0.8}H${-r * 0.8}Z`,
  };
  function mark(parent, kind, [x, y], size) {
    put(parent, "path", { class: kind, d: SYMBOLS[kind](size), transform: `translate(${pixels(x)} ${pixels(y)})` });
  }
  // labels beside points, each at the first of eight places where nothing stands yet
  function labelled(parent, labels, em, box, taken) {
    for (const { words, at: [x, y], kind, below } of labels) {
      const w = 0.56 * em * words.length, h = em, gap = 0.75 * em;
      const places = below ? [[-w / 2, 0], [-w - 0.1 * em, 0], [0.1 * em, 0], [-w - 0.6 * em, 0], [0.6 * em, 0]] : [[gap, 0], [-gap - w, 0], [-w / 2, -1.3 * em], [-w / 2, 1.3 * em], [gap, -em], [gap, em], [-gap - w, -em], [-gap - w, em]];
      const fits = ([dx, dy]) => {
        const b = [x + dx, y + dy - h / 2, x + dx + w, y + dy + h / 2], room = below ? 0.4 * em : 0;
        return b[0] > box[0] && b[1] > box[1] && b[2] < box[2] && b[3] < box[3] &&
          taken.every(o => b[2] + room < o[0] || b[0] - room > o[2] || b[3] < o[1] || b[1] > o[3]) && b;
      };
      const chosen = places.find(fits);
      if (!chosen) continue;
      taken.push(fits(chosen));
      put(parent, "text", { class: `halo ${kind || ""}`, x: pixels(x + chosen[0]), y: pixels(y + chosen[1] + 0.35 * em) }, words);
    }
  }
  function ring(parent, kind, centre, H, level, scale, to) {
    const { values, vectors } = sim.eigen(H);
    if (!(values[values.length - 1] > 1e-9 * values[0])) return;
    const [rx, ry] = values.map(v => Math.sqrt(2 * level / v) * scale), [cx, cy] = to(centre);
    const angle = -Math.atan2(vectors[0][1], vectors[0][0]) * 180 / Math.PI;
    put(parent, "ellipse", { class: kind, rx: pixels(rx), ry: pixels(ry), transform: `translate(${pixels(cx)} ${pixels(cy)}) rotate(${angle.toFixed(3)})` });
  }
  function core(found, settings) {
    const { model, surrogate } = found;
    const points = [settings.run.x0, model.centre, ...model.e.map(e => e.map((v, k) => v + model.centre[k]))];
    if (surrogate) points.push(surrogate);
    return range(model.d).map(k => {
      const v = points.map(x => x[k]), low = Math.min(...v), high = Math.max(...v), room = 0.1 * (high - low || 1);
      return [low - room, high + room];
    });
  }
  // whether a point is near enough to what is drawn for its local steps to be drawn
  const seeable = (x, ends) => x.every((v, k) => Math.abs(v - (ends[k][0] + ends[k][1]) / 2) < 2 * (ends[k][1] - ends[k][0]));
  function named(found, t) {
    const { model, seen, limit, surrogate } = found;
    const points = [{ kind: "optimum", words: "x*", x: model.centre }];
    if (surrogate && norm(minus(surrogate, model.centre)) > 1e-9) points.push({ kind: "surrogate", words: "x̃", x: surrogate });
    if (limit && limit.stable) limit.points.forEach((x, k) => points.push({ kind: "fixed", words: k ? "" : "x∞", x }));
    if (t > 0) points.push({ kind: "start", words: "x₀", x: seen.x[0] });
    return points;
  }
  function drawPlane(svg, found, state, settings, width, em, id) {
    const height = Math.round(clamp(0.78 * width, 17 * em, 36 * em)), [[x0, x1], [y0, y1]] = core(found, settings);
    const scale = Math.min(width / (x1 - x0), height / (y1 - y0));
    const to = ([x, y]) => [width / 2 + scale * (x - (x0 + x1) / 2), height / 2 - scale * (y - (y0 + y1) / 2)];
    const { model, seen } = found, t = Math.min(state.at, seen.x.length - 1), plot = framed(svg, width, height, id);
    const corner = Math.max(...[[0, 0], [width, 0], [0, height], [width, height]].map(([a, b]) => {
      const u = [(a - width / 2) / scale + (x0 + x1) / 2 - model.centre[0], (height / 2 - b) / scale + (y0 + y1) / 2 - model.centre[1]];
      return (u[0] * (model.mean[0][0] * u[0] + model.mean[0][1] * u[1]) + u[1] * (model.mean[1][0] * u[0] + model.mean[1][1] * u[1])) / 2;
    }));
    for (let k = 1; k <= 7; k++) ring(plot, "level", model.centre, model.mean, corner * (k / 7) ** 2, scale, to);
    const centres = model.e.map(e => e.map((v, k) => v + model.centre[k])), reach = Math.min(width, height) / scale;
    centres.forEach((e, i) => {
      const values = sim.eigen(model.H[i]).values, middle = Math.sqrt(Math.abs(values[0] * values[1]));
      for (let k = 1; k <= 2; k++) ring(plot, "level client", e, model.H[i], middle * (0.055 * k * reach) ** 2, scale, to);
      put(plot, "circle", { class: "centre", cx: pixels(to(e)[0]), cy: pixels(to(e)[1]), r: pixels(0.22 * em) });
    });
    const cov = seen.covariance[t], spread = sim.eigen(cov);
    if (spread.values[0] > 0) {
      const [cx, cy] = to(seen.x[t]), angle = -Math.atan2(spread.vectors[0][1], spread.vectors[0][0]) * 180 / Math.PI;
      put(plot, "ellipse", {
        class: "scatter", rx: pixels(Math.sqrt(spread.values[0]) * scale), ry: pixels(Math.sqrt(Math.max(spread.values[1], 0)) * scale),
        transform: `translate(${pixels(cx)} ${pixels(cy)}) rotate(${angle.toFixed(3)})`,
      });
    }
    if (found.sample) put(plot, "path", { class: "sample", d: path(found.sample.x.slice(0, t + 1).map(to)) });
    found.beside.forEach((other, k) => put(plot, "path", { class: besides(k), d: path(other.seen.x.map(to)) }));
    put(plot, "path", { class: "server ahead", d: path(seen.x.map(to)) });
    const ends = [];
    for (const { points, chance } of seeable(seen.x[t], core(found, settings)) ? sim.inside(model, t, seen.states[t]) : []) {
      const drawn = points.map(to);
      put(plot, "path", { class: "local", d: path(drawn), "stroke-opacity": clamp(0.35 + 0.65 * chance, 0, 1).toFixed(2) });
      ends.push(drawn[drawn.length - 1]);
      drawn.slice(1).forEach(([x, y], k) => put(plot, "circle", { class: "local-step", cx: pixels(x), cy: pixels(y), r: pixels((k === drawn.length - 2 ? 0.26 : 0.13) * em) }));
    }
    put(plot, "path", { class: "server", d: path(seen.x.slice(0, t + 1).map(to)) });
    seen.x.slice(0, t + 1).forEach(x => { const [a, b] = to(x); put(plot, "circle", { class: "server-round", cx: pixels(a), cy: pixels(b), r: pixels(0.16 * em) }); });
    const points = named(found, t), taken = [];
    points.forEach(({ kind, x }) => mark(plot, kind, to(x), 0.42 * em));
    const [sx, sy] = to(seen.x[t]);
    put(plot, "circle", { class: "server-here", cx: pixels(sx), cy: pixels(sy), r: pixels(0.38 * em) });
    const marks = [...points.map(p => to(p.x)), ...centres.map(to), [sx, sy], ...ends];
    marks.forEach(([x, y]) => taken.push([x - 0.45 * em, y - 0.45 * em, x + 0.45 * em, y + 0.45 * em]));
    const labels = merged(points, to, em).concat([{ words: `x${subscript(t)}`, at: [sx, sy], kind: "of-server" }],
      centres.map((e, i) => ({ words: `e${subscript(i + 1)}`, at: to(e), kind: "of-client" })));
    labelled(plot, labels, em, [2, 2, width - 2, height - 2], taken);
    return height;
  }
  const SUBSCRIPT = "₀₁₂₃₄₅₆₇₈₉", subscript = n => [...String(n)].map(c => SUBSCRIPT[c]).join("");
  // the names of points that fall together become one
  function merged(points, to, em) {
    const labels = [];
    for (const { words, x, kind } of points.filter(p => p.words)) {
      const at = to(x), near = labels.find(l => Math.hypot(l.at[0] - at[0], l.at[1] - at[1]) < 0.5 * em);
      if (near) near.words += (norm(minus(near.x, x)) < 1e-9 * Math.max(1, norm(x)) ? " = " : ", ") + words;
      else labels.push({ words, at, x, kind: `of-${kind}` });
    }
    return labels;
  }
  function framed(svg, width, height, id) {
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const clip = put(put(svg, "defs"), "clipPath", { id: `${id}-clip` });
    put(clip, "rect", { width, height, rx: 4 });
    return put(svg, "g", { "clip-path": `url(#${id}-clip)` });
  }

  // on the line: the losses above, with the local steps on them; below, the iterate round by round downwards
  function drawLine(svg, found, state, settings, width, em, id) {
    const height = Math.round(clamp(0.78 * width, 19 * em, 36 * em)), [[low, high]] = core(found, settings);
    const { model, seen } = found, t = Math.min(state.at, seen.x.length - 1), plot = framed(svg, width, height, id);
    const top = 0.7 * em, ground = 0.52 * height, foot = ground + 3.8 * em, end = height - 0.6 * em, left = 2.6 * em;
    const to = x => left + (x - low) / (high - low) * (width - left - 0.8 * em);
    const loss = (i, x) => model.H[i][0][0] * (x - model.e[i][0] - model.centre[0]) ** 2 / 2;
    const mean = x => sum(model.p.map((p, i) => p * loss(i, x))), xs = range(121).map(k => low + (high - low) * k / 120);
    const peak = 1.25 * Math.max(mean(low), mean(high)), up = f => ground - (ground - top) * f / peak;
    const row = k => foot + (end - foot) * k / Math.max(seen.x.length - 1, 1);
    const points = named(found, t).map(p => ({ ...p, at: [to(p.x[0]), ground] }));
    points.filter(p => p.kind !== "start").forEach(p => put(plot, "path", { class: `guide ${p.kind}-guide`, d: `M${pixels(p.at[0])} ${ground}V${end}` }));
    model.e.forEach((_, i) => put(plot, "path", { class: "level client", d: path(xs.map(x => [to(x), up(loss(i, x))])) }));
    put(plot, "path", { class: "level mean", d: path(xs.map(x => [to(x), up(mean(x))])) });
    put(plot, "path", { class: "axis", d: `M0 ${ground}H${width}` });
    for (const x of ticks(low, high, Math.floor(width / (6 * em)))) {
      put(plot, "path", { class: "axis", d: `M${pixels(to(x))} ${ground}v${pixels(0.35 * em)}` });
      put(plot, "text", { class: "quiet", x: pixels(to(x)), y: pixels(ground + 1.35 * em), "text-anchor": "middle" }, said(x));
    }
    const deviation = seen.covariance.map(c => Math.sqrt(Math.max(c[0][0], 0)));
    if (random(model)) {
      const edge = (sign, k) => [to(seen.x[k][0] + sign * deviation[k]), row(k)], all = range(t + 1);
      put(plot, "path", { class: "scatter", d: path([...all.map(k => edge(1, k)), ...all.reverse().map(k => edge(-1, k))]) + "Z" });
    }
    if (found.sample) put(plot, "path", { class: "sample", d: path(found.sample.x.slice(0, t + 1).map(([x], k) => [to(x), row(k)])) });
    found.beside.forEach((other, which) => put(plot, "path", { class: besides(which), d: path(other.seen.x.map(([x], k) => [to(x), row(k)])) }));
    put(plot, "path", { class: "server ahead", d: path(seen.x.map(([x], k) => [to(x), row(k)])) });
    put(plot, "path", { class: "server", d: path(seen.x.slice(0, t + 1).map(([x], k) => [to(x), row(k)])) });
    for (const { client, points: walk, chance } of seeable(seen.x[t], [[low, high]]) ? sim.inside(model, t, seen.states[t]) : []) {
      const drawn = walk.map(([x]) => [to(x), up(loss(client, x))]), [a, b] = [walk[0][0], walk[walk.length - 1][0]];
      const along = range(25).map(k => a + (b - a) * k / 24).map(x => [to(x), up(loss(client, x))]);
      put(plot, "path", { class: "local", d: path(along), "stroke-opacity": clamp(0.35 + 0.65 * chance, 0, 1).toFixed(2) });
      drawn.slice(1).forEach(([x, y], k) => put(plot, "circle", { class: "local-step", cx: pixels(x), cy: pixels(y), r: pixels((k === drawn.length - 2 ? 0.28 : 0.14) * em) }));
    }
    const here = seen.x[t][0];
    put(plot, "circle", { class: "server-here", cx: pixels(to(here)), cy: pixels(up(mean(here))), r: pixels(0.36 * em) });
    put(plot, "circle", { class: "server-here", cx: pixels(to(here)), cy: pixels(row(t)), r: pixels(0.36 * em) });
    points.filter(p => p.kind !== "start").forEach(p => mark(plot, p.kind, p.at, 0.42 * em));
    const taken = points.map(p => [p.at[0] - 0.4 * em, ground - 0.4 * em, p.at[0] + 0.4 * em, ground + 0.4 * em]);
    taken.push([to(here) - 0.4 * em, up(mean(here)) - 0.4 * em, to(here) + 0.4 * em, up(mean(here)) + 0.4 * em]);
    labelled(plot, [
      ...merged(points.filter(p => p.kind !== "start"), x => [to(x[0]), ground + 2.4 * em], em).map(l => ({ ...l, below: true })),
      { words: `x${subscript(t)}`, at: [to(here), row(t)], kind: "of-server" },
      { words: "F", at: [to(low + 0.03 * (high - low)), up(mean(low + 0.03 * (high - low)))], kind: "of-mean" },
    ], em, [2, 2, width - 2, height - 2], taken);
    put(plot, "text", { class: "quiet", x: pixels(0.3 * em), y: pixels(foot + 0.4 * em) }, "0");
    put(plot, "text", { class: "quiet", x: pixels(0.3 * em), y: pixels(end) }, String(seen.x.length - 1));
    put(plot, "text", { class: "quiet", transform: `translate(${pixels(1.1 * em)} ${pixels((foot + end) / 2)}) rotate(-90)`, "text-anchor": "middle" }, "round");
    return height;
  }

  // ---- the curves -----------------------------------------------------------------------------------

  function ticks(low, high, count) {
    const rough = (high - low) / Math.max(count, 1), unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(v => v * unit).find(v => v >= rough * 0.999);
    const out = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(Number((k * step).toPrecision(12)));
    return out;
  }
  function logTicks(low, high, count) {
    const a = Math.ceil(Math.log10(low) - 1e-9), b = Math.floor(Math.log10(high) + 1e-9), every = Math.max(1, Math.ceil((b - a) / count));
    if (b - a < 1) return ticks(low, high, count).filter(v => v > 0);
    return range(b - a + 1).filter(k => k % every === 0).map(k => 10 ** (a + k));
  }
  const tickWords = v => {
    const n = Math.log10(Math.abs(v));
    return Math.abs(n - Math.round(n)) < 1e-9 && (v < 1e-3 || v > 1e4) ? `10${power(Math.round(n))}` : said(v);
  };
  function axes(svg, plot, { width, height, last, low, high, log, title, em }) {
    const left = 4.2 * em, right = width - 0.9 * em, top = 2 * em, foot = height - 2.9 * em;
    const across = t => left + (right - left) * t / last;
    const part = log ? v => (Math.log10(Math.max(v, low)) - Math.log10(low)) / (Math.log10(high) - Math.log10(low)) : v => (v - low) / (high - low);
    const up = v => foot - (foot - top) * clamp(part(v), -0.05, 1.3);
    for (const v of (log ? logTicks : ticks)(low, high, Math.floor((foot - top) / (2.6 * em)))) {
      put(plot, "path", { class: "grid", d: `M${pixels(left)} ${pixels(up(v))}H${pixels(right)}` });
      put(plot, "text", { class: "quiet", x: pixels(left - 0.5 * em), y: pixels(up(v) + 0.35 * em), "text-anchor": "end" }, tickWords(v));
    }
    for (const t of ticks(0, last, Math.min(8, Math.floor((right - left) / (4 * em)))).filter(Number.isInteger))
      put(plot, "text", { class: "quiet", x: pixels(across(t)), y: pixels(foot + 1.3 * em), "text-anchor": "middle" }, String(t));
    put(plot, "text", { class: "quiet", x: pixels((left + right) / 2), y: pixels(height - 0.4 * em), "text-anchor": "middle" }, "round");
    put(plot, "text", { x: pixels(0.2 * em), y: pixels(em) }, title);
    put(plot, "path", { class: "axis", d: `M${pixels(left)} ${pixels(top)}V${pixels(foot)}H${pixels(right)}` });
    return { left, right, top, foot, across, up };
  }
  function inner(svg, id, { left, right, top, foot }) {
    const clip = put(put(svg, "defs"), "clipPath", { id: `${id}-inner` });
    put(clip, "rect", { x: left, y: top, width: right - left, height: foot - top });
    return put(svg, "g", { "clip-path": `url(#${id}-inner)` });
  }
  function drawChart(svg, found, state, settings, width, em, id) {
    const height = Math.round(clamp(0.78 * width, 17 * em, 36 * em)), plot = framed(svg, width, height, id);
    const key = state.show === "bound" && found.bound && found.bound.applies
      ? drawBound(svg, plot, found, state, settings, { width, height, em }, id)
      : drawObservable(svg, plot, found, state, settings, { width, height, em }, id);
    return { height, key };
  }
  function drawObservable(svg, plot, found, state, settings, size, id) {
    const name = curveOf(state, settings), log = state.height !== "linear", { model, seen } = found;
    const t = Math.min(state.at, seen.x.length - 1), series = seen.observed[name];
    const chance = found.sample ? found.sample.x.slice(0, seen.x.length).map(x => sim.observed(model, x)[name]) : null;
    const floor = found.floor ? found.floor.observed[name] : 0, others = found.beside.map(o => o.seen.observed[name]);
    const all = [series, ...others].flat().filter(v => Number.isFinite(v) && v > 0), start = series[0] || Math.max(...all, 1);
    const high = Math.min(Math.max(...all, 1e-300), 1e3 * start) * (log ? 1.6 : 1.06), expected = Math.min(...all, ...(floor > 0 ? [floor] : []));
    const least = chance && expected > 0 ? Math.min(expected, Math.max(expected / 30, Math.min(...chance.filter(v => v > 0)))) : expected;
    const low = log ? Math.min(Math.max(least / 1.6, high * 1e-10), high / 10) : 0;
    const frame = axes(svg, plot, { ...size, last: Math.max(model.rounds, 1), low, high, log, title: OBSERVABLES[name][0] });
    const area = inner(svg, id, frame), line = (kind, values) => put(area, "path", { class: kind, d: path(values.map((v, k) => [frame.across(k), frame.up(v)])) });
    put(area, "path", { class: "cursor", d: `M${pixels(frame.across(t))} ${pixels(frame.top)}V${pixels(frame.foot)}` });
    const key = [["measured", OBSERVABLES[name][1] + (random(model) ? ", expected" : "")]];
    if (floor > high * 1e-14 && floor >= low) {
      put(area, "path", { class: "floor", d: `M${pixels(frame.left)} ${pixels(frame.up(floor))}H${pixels(frame.right)}` });
      key.push(["floor", `its limit, ${said(floor)}`]);
    }
    if (chance) { line("sample", chance.slice(0, t + 1)); key.push(["sample", "one sample"]); }
    others.forEach((values, k) => { line(besides(k), values); key.push([besides(k), sim.ALGORITHMS[found.beside[k].algorithm].label]); });
    line("measured ahead", series);
    line("measured", series.slice(0, t + 1));
    if (series[t] >= low && series[t] <= high)
      put(plot, "circle", { class: "measured-here", cx: pixels(frame.across(t)), cy: pixels(frame.up(series[t])), r: pixels(0.3 * size.em) });
    if (others.length) nameEnds(area, frame, [[model.algorithm, series], ...others.map((values, k) => [found.beside[k].algorithm, values])], size.em);
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
  // the observable that is drawn: where a bound does not apply, what it would have bounded
  const curveOf = (state, settings) =>
    [state.show, settings.theorem && settings.theorem.observable].find(name => OBSERVABLES[name]) || "distance_squared";

  // stacked areas by cause, linear as a stack must be; lines on a logarithmic height
  function drawBound(svg, plot, found, state, settings, size, id) {
    const { bound } = found, log = state.height === "logarithmic", last = bound.horizon.length, t = clamp(state.at, 1, last);
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
  const claimWords = settings => {
    const name = (OBSERVABLES[settings.theorem.observable] || [settings.theorem.observable])[0];
    return settings.theorem.summary === "average" ? `${name}, mean over the rounds so far` : name;
  };

  // ---- keys -----------------------------------------------------------------------------------------

  function swatch(parent, kind) {
    const svg = put(parent, "svg", { class: "simulation-swatch", viewBox: "-10 -7 20 14", "aria-hidden": "true", focusable: "false" });
    if (SYMBOLS[kind]) mark(svg, kind, [0, 0], 4.5);
    else if (kind === "scatter") put(svg, "ellipse", { class: kind, rx: 9, ry: 5 });
    else if (kind.startsWith("area")) put(svg, "rect", { class: kind, x: -9, y: -6, width: 18, height: 12 });
    else put(svg, "path", { class: kind, d: "M-10 0H10" });
  }
  function drawKey(list, entries) {
    list.replaceChildren();
    for (const [kind, words] of entries) {
      const item = put(list, "li");
      swatch(item, kind);
      put(item, "span", {}, words);
    }
  }
  function planeKey(found) {
    const { model, limit } = found, kinds = named(found, 1).map(p => p.kind);
    const key = [["server", "the server's mean x"], ["local", "local steps of the next round"], ["optimum", "optimum x*"]];
    if (kinds.includes("surrogate")) key.push(["surrogate", "surrogate optimum x̃"]);
    if (kinds.includes("fixed")) key.push(["fixed", limit.isPoint ? "fixed point x∞" : "cycle of the mean"]);
    if (random(model)) key.push(["scatter", "one standard deviation"], ["sample", "one sample"]);
    found.beside.forEach((o, k) => key.push([besides(k), sim.ALGORITHMS[o.algorithm].label]));
    return key;
  }

  // ---- the figure -----------------------------------------------------------------------------------

  function mount(element, settings) {
    const id = `simulation-${++mounted}`, state = begun(settings), m = settings.run.problem.e.length;
    const old = element.querySelector("figcaption"), statement = boundOf(settings);
    element.replaceChildren();
    element.classList.add("simulation");
    if (old) element.appendChild(old);
    else put(element, "figcaption", {}, settings.title);
    const pictures = put(element, "div", { class: "simulation-pictures" });
    const panels = ["plane", "chart"].map(kind => {
      const panel = put(pictures, "div", { class: `simulation-${kind}` });
      return { svg: put(panel, "svg", { role: "img", "aria-label": "" }), key: put(panel, "ul", { class: "simulation-key" }) };
    });
    const says = put(element, "p", { class: "simulation-says" }), claims = put(element, "p", { class: "simulation-claims" });
    const heard = put(element, "p", { class: "simulation-heard", "aria-live": "polite", role: "status" });
    const buttons = put(element, "div", { class: "simulation-buttons" }), choices = put(element, "div", { class: "simulation-choices" });
    const sliders = put(element, "div", { class: "simulation-sliders" });
    let found = null, timer = null, waiting = false, telling = null;

    const press = (words, act) => { const b = put(buttons, "button", { type: "button" }, words); b.addEventListener("click", act); return b; };
    const step = () => { if (state.at >= state.rounds) state.at = 0; else state.at += 1; };
    const stop = () => { clearTimeout(timer); timer = null; play.textContent = "Play"; tell(); };
    const beat = () => {
      const slow = still(), each = slow ? Math.ceil(state.rounds / 12) : Math.ceil(state.rounds / 240);
      state.at = Math.min(state.at + each, state.rounds);
      draw();
      if (state.at >= state.rounds) stop();
      else timer = setTimeout(beat, slow ? 1200 : clamp(16000 / state.rounds, 60, 450));
    };
    press("One round", () => { if (timer) stop(); step(); draw(); tell(); });
    const play = press("Play", () => {
      if (timer) { stop(); return; }
      if (state.at >= state.rounds) state.at = 0;
      play.textContent = "Pause";
      draw();
      timer = setTimeout(beat, 300);
    });
    press("Start again", () => { if (timer) stop(); state.at = 0; draw(); tell(); });
    const another = press("Draw another sample", () => { state.seed += 1; renew(); tell(); });

    const choose = (name, label, entries, change) => {
      const box = put(choices, "label", { class: "simulation-choice" });
      put(box, "span", {}, label);
      const select = put(box, "select", { name });
      for (const [value, words] of entries) put(select, "option", { value }, words);
      select.addEventListener("change", () => { change(select.value); renew(); tell(); });
      return { box, select };
    };
    const algorithm = choose("algorithm", "Algorithm", Object.entries(sim.ALGORITHMS).map(([k, v]) => [k, v.label]), v => { state.algorithm = v; });
    const kinds = Object.entries(WHO).filter(([k]) => (k === "schedule" ? settings.run.schedule : k !== "cyclic" || m > 1));
    const who = choose("participation", "Who comes", kinds, v => { state.kind = v; if (!aggregationsOf().includes(state.aggregation)) state.aggregation = "weighted"; });
    const aggregation = choose("aggregation", "The server takes the", Object.entries(AGGREGATIONS), v => { state.aggregation = v; });
    const curves = Object.entries(OBSERVABLES).map(([k, [, words]]) => [k, words]);
    const show = choose("show", "Curve", statement ? [...curves, ["bound", `bound of ${settings.theorem.name}`]] : curves, v => { state.show = v; state.height = null; });
    const height = choose("height", "Scale", [["linear", "linear"], ["logarithmic", "logarithmic"]], v => { state.height = v; });
    const aggregationsOf = () => Object.keys(AGGREGATIONS).filter(k =>
      k === "unbiased" ? state.kind === "uniform" || state.kind === "bernoulli" : k === "known" ? state.kind === "bernoulli" : true);

    const ends = (name, low, high) => (settings.controls && settings.controls[name]) || [low, high];
    const slide = (name, label, [low, high], stepSize, read, write, words = said) => {
      const box = put(sliders, "div", { class: "simulation-slider" }), key = `${id}-${name}`;
      put(box, "label", { for: key }, label);
      const output = put(box, "output", { for: key });
      const input = put(box, "input", { type: "range", id: key, name, min: low, max: high, step: stepSize });
      const refresh = () => {
        input.value = read();
        output.textContent = words(read());
        input.setAttribute("aria-valuetext", output.textContent);
      };
      input.addEventListener("input", () => { write(Number(input.value)); renew(); tell(); });
      return { box, refresh };
    };
    const [etaLow, etaHigh] = ends("eta", settings.run.eta / 20, settings.run.eta * 20), etaStep = 10 ** Math.floor(Math.log10(etaHigh / 200));
    const all = [slide("eta", "Step size η", [etaLow, etaHigh], etaStep, () => state.eta, v => { state.eta = v; })];
    const taus = ends("tau", 1, 40);
    const tauBoxes = Array.isArray(state.steps) && !Array.isArray(state.steps[0])
      ? state.steps.map((_, i) => slide(`tau_${i + 1}`, `Local steps τ${subscript(i + 1)}`, taus, 1, () => state.steps[i], v => { state.steps[i] = v; }))
      : Array.isArray(state.steps) ? [] : [slide("tau", "Local steps τ", taus, 1, () => state.steps, v => { state.steps = v; })];
    all.push(...tauBoxes);
    const counts = slide("C", "Clients a round", [1, m], 1, () => state.count, v => { state.count = v; }, v => `${v} of ${m}`);
    const odds = range(m).map(i => slide(`q_${i + 1}`, `Chance of client ${i + 1}`, [0.05, 1], 0.05, () => state.probabilities[i], v => { state.probabilities[i] = v; }));
    const mu = slide("mu", "Proximal pull μ", [0, 5], 0.1, () => state.mu, v => { state.mu = v; });
    const [noiseLow, noiseHigh] = ends("sigma", 0, 4);
    all.push(slide("sigma", "Noise σ", [noiseLow, noiseHigh], noiseHigh / 80, () => state.sigma, v => { state.sigma = v; }));
    all.push(slide("spread", "Clients apart", ends("spread", 0, 2), 0.05, () => state.spread, v => { state.spread = v; }, v => `${said(v)} ×`));
    const [roundsLow, roundsHigh] = ends("rounds", 5, 200);
    all.push(slide("rounds", "Rounds T", [roundsLow, roundsHigh], 1, () => state.rounds, v => {
      if (state.at === state.rounds || state.at > v) state.at = v;
      state.rounds = v;
    }));

    function tell() {
      clearTimeout(telling);
      telling = setTimeout(() => { heard.textContent = says.textContent; }, 500);
    }
    function renew() {
      if (waiting) return;
      waiting = true;
      root.requestAnimationFrame(() => { waiting = false; found = null; draw(); });
    }
    function draw() {
      try {
        found = found || asked(settings, state);
      } catch (error) {
        says.textContent = error.message;
        refresh();
        return;
      }
      refresh();
      const em = 0.82 * parseFloat(root.getComputedStyle(element).fontSize), [plane, chart] = panels;
      const width = panel => Math.max(Math.round(panel.svg.parentNode.clientWidth), 200);
      (found.model.d === 1 ? drawLine : drawPlane)(plane.svg, found, state, settings, width(plane), em, `${id}-plane`);
      const { key } = drawChart(chart.svg, found, state, settings, width(chart), em, `${id}-chart`);
      drawKey(plane.key, planeKey(found));
      drawKey(chart.key, key);
      says.textContent = summary(found, state.at);
      claims.textContent = state.show === "bound" ? boundWords(found, state) : "";
      const where = found.model.d === 1 ? "Losses of the clients on a line, and the server's mean round by round." : "Level sets of the clients' losses, and the path of the server's mean.";
      plane.svg.setAttribute("aria-label", `${where} ${says.textContent}`);
      chart.svg.setAttribute("aria-label", `${chartWords()} ${claims.textContent}`.trim());
      element.setAttribute("data-round", state.at);
    }
    function chartWords() {
      if (state.show === "bound" && found.bound.applies) return "The terms of the bound by cause, their sum, and below it what is measured, at every number of rounds.";
      const name = curveOf(state, settings), series = found.seen.observed[name];
      const t = Math.min(state.at, series.length - 1);
      return `${OBSERVABLES[name][1]}, from ${said(series[0])} at the start to ${said(series[t])} after ${rounds(t)}.`;
    }
    function refresh() {
      algorithm.select.value = state.algorithm;
      who.select.value = state.kind;
      show.select.value = state.show;
      height.select.value = state.height || (state.show === "bound" && found && found.bound && found.bound.applies ? "linear" : "logarithmic");
      aggregation.select.value = state.aggregation;
      aggregation.box.hidden = !aggregates(state.algorithm) || state.kind === "full";
      for (const option of aggregation.select.options) option.hidden = option.disabled = !aggregationsOf().includes(option.value);
      tauBoxes.forEach(({ box }) => { box.hidden = state.algorithm === "minibatch_sgd"; });
      counts.box.hidden = state.kind !== "uniform";
      odds.forEach(({ box }) => { box.hidden = state.kind !== "bernoulli"; });
      mu.box.hidden = state.algorithm !== "fedprox";
      another.hidden = !(found && found.sample);
      [...all, counts, ...odds, mu].forEach(one => one.refresh());
    }
    draw();
    if (root.ResizeObserver) {
      let before = element.clientWidth;
      new root.ResizeObserver(() => {
        if (element.clientWidth !== before) { before = element.clientWidth; draw(); }
      }).observe(element);
    }
  }

  sim.mount = mount;
  const mountAll = () => document.querySelectorAll("figure.simulation[data-simulation]").forEach(element => {
    mount(element, JSON.parse(element.getAttribute("data-simulation")));
  });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
  else mountAll();
})(globalThis);
