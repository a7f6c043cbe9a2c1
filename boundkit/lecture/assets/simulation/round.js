// One round, exactly: its effect on the mean and the covariance of the state.
//
// F_i(x) = (x - e_i)' H_i (x - e_i)/2 in one or two dimensions. A round with the participants S takes the
// state s (the model, and the state of each client) to A_S s + b_S + noise, so that
//   mean+ = E(A_S mean + b_S),   cov+ = E(A_S cov A_S') + E(noise noise') + cov over S of (A_S mean + b_S).
(function (sim) {
  "use strict";
  const { range, zeros, eye, transposed, dot, applied, plus, minus, along, product } = sim.matrices;
  const { stepsAt, distributionAt, localMap, weights, correction } = sim;

  // the state after a round with these participants: A s + b + sum over them of noise_i n_i, n_i ~ N(0, V_i)
  function outcome(model, t, participants, localMaps) {
    const { d, m, size, eta, etaS, keeps } = model, tau = stepsAt(model, t), w = weights(model, t, participants);
    const A = eye(size), b = new Array(size).fill(0);
    if (!participants.length) return { A, b, noises: [] };
    const place = i => d * (i + 1), one = eye(d), corrections = participants.map(i => correction(model, i));
    const updates = participants.map((i, k) => {
      const U = zeros(d, size), left = plus(one, localMaps[i].Y, -1);
      left.forEach((row, a) => row.forEach((v, c) => { U[a][c] = v; }));
      return corrections[k] ? plus(U, product(localMaps[i].K, corrections[k]), -1) : U;
    });
    const constants = participants.map(i => localMaps[i].r.map(v => -v));
    const G = updates.reduce((all, U, k) => plus(all, U, w[k]), zeros(d, size));
    const g = constants.reduce((all, q, k) => along(all, q, w[k]), new Array(d).fill(0));
    for (let a = 0; a < d; a++) {
      A[a] = along(A[a], G[a], -etaS);
      b[a] -= etaS * g[a];
      if (keeps === "update") {
        participants.forEach((i, k) => { A[a][place(i) + a] += etaS * w[k]; });
        for (let j = 0; j < m; j++) A[a][place(j) + a] -= etaS / m;
      }
    }
    const noises = participants.map((i, k) => ({ client: i, B: zeros(size, d) }));
    noises.forEach(({ B }, k) => one.forEach((_, a) => { B[a][a] = etaS * w[k]; }));
    participants.forEach((i, k) => {
      if (!keeps) return;
      const span = keeps === "update" ? 1 : tau[i] * eta;
      for (let a = 0; a < d; a++) {
        const row = place(i) + a, kept = A[row];
        A[row] = updates[k][a].map(v => v / span);
        b[row] = constants[k][a] / span;
        noises[k].B[row][a] -= 1 / span;
        if (keeps === "control") A[row] = minus(A[row], corrections[k][a]);
        if (keeps === "correction") {
          A[row] = along(along(A[row], G[a], -1 / span), kept, 1);
          b[row] -= g[a] / span;
          participants.forEach((_, l) => { noises[l].B[row][a] += w[l] / span; });
        }
      }
    });
    return { A, b, noises };
  }
  // the round at t: its outcomes, its mean map, and what it does to a covariance
  function roundAt(model, t) {
    const key = t % model.period;
    if (model.made.has(key)) return model.made.get(key);
    const { size, m } = model, tau = stepsAt(model, t), distribution = distributionAt(model, t);
    const localMaps = range(m).map(i => localMap(model, i, tau[i]));
    const outcomes = distribution.map(({ probability, participants }) => ({ probability, participants, ...outcome(model, t, participants, localMaps) }));
    const A = outcomes.reduce((all, o) => plus(all, o.A, o.probability), zeros(size, size));
    const b = outcomes.reduce((all, o) => along(all, o.b, o.probability), new Array(size).fill(0));
    let noise = zeros(size, size);
    if (model.sigma > 0) for (const o of outcomes) for (const { client, B } of o.noises)
      noise = plus(noise, product(product(B, localMaps[client].V), transposed(B)), o.probability);
    const made = { outcomes, localMaps, A, b, noise, spread: spreading(outcomes, size) };
    model.made.set(key, made);
    return made;
  }
  // E A_S c A_S' as a matrix on the upper triangles of symmetric c, row after row
  function spreading(outcomes, size) {
    const pairs = [];
    for (let i = 0; i < size; i++) for (let j = i; j < size; j++) pairs.push([i, j]);
    const P = pairs.length, out = new Float64Array(P * P);
    for (const { probability, A } of outcomes) pairs.forEach(([i, j], row) => {
      const u = A[i], v = A[j];
      pairs.forEach(([k, l], column) => {
        out[row * P + column] += probability * (k === l ? u[k] * v[k] : u[k] * v[l] + u[l] * v[k]);
      });
    });
    return { pairs, matrix: out };
  }
  function spreadOf({ pairs, matrix }, cov) {
    const P = pairs.length, flat = pairs.map(([i, j]) => cov[i][j]), out = zeros(cov.length, cov.length);
    for (let row = 0; row < P; row++) {
      let s = 0;
      for (let column = 0; column < P; column++) s += matrix[row * P + column] * flat[column];
      const [i, j] = pairs[row];
      out[i][j] = out[j][i] = s;
    }
    return out;
  }
  // the covariance that participation and noise add to a mean
  function scatter(round, mean) {
    const after = along(applied(round.A, mean), round.b, 1), cov = round.noise.map(row => [...row]);
    if (round.outcomes.length > 1) for (const { probability, A, b } of round.outcomes) {
      const away = A.map((row, i) => dot(row, mean) + b[i] - after[i]);
      for (let i = 0; i < away.length; i++) for (let j = 0; j < away.length; j++) cov[i][j] += probability * away[i] * away[j];
    }
    return { after, cov };
  }
  function moved(round, { mean, cov }) {
    const { after, cov: added } = scatter(round, mean);
    return { mean: after, cov: plus(spreadOf(round.spread, cov), added) };
  }

  Object.assign(sim, { roundAt, scatter, moved });
})(globalThis.boundkitSimulation);
