// The local steps of one client, and the server's weights of participants.
(function (sim) {
  "use strict";
  const { range, zeros, eye, transposed, applied, plus, sum, along, product } = sim.matrices;

  const stepsAt = (model, t) => model.steps[t % model.steps.length];
  const distributionAt = (model, t) => model.distributions[t % model.distributions.length];
  const probabilitiesAt = (model, t) =>
    range(model.m).map(i => sum(distributionAt(model, t).filter(o => o.participants.includes(i)).map(o => o.probability)));

  // y after the local steps of client i: Y x + K c + r + noise of covariance V, where c is added to its gradients
  function localMap(model, i, tau) {
    const { d, eta, H, e, sigma } = model, mu = model.options.mu;
    const pulled = applied(H[i], e[i]), one = eye(d);
    const M = plus(plus(one, H[i], -eta), one, -eta * mu), back = transposed(M);
    let Y = one, K = zeros(d, d), V = zeros(d, d), r = new Array(d).fill(0);
    for (let k = 0; k < tau; k++) {
      Y = plus(product(M, Y), one, eta * mu);
      K = plus(product(M, K), one, -eta);
      r = along(applied(M, r), pulled, eta);
      V = plus(product(product(M, V), back), one, eta * eta * sigma * sigma / d);
    }
    return { Y, K, V, r };
  }
  // how far unit gradients carry a client, over eta
  function mass(model, tau) {
    let moved = 0;
    for (let k = 0; k < tau; k++) moved += 1 - model.eta * model.options.mu * moved;
    return moved;
  }
  // the server's weights of the participating clients
  function weights(model, t, participants) {
    const { m, p, algorithm, options } = model, tau = stepsAt(model, t);
    const share = values => { const all = sum(values); return values.map(v => (all > 0 ? v / all : 0)); };
    const weighted = () => share(participants.map(i => p[i])), mean = () => share(participants.map(() => 1));
    const over = (v, q) => (q > 0 ? v / q : 0);
    if (algorithm === "fednova") {
      const each = weighted(), effective = sum(participants.map((i, k) => each[k] * tau[i]));
      return participants.map((i, k) => effective * each[k] / tau[i]);
    }
    if (algorithm === "fedvarp") return mean();
    if (options.aggregation === "mean") return mean();
    if (options.aggregation === "all") return participants.map(() => 1 / m);
    if (options.aggregation === "sum") return participants.map(i => p[i]);
    if (options.aggregation === "known") return participants.map(i => over(1 / m, options.probabilities[i]));
    if (options.aggregation === "unbiased") { const q = probabilitiesAt(model, t); return participants.map(i => over(p[i], q[i])); }
    return weighted();
  }
  // what client i adds to its gradients, as rows over the state; null where it adds nothing
  function correction(model, i) {
    if (model.keeps !== "control" && model.keeps !== "correction") return null;
    const { d, m, p, size } = model, C = zeros(d, size);
    for (let k = 0; k < d; k++) {
      if (model.keeps === "control") for (let j = 0; j < m; j++) C[k][d * (j + 1) + k] += p[j];
      C[k][d * (i + 1) + k] -= 1;
    }
    return C;
  }

  Object.assign(sim, { stepsAt, distributionAt, probabilitiesAt, localMap, mass, weights, correction });
})(globalThis.boundkitSimulation);
