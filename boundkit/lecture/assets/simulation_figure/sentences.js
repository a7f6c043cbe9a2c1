// Sentences about a simulation.
(function (sim, drawing) {
  "use strict";
  const { clamp, formatNumber } = drawing;
  const { sum, norm, minus } = sim.matrices;
  const { random } = sim.figure;

  const OBSERVABLES = {
    distance_squared: ["E‖x − x*‖²", "squared distance to the optimum"],
    loss_gap: ["E F(x) − F*", "loss above the optimum"],
    gradient_norm_squared: ["E‖∇F(x)‖²", "squared gradient norm"],
  };
  // rounding errors are not shown
  const formatted = (v, digits) => (v !== 0 && Math.abs(v) < 1e-13 ? "less than 10⁻¹³" : formatNumber(v, digits));
  const coordinate = (v, size) => (Math.abs(v) < 1e-12 || Math.abs(v) < 2e-3 * size ? "0" : formatted(v));
  const place = v => (v.length === 1 ? coordinate(v[0], 0) : `(${v.map(a => coordinate(a, norm(v))).join(", ")})`);
  const besides = k => `beside beside-${k + 1}`;
  const percent = v => (v > 0 && v < 0.005 ? "under 1 %" : `${formatted(100 * v, 2)} %`);
  const rounds = n => `${n} round${n === 1 ? "" : "s"}`;

  function summary(result, at) {
    const { model, seen, limit, surrogate } = result, last = seen.x.length - 1, t = Math.min(at, last);
    const away = x => formatted(norm(minus(x, model.centre)));
    const words = [`After ${rounds(t)} the mean is ${away(seen.x[t])} from x*, at ${place(seen.x[t])}`];
    const spread = Math.sqrt(Math.max(sum(seen.covariance[t].map((row, k) => row[k])), 0));
    if (random(model)) words[0] += `; the iterate scatters about it by ${formatted(spread)}`;
    words[0] += ".";
    if (seen.outcome === "diverged") words.push(`The run diverges: round ${seen.divergedAt} is not finite.`);
    if (limit && !limit.stable) words.push(`At this step size the mean does not converge: it grows by a factor ${formatted(limit.spectralRadius)} a ${model.period > 1 ? "period" : "round"}.`);
    else if (limit && limit.isPoint) words.push(norm(minus(limit.points[0], model.centre)) < 1e-9 ? "It converges to x*." : `Its limit is ${away(limit.points[0])} from x*, at ${place(limit.points[0])}.`);
    else if (limit) words.push(`It converges to a cycle of ${limit.points.length} points, up to ${formatted(Math.max(...limit.points.map(x => norm(minus(x, model.centre)))))} from x*.`);
    if (surrogate && norm(minus(surrogate, model.centre)) > 1e-9) words.push(`Small steps would lead to the surrogate optimum, ${away(surrogate)} from x*.`);
    return words.join(" ");
  }
  function boundWords(result, state) {
    const { bound } = result;
    if (!bound) return "";
    if (!bound.applies) return bound.why;
    const k = clamp(state.at, 1, bound.horizon.length) - 1, total = sum(bound.terms.map(term => term.values[k]));
    const share = bound.measured[k] / total;
    const words = [`After ${rounds(k + 1)} the bound is ${formatted(total)}, and the measured value is ${formatted(bound.measured[k])}: ${share > 1 ? formatted(share) + " times as much" : formatted(100 * share, 2) + " % of it"}.`];
    if (!bound.inside) words.push(`This step is outside the theorem's condition, so that the bound does not apply${bound.largestEta ? `; the largest η is ${formatted(bound.largestEta)}` : ""}.`);
    return words.join(" ");
  }
  const claimWords = settings => {
    const name = (OBSERVABLES[settings.theorem.observable] || [settings.theorem.observable])[0];
    return settings.theorem.summary === "average" ? `${name}, mean over the rounds so far` : name;
  };

  // the observable that is drawn: where a bound does not apply, what it would have bounded
  const curveOf = (state, settings) =>
    [state.show, settings.theorem && settings.theorem.observable].find(name => OBSERVABLES[name]) || "distance_squared";
  const planeWords = result => (result.model.d === 1
    ? "Losses of the clients on a line, and the server's mean round by round."
    : "Level sets of the clients' losses, and the path of the server's mean.");
  function chartWords(result, state, settings) {
    if (state.show === "bound" && result.bound.applies)
      return "The terms of the bound by cause, their sum, and below it what is measured, at every number of rounds.";
    const name = curveOf(state, settings), series = result.seen.observed[name], t = Math.min(state.at, series.length - 1);
    return `${OBSERVABLES[name][1]}, from ${formatted(series[0])} at the start to ${formatted(series[t])} after ${rounds(t)}.`;
  }

  Object.assign(sim.figure, { OBSERVABLES, formatted, besides, percent, rounds, summary, boundWords, claimWords, curveOf,
    planeWords, chartWords });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
