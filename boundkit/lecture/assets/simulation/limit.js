// The limit of the mean of a run, and its stationary observables.
(function (sim) {
  "use strict";
  const { range, zeros, eye, transposed, dot, applied, plus, sum, norm, minus, along, finite, product, solved,
    leftNull, spectralRadius, positive } = sim.matrices;
  const { roundAt, scatter, formsOf, expectation } = sim;

  // The limit of the mean: one point for each round of a period; null where none is determined.
  function limit(model) {
    const { size, d, centre, period, start } = model, rounds = range(period).map(t => roundAt(model, t));
    let A = eye(size), b = new Array(size).fill(0);
    for (const round of rounds) { b = along(applied(round.A, b), round.b, 1); A = product(round.A, A); }
    const still = plus(eye(size), A, -1);
    if (!finite(b) || !finite(A.flat())) return null;
    // what no round changes (the state of a client that never participates, say) keeps its start
    const kept = leftNull(still), moves = kept.some(w => Math.abs(dot(w, b)) > 1e-9 * Math.max(1, ...b.map(Math.abs)) * norm(w));
    const result = moves ? null : solved([...still, ...kept], [...b, ...kept.map(w => dot(w, start))]);
    if (!result) return null;
    const states = [];
    let state = result;
    for (const round of rounds) { states.push(state); state = along(applied(round.A, state), round.b, 1); }
    const points = states.map(s => along(s.slice(0, d), centre, 1));
    const away = Math.max(...points.map(x => Math.max(...minus(x, points[0]).map(Math.abs))));
    const scale = Math.max(1, ...points.flat().map(Math.abs)), radius = spectralRadius(kept.length ? withoutKept(A, kept, leftNull(transposed(still))) : A);
    return { points, states, spectralRadius: radius, stable: radius < 1, isPoint: away <= 1e-11 * scale };
  }
  // A less its projection on what it keeps: w'A = w', A v = v
  function withoutKept(A, kept, fixed) {
    const between = kept.map(w => fixed.map(v => dot(w, v)));
    const parts = transposed(range(A.length).map(j => solved(between, kept.map(w => w[j])) || fixed.map(() => 0)));
    return A.map((row, i) => row.map((a, j) => a - sum(fixed.map((v, k) => v[i] * parts[k][j]))));
  }
  // Stationary expectations of all observables, where all rounds have one distribution; null where there are none.
  function stationary(model) {
    const end = model.period === 1 ? limit(model) : null;
    if (!end || !end.stable || model.size > 14) return null;
    const round = roundAt(model, 0), mean = end.states[0], { pairs, matrix } = round.spread, P = pairs.length;
    const still = range(P).map(i => range(P).map(j => (i === j ? 1 : 0) - matrix[i * P + j]));
    const unfolded = flat => { const c = zeros(model.size, model.size); pairs.forEach(([i, j], k) => { c[i][j] = c[j][i] = flat[k]; }); return c; };
    // T takes positive matrices to such, so it contracts just where c = T(c) + 1 has a solution of at least 1
    const witness = solved(still, pairs.map(([i, j]) => (i === j ? 1 : 0)));
    if (!witness || !positive(plus(unfolded(witness), eye(model.size), -0.5))) return null;
    const added = scatter(round, mean).cov, cov = unfolded(solved(still, pairs.map(([i, j]) => added[i][j]))), u = mean.slice(0, model.d);
    const observed = Object.entries(formsOf(model)).map(([name, form]) => [name, expectation(form, u, cov)]);
    return { x: end.points[0], covariance: cov.slice(0, model.d).map(row => row.slice(0, model.d)), observed: Object.fromEntries(observed) };
  }

  Object.assign(sim, { limit, stationary });
})(globalThis.boundkitSimulation);
