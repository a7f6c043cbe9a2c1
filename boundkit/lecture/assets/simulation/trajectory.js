// Observables of a run: losses, gradients and distances in every round, and the paths of clients.
(function (sim) {
  "use strict";
  const { zeros, eye, dot, applied, plus, times, sum, minus, along, finite, product } = sim.matrices;
  const { stepsAt, probabilitiesAt, correction, roundAt, moved } = sim;

  // quadratic forms u'Qu + 2 q'u + c of u = x - x*
  function formsOf(model) {
    const { d, H, p, mean, e } = model, none = new Array(d).fill(0), square = A => product(A, A);
    const pull = H.map((h, i) => applied(h, e[i].map(v => -v)));
    const apart = H.map(h => plus(h, mean, -1));
    const least = sum(pull.map((g, i) => -p[i] * dot(e[i], g))) / 2;
    const over = parts => parts.reduce((all, A, i) => plus(all, A, p[i]), zeros(d, d));
    return {
      loss: { Q: times(mean, 0.5), q: none, c: least },
      loss_gap: { Q: times(mean, 0.5), q: none, c: 0 },
      gradient_norm_squared: { Q: square(mean), q: none, c: 0 },
      distance_squared: { Q: eye(d), q: none, c: 0 },
      dissimilarity: {
        Q: over(apart.map(square)),
        q: apart.reduce((all, A, i) => along(all, applied(A, pull[i]), p[i]), none),
        c: sum(pull.map((g, i) => p[i] * dot(g, g))),
      },
    };
  }
  function expectation({ Q, q, c }, u, cov) {
    let s = dot(u, applied(Q, u)) + 2 * dot(q, u) + c;
    for (let i = 0; i < u.length; i++) s += dot(Q[i], cov[i].slice(0, u.length));
    return s;
  }

  // Observables at one point, deterministic.
  function observed(model, x) {
    const u = minus(x, model.centre), none = zeros(model.d, model.d);
    return Object.fromEntries(Object.entries(formsOf(model)).map(([name, form]) => [name, expectation(form, u, none)]));
  }

  // Every round 0, ..., T, cut before the first that is not finite.
  function trajectory(model) {
    const forms = formsOf(model), names = Object.keys(forms), { d, centre } = model;
    const seen = { x: [], covariance: [], states: [], observed: Object.fromEntries(names.map(n => [n, []])) };
    let state = { mean: model.start, cov: zeros(model.size, model.size) };
    for (let t = 0; t <= model.rounds; t++) {
      const u = state.mean.slice(0, d), x = along(u, centre, 1);
      const values = names.map(name => expectation(forms[name], u, state.cov));
      if (!finite(x) || !finite(values)) return { ...seen, outcome: "diverged", divergedAt: t };
      seen.x.push(x);
      seen.states.push(state.mean);
      seen.covariance.push(state.cov.slice(0, d).map(row => row.slice(0, d)));
      names.forEach((name, k) => seen.observed[name].push(values[k]));
      if (t < model.rounds) state = moved(roundAt(model, t), state);
    }
    return { ...seen, outcome: "done", divergedAt: null };
  }

  // The paths of single clients in round t from a state of the mean, without noise: possible participants, with their probabilities.
  function inside(model, t, state) {
    const { d, eta, H, e, centre, options } = model, tau = stepsAt(model, t), x = state.slice(0, d);
    return probabilitiesAt(model, t).flatMap((probability, client) => {
      if (!(probability > 0)) return [];
      const C = correction(model, client), shift = C ? applied(C, state) : new Array(d).fill(0), points = [x];
      for (let k = 0; k < tau[client]; k++) {
        const y = points[k], g = applied(H[client], minus(y, e[client]));
        points.push(y.map((v, a) => v - eta * (g[a] + shift[a] + options.mu * (v - x[a]))));
      }
      return [{ client, probability, points: points.map(y => along(y, centre, 1)) }];
    });
  }

  Object.assign(sim, { formsOf, expectation, observed, trajectory, inside });
})(globalThis.boundkitSimulation);
