// The quantities of theorems, by keyword, as a run on quadratics has them.
(function (sim) {
  "use strict";
  const { range, zeros, dot, applied, plus, sum, minus, along, largest, eigen } = sim.matrices;
  const { formsOf, expectation, surrogateWeights, optimumOf } = sim;

  const alike = v => Math.max(...v) - Math.min(...v) <= 1e-12 * Math.max(...v.map(Math.abs), 1e-300);

  // the same clients under other weights, centred at the optimum of those
  function reweighted(model, v) {
    const centre = optimumOf(model, v), shift = minus(centre, model.centre);
    return {
      ...model, p: v, centre, e: model.e.map(e => minus(e, shift)), start: along(model.start.slice(0, model.d), shift, -1),
      mean: model.H.reduce((all, h, i) => plus(all, h, v[i]), zeros(model.d, model.d)),
    };
  }
  // The quantities of theorems, by keyword, that a run on quadratics has exactly; of the surrogate where ``surrogate``.
  function constants(model, seen, surrogate) {
    const { m, steps, distributions, eta, etaS, sigma, d, options } = model;
    const meant = surrogate ? reweighted(model, surrogateWeights(model)) : model, { H, e, start, mean, centre } = meant;
    const every = H.flatMap(h => eigen(h).values), forms = formsOf(meant), u = start.slice(0, d);
    const square = v => dot(v, v), pull = x => H.map((h, i) => applied(h, minus(x, e[i])));
    const shared = H.every(h => largest(plus(h, H[0], -1)) <= 1e-14 * Math.max(...H.map(largest)));
    const before = seen.x.slice(0, Math.max(seen.x.length - 1, 1)).map((x, t) =>
      expectation(forms.dissimilarity, minus(x, centre), seen.covariance[t]));
    const sizes = distributions.flatMap(distribution => distribution.map(o => o.participants.length));
    const q = {
      m, T: seen.x.length - 1, eta, eta_s: etaS, sigma,
      L: Math.max(...every.map(Math.abs)),
      gap: Math.max(expectation(forms.loss_gap, u, zeros(d, d)), 0), distance: Math.sqrt(square(u)),
      sigma_g: Math.sqrt(shared ? forms.dissimilarity.c : Math.max(...before, 0)),
      mu_pl: eigen(mean).values[d - 1], p_i: model.p, tau_i: steps[0],
      gradients_start: Math.sqrt(sum(pull(u).map(square)) / m),
    };
    q.beta = 1;
    q.kappa = q.sigma_g;
    if (Math.min(...every) > 0) q.mu = Math.min(...every);
    if (steps.flat().every(v => v === steps[0][0])) q.tau = steps[0][0];
    if (alike(sizes)) q.C = sizes[0] / m;
    if (options.mu > 0) q.mu_prox = options.mu;
    if (model.keeps === "control") {
      q.control_error = q.gradients_start;
      q.control_error_star = Math.sqrt(sum(pull(new Array(d).fill(0)).map(square)) / m);
    }
    return q;
  }

  Object.assign(sim, { alike, constants });
})(globalThis.boundkitSimulation);
