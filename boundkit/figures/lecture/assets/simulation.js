// Federated algorithms on small quadratics: mean and covariance of the server's iterate, without sampling.
//
// F_i(x) = (x - e_i)' H_i (x - e_i)/2 in one or two dimensions. A round in which the clients S come takes the
// state s (the model, and what is kept of each client) to A_S s + b_S + noise, so that
//   mean+ = E(A_S mean + b_S),   cov+ = E(A_S cov A_S') + E(noise noise') + cov over S of (A_S mean + b_S).
// Everything is centred at the optimum, so that small errors are not lost beside large coordinates.
// A run is a RUN.json. Pure functions under boundkitSimulation; a mistake is an Error with one sentence.
(function (root) {
  "use strict";

  const MOST_OUTCOMES = 4096, MOST_WORK = 6e7, MOST_ROUNDS = 20000, MOST_STEPS = 5000;
  const AGGREGATED = ["aggregation", "probabilities"];
  // What each algorithm keeps of a client, and the options that are known here.
  const ALGORITHMS = {
    fedavg: { label: "FedAvg", options: AGGREGATED },
    fedprox: { label: "FedProx", options: ["mu", ...AGGREGATED] },
    fednova: { label: "FedNova", options: [] },
    minibatch_sgd: { label: "minibatch SGD", options: AGGREGATED },
    scaffold: { label: "SCAFFOLD", options: [], keeps: "control" },
    fedvarp: { label: "FedVARP", options: [], keeps: "update" },
    vrlsgd: { label: "VRL-SGD", options: [], keeps: "correction" },
  };

  // ---- small dense matrices -------------------------------------------------------------------------

  const range = n => Array.from({ length: n }, (_, k) => k);
  const zeros = (rows, columns) => range(rows).map(() => new Array(columns).fill(0));
  const eye = n => range(n).map(i => range(n).map(j => (i === j ? 1 : 0)));
  const transposed = A => A[0].map((_, j) => A.map(row => row[j]));
  const dot = (u, v) => { let s = 0; for (let k = 0; k < u.length; k++) s += u[k] * v[k]; return s; };
  const applied = (A, v) => A.map(row => dot(row, v));
  const plus = (A, B, factor = 1) => A.map((row, i) => row.map((a, j) => a + factor * B[i][j]));
  const times = (A, factor) => A.map(row => row.map(a => a * factor));
  const sum = v => v.reduce((a, b) => a + b, 0);
  const norm = v => Math.hypot(...v);
  const minus = (u, v) => u.map((a, k) => a - v[k]);
  const along = (u, v, factor) => u.map((a, k) => a + factor * v[k]);
  const largest = A => Math.max(0, ...A.map(row => Math.max(...row.map(Math.abs))));
  const finite = v => v.every(Number.isFinite);
  function product(A, B) {
    const out = zeros(A.length, B[0].length);
    for (let i = 0; i < A.length; i++) for (let k = 0; k < B.length; k++) {
      const a = A[i][k];
      if (a !== 0) for (let j = 0; j < B[0].length; j++) out[i][j] += a * B[k][j];
    }
    return out;
  }
  // x with A x = b by Gauss with pivots, from at least as many rows as unknowns; null where they leave x open
  function solved(A, b) {
    const n = A[0].length, rows = A.map((row, i) => [...row, b[i]]), scale = largest(A);
    for (let k = 0; k < n; k++) {
      let best = k;
      for (let i = k + 1; i < rows.length; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
      if (!(Math.abs(rows[best][k]) > 1e-14 * scale)) return null;
      [rows[k], rows[best]] = [rows[best], rows[k]];
      for (let i = k + 1; i < rows.length; i++) {
        const factor = rows[i][k] / rows[k][k];
        if (factor !== 0) for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
      }
    }
    const x = new Array(n).fill(0);
    for (let k = n - 1; k >= 0; k--) {
      let rest = rows[k][n];
      for (let j = k + 1; j < n; j++) rest -= rows[k][j] * x[j];
      x[k] = rest / rows[k][k];
    }
    return x;
  }
  // vectors w with w'A = 0, one a missing rank
  function leftNull(A) {
    const n = A.length, rows = A.map((row, i) => [...row, ...eye(n)[i]]), scale = largest(A);
    let rank = 0;
    for (let k = 0; k < n && rank < n; k++) {
      let best = rank;
      for (let i = rank + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
      if (!(Math.abs(rows[best][k]) > 1e-12 * scale)) continue;
      [rows[rank], rows[best]] = [rows[best], rows[rank]];
      for (let i = rank + 1; i < n; i++) rows[i] = along(rows[i], rows[rank], -rows[i][k] / rows[rank][k]);
      rank += 1;
    }
    return rows.slice(rank).map(row => row.slice(n));
  }
  // the largest modulus of an eigenvalue, from ||A^(2^k)||^(1/2^k)
  function spectralRadius(A) {
    let power = A, log = 0, found = 0;
    for (let k = 0; k < 60; k++) {
      const size = largest(power);
      if (!(size > 0)) return 0;
      log += Math.log(size);
      const now = Math.exp(log / 2 ** k);
      if (k > 12 && Math.abs(now - found) <= 1e-14 * now) return now;
      found = now;
      power = times(power, 1 / size);
      power = product(power, power);
      log *= 2;
    }
    return found;
  }
  // whether a symmetric matrix is positive, by Cholesky's factors
  function positive(A) {
    const L = zeros(A.length, A.length);
    for (let i = 0; i < A.length; i++) for (let j = 0; j <= i; j++) {
      const rest = A[i][j] - dot(L[i].slice(0, j), L[j].slice(0, j));
      if (i === j && !(rest > 0)) return false;
      L[i][j] = i === j ? Math.sqrt(rest) : rest / L[j][j];
    }
    return true;
  }
  // eigenvalues, falling, and unit eigenvectors of a symmetric matrix of one or two rows
  function eigen(A) {
    if (A.length === 1) return { values: [A[0][0]], vectors: [[1]] };
    const [[a, b], [, c]] = A, middle = (a + c) / 2, radius = Math.hypot((a - c) / 2, b);
    const angle = radius > 0 ? Math.atan2(2 * b, a - c) / 2 : 0;
    const u = [Math.cos(angle), Math.sin(angle)];
    return { values: [middle + radius, middle - radius], vectors: [u, [-u[1], u[0]]] };
  }

  // ---- a run, checked once --------------------------------------------------------------------------

  function refuse(sentence) { throw new Error(sentence); }
  const isNumber = v => typeof v === "number" && Number.isFinite(v);
  function number(name, value, above) {
    if (!isNumber(value) || !(above ? value > 0 : value >= 0))
      refuse(`${name} must be a number ${above ? "above 0" : "that is at least 0"}, but it is ${JSON.stringify(value)}.`);
    return value;
  }
  function whole(name, value, most) {
    if (!Number.isInteger(value) || value < 1 || value > most)
      refuse(`${name} must be a whole number from 1 to ${most}, but it is ${JSON.stringify(value)}.`);
    return value;
  }
  function hessian(h, d, i) {
    const A = isNumber(h) ? times(eye(d), h)
      : Array.isArray(h) && h.length === d && h.every(isNumber) ? eye(d).map((row, j) => row.map(v => v * h[j]))
      : Array.isArray(h) && h.length === d && h.every(r => Array.isArray(r) && r.length === d && r.every(isNumber)) ? h
      : refuse(`H of client ${i} must be a number, ${d} numbers or a symmetric ${d} x ${d} matrix.`);
    if (d === 2 && Math.abs(A[0][1] - A[1][0]) > 1e-12 * largest(A)) refuse(`H of client ${i} is not symmetric.`);
    return A;
  }
  function point(name, v, d) {
    if (!Array.isArray(v) || v.length !== d || !v.every(isNumber)) refuse(`${name} must be ${d} numbers.`);
    return v;
  }
  function stepsOf(given, m) {
    const rows = Array.isArray(given) ? (Array.isArray(given[0]) ? given : [given]) : [new Array(m).fill(given)];
    if (!rows.length || rows.some(row => !Array.isArray(row) || row.length !== m))
      refuse(`local_steps must be one number, ${m} numbers (one a client), or a list of such lists.`);
    rows.forEach(row => row.forEach(v => whole("local_steps", v, MOST_STEPS)));
    return rows;
  }

  function* subsets(pool, size, from = 0) {
    if (size === 0) { yield []; return; }
    for (let k = from; k + size <= pool.length; k++)
      for (const rest of subsets(pool, size - 1, k + 1)) yield [pool[k], ...rest];
  }
  function uniformly(pool, size) {
    let count = 1;
    for (let k = 1; k <= size; k++) count = count * (pool.length - size + k) / k;
    if (count > MOST_OUTCOMES) refuse(`${size} of ${pool.length} clients come in ${Math.round(count)} ways; up to ${MOST_OUTCOMES} are listed.`);
    return [...subsets(pool, size)].map(who => ({ chance: 1 / Math.round(count), who }));
  }
  function independently(q) {
    const open = range(q.length).filter(i => q[i] > 0 && q[i] < 1);
    if (2 ** open.length > MOST_OUTCOMES) refuse(`${open.length} clients that may come or not are too many to list; up to 12 are.`);
    return range(2 ** open.length).map(code => {
      const comes = q.map(v => v === 1);
      let chance = 1;
      open.forEach((i, k) => { comes[i] = Boolean((code >> k) & 1); chance *= comes[i] ? q[i] : 1 - q[i]; });
      return { chance, who: range(q.length).filter(i => comes[i]) };
    });
  }
  function groupsOf(given, m) {
    if (!Array.isArray(given)) {
      whole("groups", given, m);
      if (m % given) refuse(`cyclic groups = ${given} does not divide ${m} clients.`);
      return range(given).map(k => range(m / given).map(j => k * m / given + j));
    }
    const all = given.flat();
    if (given.some(g => !g.length) || all.length !== m || range(m).some(i => !all.includes(i)))
      refuse("groups must hold every client once.");
    return given;
  }
  // the law of each round of a period: every outcome of who comes, with its chance
  function lawsOf(run, m) {
    if (run.schedule) {
      if (!Array.isArray(run.schedule) || !run.schedule.length) refuse("schedule must be a list of rounds.");
      return run.schedule.map((who, t) => {
        if (!Array.isArray(who) || who.some(i => !(Number.isInteger(i) && i >= 0 && i < m)) || new Set(who).size < who.length)
          refuse(`schedule[${t}] must hold clients 0 to ${m - 1}, each once at most.`);
        return [{ chance: 1, who: [...who].sort((a, b) => a - b) }];
      });
    }
    const given = run.participation || { kind: "full" }, everyone = range(m);
    if (given.kind === "full") return [[{ chance: 1, who: everyone }]];
    if (given.kind === "uniform") {
      const count = Math.round(number("C", given.C, true) * m);
      if (count < 1 || count > m || Math.abs(count - given.C * m) > 1e-9)
        refuse(`C = ${given.C} of ${m} clients makes ${given.C * m} clients; C m must be a whole number from 1 to ${m}.`);
      return [uniformly(everyone, count)];
    }
    if (given.kind === "cyclic")
      return groupsOf(given.groups, m).map(g => uniformly(g, given.count ? whole("cyclic count", given.count, g.length) : g.length));
    if (given.kind === "bernoulli") {
      if (given.dynamics && given.dynamics !== "stationary") refuse("chances that move with time are not simulated here.");
      const q = isNumber(given.probabilities) ? everyone.map(() => given.probabilities) : given.probabilities;
      if (!Array.isArray(q) || q.length !== m || !q.every(v => isNumber(v) && v >= 0 && v <= 1))
        refuse(`probabilities must be one number, or ${m} numbers, from 0 to 1.`);
      return [independently(q)];
    }
    return refuse(`participation ${JSON.stringify(given.kind)} is not simulated here; full, uniform, cyclic and bernoulli are.`);
  }
  function optionsOf(algorithm, given, m) {
    const options = given || {}, known = ALGORITHMS[algorithm].options;
    for (const name of Object.keys(options))
      if (!known.includes(name)) refuse(`${algorithm} has no option ${name} here${known.length ? `; it has ${known.join(", ")}` : ""}.`);
    const kind = options.aggregation || "weighted";
    if (!["weighted", "mean", "all", "known", "unbiased"].includes(kind)) refuse(`aggregation ${JSON.stringify(kind)} is not known.`);
    const q = options.probabilities;
    if ((q === undefined || q === null) === (kind === "known"))
      refuse("aggregation known needs the option probabilities, and no other aggregation takes it.");
    if (q && (q.length !== m || !q.every(v => isNumber(v) && v > 0 && v <= 1))) refuse(`probabilities must be ${m} numbers in (0, 1].`);
    return { aggregation: kind, probabilities: q || null, mu: number("mu", options.mu || 0, false) };
  }
  const gcd = (a, b) => (b ? gcd(b, a % b) : a);

  // The model of a run: everything centred at the optimum.
  function prepare(algorithm, run) {
    if (!Object.prototype.hasOwnProperty.call(ALGORITHMS, algorithm))
      refuse(`the algorithm ${JSON.stringify(algorithm)} is not simulated here; ${Object.keys(ALGORITHMS).join(", ")} are.`);
    const { e, H: given } = run.problem, m = e.length, d = e[0].length;
    if (d !== 1 && d !== 2) refuse(`a simulation has one or two dimensions, not ${d}.`);
    if (given.length !== m) refuse(`there are ${m} centres e and ${given.length} Hessians H.`);
    e.forEach((v, i) => point(`e of client ${i}`, v, d));
    const H = given.map((h, i) => hessian(h, d, i)), p = run.problem.p || range(m).map(() => 1 / m);
    if (p.length !== m || !p.every(v => isNumber(v) && v >= 0) || Math.abs(sum(p) - 1) > 1e-9) refuse(`p must be ${m} numbers that sum to 1.`);
    const mean = H.reduce((all, h, i) => plus(all, h, p[i]), zeros(d, d));
    const centre = eigen(mean).values[d - 1] > 0
      ? solved(mean, e.reduce((all, v, i) => along(all, applied(H[i], v), p[i]), new Array(d).fill(0))) : null;
    if (!centre) refuse("the mean loss has no unique minimum: sum p_i H_i is not positive definite.");
    const steps = stepsOf(run.local_steps, m), laws = lawsOf(run, m);
    if (algorithm === "minibatch_sgd" && steps.flat().some(v => v !== 1))
      refuse("minibatch_sgd averages after every gradient, so local_steps must be 1; for more, use fedavg.");
    const options = optionsOf(algorithm, run.options, m), period = laws.length * steps.length / gcd(laws.length, steps.length);
    if (options.aggregation === "unbiased" && (run.schedule || laws.length > 1))
      refuse("unbiased aggregation needs the chance of each client to come, the same in every round.");
    const size = ALGORITHMS[algorithm].keeps ? d * (m + 1) : d;
    const outcomes = Math.max(...laws.map(law => law.length)), pairs = size * (size + 1) / 2;
    if (outcomes * pairs * pairs > MOST_WORK) refuse(`${algorithm} keeps ${size} numbers, too many for ${outcomes} outcomes of who comes.`);
    return {
      algorithm, m, d, H, p, steps, laws, options, period, size, mean, centre,
      e: e.map(v => minus(v, centre)), start: [...minus(point("x0", run.x0, d), centre), ...new Array(size - d).fill(0)],
      keeps: ALGORITHMS[algorithm].keeps || null, rounds: whole("rounds", run.rounds, MOST_ROUNDS),
      eta: number("eta", run.eta, true), etaS: number("eta_s", run.eta_s === undefined ? 1 : run.eta_s, true),
      sigma: number("noise", run.noise || 0, false), schedule: Boolean(run.schedule),
      kind: run.schedule ? "schedule" : (run.participation || { kind: "full" }).kind, made: new Map(),
    };
  }

  // ---- one round ------------------------------------------------------------------------------------

  const stepsAt = (model, t) => model.steps[t % model.steps.length];
  const lawAt = (model, t) => model.laws[t % model.laws.length];
  const chancesAt = (model, t) =>
    range(model.m).map(i => sum(lawAt(model, t).filter(o => o.who.includes(i)).map(o => o.chance)));

  // y after the local steps of client i: Y x + K c + r + noise of covariance V, where c is added to its gradients
  function walked(model, i, tau) {
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
  // the server's weights of those who came
  function weights(model, t, who) {
    const { m, p, algorithm, options } = model, tau = stepsAt(model, t);
    const share = values => { const all = sum(values); return values.map(v => (all > 0 ? v / all : 0)); };
    const weighted = () => share(who.map(i => p[i])), mean = () => share(who.map(() => 1));
    const over = (v, q) => (q > 0 ? v / q : 0);
    if (algorithm === "fednova") {
      const each = weighted(), effective = sum(who.map((i, k) => each[k] * tau[i]));
      return who.map((i, k) => effective * each[k] / tau[i]);
    }
    if (algorithm === "fedvarp") return mean();
    if (options.aggregation === "mean") return mean();
    if (options.aggregation === "all") return who.map(() => 1 / m);
    if (options.aggregation === "known") return who.map(i => over(1 / m, options.probabilities[i]));
    if (options.aggregation === "unbiased") { const q = chancesAt(model, t); return who.map(i => over(p[i], q[i])); }
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
  // the state after a round in which these clients came: A s + b + sum over them of shake_i n_i, n_i ~ N(0, V_i)
  function outcome(model, t, who, walks) {
    const { d, m, size, eta, etaS, keeps } = model, tau = stepsAt(model, t), w = weights(model, t, who);
    const A = eye(size), b = new Array(size).fill(0);
    if (!who.length) return { A, b, shakes: [] };
    const place = i => d * (i + 1), one = eye(d), corrections = who.map(i => correction(model, i));
    const updates = who.map((i, k) => {
      const U = zeros(d, size), left = plus(one, walks[i].Y, -1);
      left.forEach((row, a) => row.forEach((v, c) => { U[a][c] = v; }));
      return corrections[k] ? plus(U, product(walks[i].K, corrections[k]), -1) : U;
    });
    const constants = who.map(i => walks[i].r.map(v => -v));
    const G = updates.reduce((all, U, k) => plus(all, U, w[k]), zeros(d, size));
    const g = constants.reduce((all, q, k) => along(all, q, w[k]), new Array(d).fill(0));
    for (let a = 0; a < d; a++) {
      A[a] = along(A[a], G[a], -etaS);
      b[a] -= etaS * g[a];
      if (keeps === "update") {
        who.forEach((i, k) => { A[a][place(i) + a] += etaS * w[k]; });
        for (let j = 0; j < m; j++) A[a][place(j) + a] -= etaS / m;
      }
    }
    const shakes = who.map((i, k) => ({ client: i, B: zeros(size, d) }));
    shakes.forEach(({ B }, k) => one.forEach((_, a) => { B[a][a] = etaS * w[k]; }));
    who.forEach((i, k) => {
      if (!keeps) return;
      const span = keeps === "update" ? 1 : tau[i] * eta;
      for (let a = 0; a < d; a++) {
        const row = place(i) + a, kept = A[row];
        A[row] = updates[k][a].map(v => v / span);
        b[row] = constants[k][a] / span;
        shakes[k].B[row][a] -= 1 / span;
        if (keeps === "control") A[row] = minus(A[row], corrections[k][a]);
        if (keeps === "correction") {
          A[row] = along(along(A[row], G[a], -1 / span), kept, 1);
          b[row] -= g[a] / span;
          who.forEach((_, l) => { shakes[l].B[row][a] += w[l] / span; });
        }
      }
    });
    return { A, b, shakes };
  }
  // the round at t: its outcomes, its mean map, and what it does to a covariance
  function roundAt(model, t) {
    const key = t % model.period;
    if (model.made.has(key)) return model.made.get(key);
    const { size, m } = model, tau = stepsAt(model, t), law = lawAt(model, t);
    const walks = range(m).map(i => walked(model, i, tau[i]));
    const outcomes = law.map(({ chance, who }) => ({ chance, who, ...outcome(model, t, who, walks) }));
    const A = outcomes.reduce((all, o) => plus(all, o.A, o.chance), zeros(size, size));
    const b = outcomes.reduce((all, o) => along(all, o.b, o.chance), new Array(size).fill(0));
    let noise = zeros(size, size);
    if (model.sigma > 0) for (const o of outcomes) for (const { client, B } of o.shakes)
      noise = plus(noise, product(product(B, walks[client].V), transposed(B)), o.chance);
    const made = { outcomes, walks, A, b, noise, spread: spreading(outcomes, size) };
    model.made.set(key, made);
    return made;
  }
  // E A_S c A_S' as a matrix on the upper triangles of symmetric c, row after row
  function spreading(outcomes, size) {
    const pairs = [];
    for (let i = 0; i < size; i++) for (let j = i; j < size; j++) pairs.push([i, j]);
    const P = pairs.length, out = new Float64Array(P * P);
    for (const { chance, A } of outcomes) pairs.forEach(([i, j], row) => {
      const u = A[i], v = A[j];
      pairs.forEach(([k, l], column) => {
        out[row * P + column] += chance * (k === l ? u[k] * v[k] : u[k] * v[l] + u[l] * v[k]);
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
  // the covariance that who comes and the noise add to a mean
  function scatter(round, mean) {
    const after = along(applied(round.A, mean), round.b, 1), cov = round.noise.map(row => [...row]);
    if (round.outcomes.length > 1) for (const { chance, A, b } of round.outcomes) {
      const away = A.map((row, i) => dot(row, mean) + b[i] - after[i]);
      for (let i = 0; i < away.length; i++) for (let j = 0; j < away.length; j++) cov[i][j] += chance * away[i] * away[j];
    }
    return { after, cov };
  }
  function moved(round, { mean, cov }) {
    const { after, cov: added } = scatter(round, mean);
    return { mean: after, cov: plus(spreadOf(round.spread, cov), added) };
  }

  // ---- what is observed -----------------------------------------------------------------------------

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

  // What is observed at one point, without chance.
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

  // The paths of single clients in round t from a state of the mean, without noise: who may come, with its chance.
  function inside(model, t, state) {
    const { d, eta, H, e, centre, options } = model, tau = stepsAt(model, t), x = state.slice(0, d);
    return chancesAt(model, t).flatMap((chance, client) => {
      if (!(chance > 0)) return [];
      const C = correction(model, client), shift = C ? applied(C, state) : new Array(d).fill(0), points = [x];
      for (let k = 0; k < tau[client]; k++) {
        const y = points[k], g = applied(H[client], minus(y, e[client]));
        points.push(y.map((v, a) => v - eta * (g[a] + shift[a] + options.mu * (v - x[a]))));
      }
      return [{ client, chance, points: points.map(y => along(y, centre, 1)) }];
    });
  }

  // ---- where it goes --------------------------------------------------------------------------------

  // The limit of the mean: one point for each round of a period; null where none is determined.
  function limit(model) {
    const { size, d, centre, period, start } = model, rounds = range(period).map(t => roundAt(model, t));
    let A = eye(size), b = new Array(size).fill(0);
    for (const round of rounds) { b = along(applied(round.A, b), round.b, 1); A = product(round.A, A); }
    const still = plus(eye(size), A, -1);
    if (!finite(b) || !finite(A.flat())) return null;
    // what no round changes (the memory of a client that never comes, say) keeps its start
    const kept = leftNull(still), moves = kept.some(w => Math.abs(dot(w, b)) > 1e-9 * Math.max(1, ...b.map(Math.abs)) * norm(w));
    const found = moves ? null : solved([...still, ...kept], [...b, ...kept.map(w => dot(w, start))]);
    if (!found) return null;
    const states = [];
    let state = found;
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
  // Expectations of all that is observed after many rounds, where one law rules all rounds; null where there are none.
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
  // v_i of the surrogate sum v_i F_i that small steps minimise; null where nobody ever comes
  function surrogateWeights(model) {
    const { m, p, keeps, period, steps } = model, total = new Array(m).fill(0);
    const ever = range(m).map(i => range(period).some(t => chancesAt(model, t)[i] > 0));
    if (keeps === "control") ever.forEach((came, i) => { if (came) total[i] = p[i]; });
    else if (keeps === "update" && steps.length === 1) ever.forEach((came, i) => { if (came) total[i] = steps[0][i]; });
    else if (keeps) return readOff(model);
    else for (let t = 0; t < period; t++) {
      const tau = stepsAt(model, t);
      for (const { chance, who } of lawAt(model, t))
        weights(model, t, who).forEach((w, k) => { total[who[k]] += chance * w * mass(model, tau[who[k]]); });
    }
    const all = sum(total);
    return all > 0 ? total.map(v => v / all) : null;
  }
  // the same off clients (x - e_i)^2/2 on a line, whose limit is sum v_i e_i, at two small steps taken to none
  function readOff(model) {
    const { m, steps } = model, one = { d: 1, H: range(m).map(() => [[1]]), centre: [0], size: m + 1, start: new Array(m + 1).fill(0) };
    const at = eta => range(m).map(i => {
      const end = limit({ ...model, ...one, eta: eta / Math.max(...steps.flat()), sigma: 0, made: new Map(), e: range(m).map(j => [i === j ? 1 : 0]) });
      return end ? sum(end.points.map(x => x[0])) / end.points.length : NaN;
    });
    const coarse = at(2e-4), v = at(1e-4).map((fine, i) => 2 * fine - coarse[i]);
    return finite(v) && Math.abs(sum(v) - 1) < 1e-5 ? v.map(each => each / sum(v)) : null;
  }
  function optimumOf(model, v) {
    const { H, e, d, centre } = model;
    const mean = H.reduce((all, h, i) => plus(all, h, v[i]), zeros(d, d));
    const least = solved(mean, e.reduce((all, c, i) => along(all, applied(H[i], c), v[i]), new Array(d).fill(0)));
    return least && eigen(mean).values[d - 1] > 0 ? along(least, centre, 1) : null;
  }

  // ---- chance ---------------------------------------------------------------------------------------

  // mulberry32 (Tommy Ettinger, public domain): uniform numbers in [0, 1) from a seed of 32 bits
  function mulberry32(seed) {
    let a = seed >>> 0;
    return () => {
      a = (a + 0x6d2b79f5) | 0;
      let t = Math.imul(a ^ (a >>> 15), 1 | a);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }
  // N(0, 1) by Box and Muller
  const normal = uniform => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  // N(0, V) for V of one or two rows
  function shaken(V, uniform) {
    const a = Math.sqrt(V[0][0]), first = normal(uniform);
    if (V.length === 1) return [a * first];
    const b = a > 0 ? V[1][0] / a : 0;
    return [a * first, b * first + Math.sqrt(Math.max(V[1][1] - b * b, 0)) * normal(uniform)];
  }
  // One run as chance has it: the server's iterates, and who came in each round. Whole rounds are drawn, not
  // steps, from the same law.
  function sample(model, seed) {
    const uniform = mulberry32(seed), { d, centre } = model, x = [], came = [];
    let s = model.start;
    for (let t = 0; t <= model.rounds && finite(s); t++) {
      x.push(along(s.slice(0, d), centre, 1));
      if (t === model.rounds) break;
      const { outcomes, walks } = roundAt(model, t);
      let left = uniform(), k = 0;
      while (k < outcomes.length - 1 && left >= outcomes[k].chance) left -= outcomes[k++].chance;
      const { A, b, who, shakes } = outcomes[k];
      s = along(applied(A, s), b, 1);
      if (model.sigma > 0) for (const { client, B } of shakes) s = along(s, applied(B, shaken(walks[client].V, uniform)), 1);
      came.push(who);
    }
    return { x, came };
  }

  // ---- bound beside run -----------------------------------------------------------------------------

  const alike = v => Math.max(...v) - Math.min(...v) <= 1e-12 * Math.max(...v.map(Math.abs), 1e-300);

  // the same clients under other weights, centred at the optimum of those
  function reweighted(model, v) {
    const centre = optimumOf(model, v), shift = minus(centre, model.centre);
    return {
      ...model, p: v, centre, e: model.e.map(e => minus(e, shift)), start: along(model.start.slice(0, model.d), shift, -1),
      mean: model.H.reduce((all, h, i) => plus(all, h, v[i]), zeros(model.d, model.d)),
    };
  }
  // The quantities of theorems, by house keyword, that a run on quadratics has exactly; of the surrogate if asked.
  function constants(model, seen, surrogate) {
    const { m, steps, laws, eta, etaS, sigma, d, options } = model;
    const meant = surrogate ? reweighted(model, surrogateWeights(model)) : model, { H, e, start, mean, centre } = meant;
    const every = H.flatMap(h => eigen(h).values), forms = formsOf(meant), u = start.slice(0, d);
    const square = v => dot(v, v), pull = x => H.map((h, i) => applied(h, minus(x, e[i])));
    const shared = H.every(h => largest(plus(h, H[0], -1)) <= 1e-14 * Math.max(...H.map(largest)));
    const before = seen.x.slice(0, Math.max(seen.x.length - 1, 1)).map((x, t) =>
      expectation(forms.dissimilarity, minus(x, centre), seen.covariance[t]));
    const sizes = laws.flatMap(law => law.map(o => o.who.length));
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
    if (q.C && q.tau) q.update_error = updateError(model, u, Math.round(q.C * m), q.tau);
    return q;
  }
  // V_0 of FedVARP: what sampling and noise do to the direction of the first round
  function updateError(model, u, came, tau) {
    const { m, d, eta, sigma, H, e } = model, sampled = m > 1 ? (m - came) / (came * (m - 1)) : 0;
    let noise = 0;
    const sums = range(m).map(i => {
      let y = u, total = new Array(d).fill(0);
      for (let k = 0; k < tau; k++) {
        const g = applied(H[i], minus(y, e[i]));
        total = along(total, g, 1 / tau);
        y = along(y, g, -eta);
        for (const h of eigen(H[i]).values) noise += sigma ** 2 / (d * tau ** 2 * m) * (1 - eta * h) ** (2 * k);
      }
      return total;
    });
    const middle = sums.reduce((all, g) => along(all, g, 1 / m), new Array(d).fill(0));
    const apart = sum(sums.map(g => { const v = minus(g, middle); return dot(v, v); })) / m;
    return Math.sqrt(sampled * (apart + (1 - 1 / m) * noise) + sigma ** 2 / (m * tau));
  }
  // What a theorem assumes, as questions to the model: [does it hold, what to say where it does not].
  const lowest = model => Math.min(...model.H.flatMap(h => eigen(h).values));
  const ASSUMED = {
    "smooth": [() => true, ""], "bounded-below": [model => lowest(model) >= 0, "losses that are bounded below"],
    "polyak-lojasiewicz": [() => true, ""], "bounded-noise": [() => true, ""], "bounded-dissimilarity": [() => true, ""],
    "beta-kappa-dissimilarity": [() => true, ""], "weighted-objective": [() => true, ""],
    "controls-of-local-gradients": [() => true, ""],
    "general-local-solver": [model => model.options.mu === 0, "plain local steps"],
    "no-noise": [model => model.sigma === 0, "gradients without noise"],
    "convex": [model => lowest(model) >= 0, "convex clients"], "strongly-convex": [model => lowest(model) > 0, "strongly convex clients"],
    "equal-weights": [model => alike(model.p), "equal weights"],
    "full-participation": [model => model.kind === "full" || (model.kind === "uniform" && model.laws[0].length === 1), "everyone in every round"],
    "partial-participation": [model => model.kind === "full" || model.kind === "uniform", "C m clients drawn uniformly"],
    "common-local-steps": [model => alike(model.steps.flat()), "as many local steps for each client"],
    "one-local-step": [model => model.steps.flat().every(v => v === 1), "one local step a round"],
    "server-step-one": [model => model.etaS === 1, "a server step of 1"],
    "server-step-at-least-one": [model => model.etaS >= 1, "a server step of at least 1"],
  };
  // The bound of a theorem at every horizon 1, ..., T beside what it bounds. ``claim`` is {name, algorithm,
  // observable, summary, assumptions, solver, of}; ``statement`` the theorem's exported script.
  function bound(model, seen, claim, statement) {
    const label = name => (ALGORITHMS[name] || { label: name }).label;
    const missing = claim.assumptions.filter(name => !(name in ASSUMED) || !ASSUMED[name][0](model))
      .map(name => (name in ASSUMED ? ASSUMED[name][1] : name.replace(/-/g, " ")));
    const aggregated = model.options.aggregation;
    const plain = aggregated === "weighted" || ((aggregated === "mean" || aggregated === "unbiased") && alike(model.p) && model.kind !== "bernoulli");
    const covers = claim.algorithm === model.algorithm || (claim.algorithm === "fedavg" && model.algorithm === "minibatch_sgd");
    if (!covers) return { applies: false, why: `The theorem speaks of ${label(claim.algorithm)}, not of ${label(model.algorithm)}.` };
    if (!plain) missing.unshift("the usual weighted mean of those who came");
    if (missing.length) return { applies: false, why: `The theorem does not apply: it assumes ${missing.join(", and ")}.` };
    if (seen.outcome !== "done") return { applies: false, why: `The run diverged in round ${seen.divergedAt}, so that there is nothing to bound.` };
    let q = constants(model, seen, claim.of === "surrogate");
    const derived = claim.solver && statement.derived[claim.solver];
    if (derived) { delete q.tau; q = derived(q); }
    const wanted = statement.quantities.map(one => one.name).filter(name => q[name] === undefined);
    if (wanted.length) return { applies: false, why: `The bound needs ${wanted.join(", ")}, which this page does not know of the run.` };
    const series = seen.observed[claim.observable], horizon = range(series.length - 1).map(k => k + 1);
    let total = 0;
    const averages = horizon.map(t => (total += series[t - 1]) / t);
    const at = horizon.map(T => ({ ...q, T }));
    return {
      applies: true, q, horizon, measured: claim.summary === "average" ? averages : series.slice(1),
      terms: statement.terms.map(term => ({ label: term.label, cause: term.cause, values: at.map(one => term.value(one)) })),
      inside: statement.conditions.every(condition => condition.holds(q)),
      largestEta: statement.largestEta ? statement.largestEta(q) : null,
    };
  }

  root.boundkitSimulation = Object.assign(root.boundkitSimulation || {}, {
    ALGORITHMS, prepare, observed, trajectory, inside, limit, stationary, surrogateWeights, optimumOf, sample, mulberry32,
    constants, bound, eigen, chancesAt,
  });
})(globalThis);
