// State of a simulation figure: initial values, and the results of a state.
//
// ``settings`` are a preset of simulation_data.py: title, algorithm, run, beside, theorem, show, at, controls. ``state`` holds
// the values of the controls; ``result`` is computed from both.
(function (sim) {
  "use strict";
  const { range } = sim.matrices;

  function initialState(settings) {
    const run = settings.run, participation = run.schedule ? { kind: "schedule" } : run.participation || { kind: "full" };
    const m = run.problem.e.length, bound = boundOf(settings);
    const probabilities = participation.probabilities === undefined ? 0.5 : participation.probabilities;
    return {
      algorithm: settings.algorithm, eta: run.eta, steps: Array.isArray(run.local_steps) ? [...run.local_steps] : run.local_steps,
      sigma: run.noise || 0, spread: 1, rounds: run.rounds, kind: participation.kind,
      count: participation.kind === "uniform" ? Math.round(participation.C * m) : Math.max(1, Math.floor(m / 2)),
      groups: participation.groups || (m % 3 === 0 && m > 3 ? 3 : m % 2 === 0 ? 2 : m),
      probabilities: Array.isArray(probabilities) ? [...probabilities] : range(m).map(() => probabilities),
      aggregation: (run.options || {}).aggregation || "weighted", mu: (run.options || {}).mu || 1, seed: 1,
      at: Math.min(settings.at === undefined ? run.rounds : settings.at, run.rounds),
      show: settings.show === "bound" && !bound ? "distance_squared" : settings.show || (bound ? "bound" : "distance_squared"),
      height: null,
    };
  }
  const boundOf = settings => (settings.theorem && globalThis.boundkit && globalThis.boundkit[settings.theorem.name]) || null;
  const aggregates = algorithm => sim.ALGORITHMS[algorithm].options.includes("aggregation");

  // the RUN.json of a state; minimisers are scaled about the optimum, which stays fixed
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
      if (state.aggregation === "known") run.options.probabilities = inclusionProbabilities(state, m);
    }
    if (algorithm === "fedprox") run.options.mu = state.mu;
    run.local_steps = algorithm === "minibatch_sgd" ? 1 : state.steps;
    if (state.spread !== 1) {
      const centre = sim.prepare("minibatch_sgd", { ...settings.run, local_steps: 1, options: {} }).centre;
      run.problem.e = given.map(e => e.map((v, k) => centre[k] + state.spread * (v - centre[k])));
    }
    return { ...run, eta: state.eta, noise: state.sigma, rounds: state.rounds };
  }
  const inclusionProbabilities = (state, m) => (state.kind === "bernoulli" ? state.probabilities.map(q => Math.max(q, 0.01)) : range(m).map(() => state.count / m));

  function simulate(settings, state) {
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
  const random = model => model.sigma > 0 || model.distributions.some(distribution => distribution.length > 1);

  sim.figure = { initialState, boundOf, aggregates, simulate, random };
})(globalThis.boundkitSimulation);
