// A RUN.json as a model: checked once, and centred at the optimum.
//
// Small errors would be lost beside large coordinates, so that coordinates are relative to x*.
(function (sim) {
  "use strict";
  const { range, zeros, applied, plus, sum, minus, along, solved, eigen } = sim.matrices;
  const { refuse, isNumber, number, whole, hessian, point, stepsOf, distributionsOf } = sim;

  const MOST_WORK = 6e7, MOST_ROUNDS = 20000;
  const AGGREGATED = ["aggregation", "probabilities"];
  // The state of a client in each algorithm, and the supported options.
  const ALGORITHMS = {
    fedavg: { label: "FedAvg", options: AGGREGATED },
    fedprox: { label: "FedProx", options: ["mu", ...AGGREGATED] },
    fednova: { label: "FedNova", options: [] },
    minibatch_sgd: { label: "minibatch SGD", options: AGGREGATED },
    scaffold: { label: "SCAFFOLD", options: [], keeps: "control" },
    fedvarp: { label: "FedVARP", options: [], keeps: "update" },
    vrlsgd: { label: "VRL-SGD", options: [], keeps: "correction" },
  };

  function optionsOf(algorithm, given, m) {
    const options = given || {}, known = ALGORITHMS[algorithm].options;
    for (const name of Object.keys(options))
      if (!known.includes(name)) refuse(`${algorithm} has no option ${name} here${known.length ? `; it has ${known.join(", ")}` : ""}.`);
    const kind = options.aggregation || "weighted";
    if (!["weighted", "mean", "all", "sum", "known", "unbiased"].includes(kind)) refuse(`aggregation ${JSON.stringify(kind)} is not known.`);
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
    const steps = stepsOf(run.local_steps, m), distributions = distributionsOf(run, m);
    if (algorithm === "minibatch_sgd" && steps.flat().some(v => v !== 1))
      refuse("minibatch_sgd averages after every gradient, so local_steps must be 1; for more, use fedavg.");
    const options = optionsOf(algorithm, run.options, m), period = distributions.length * steps.length / gcd(distributions.length, steps.length);
    if (options.aggregation === "unbiased" && (run.schedule || distributions.length > 1))
      refuse("unbiased aggregation needs participation probabilities that are the same in every round.");
    const size = ALGORITHMS[algorithm].keeps ? d * (m + 1) : d;
    const outcomes = Math.max(...distributions.map(distribution => distribution.length)), pairs = size * (size + 1) / 2;
    if (outcomes * pairs * pairs > MOST_WORK) refuse(`${algorithm} keeps ${size} numbers, too many for ${outcomes} sets of participants.`);
    return {
      algorithm, m, d, H, p, steps, distributions, options, period, size, mean, centre,
      e: e.map(v => minus(v, centre)), start: [...minus(point("x0", run.x0, d), centre), ...new Array(size - d).fill(0)],
      keeps: ALGORITHMS[algorithm].keeps || null, rounds: whole("rounds", run.rounds, MOST_ROUNDS),
      eta: number("eta", run.eta, true), etaS: number("eta_s", run.eta_s === undefined ? 1 : run.eta_s, true),
      sigma: number("noise", run.noise || 0, false), schedule: Boolean(run.schedule),
      kind: run.schedule ? "schedule" : (run.participation || { kind: "full" }).kind, made: new Map(),
    };
  }

  Object.assign(sim, { ALGORITHMS, prepare });
})(globalThis.boundkitSimulation);
