// The bound of a theorem with the measured values, or the reason why it does not apply.
(function (sim) {
  "use strict";
  const { range, eigen } = sim.matrices;
  const { ALGORITHMS, alike, constants } = sim;

  // Assumptions: for each a test of the model, and its name in a sentence.
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
    "full-participation": [model => model.kind === "full" || (model.kind === "uniform" && model.distributions[0].length === 1), "full participation"],
    "partial-participation": [model => model.kind === "full" || model.kind === "uniform", "C m clients drawn uniformly"],
    "common-local-steps": [model => alike(model.steps.flat()), "equal local steps"],
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
    if (!covers) return { applies: false, why: `The theorem is about ${label(claim.algorithm)}, not about ${label(model.algorithm)}.` };
    if (!plain) missing.unshift("the weighted mean of the participating clients");
    if (missing.length) return { applies: false, why: `The theorem does not apply: it assumes ${missing.join(", and ")}.` };
    if (seen.outcome !== "done") return { applies: false, why: `The run diverged in round ${seen.divergedAt}, so that there is nothing to bound.` };
    let q = constants(model, seen, claim.of === "surrogate");
    const derived = claim.solver && statement.derived[claim.solver];
    if (derived) { delete q.tau; q = derived(q); }
    const wanted = statement.quantities.map(one => one.name).filter(name => q[name] === undefined);
    if (wanted.length) return { applies: false, why: `The bound needs ${wanted.join(", ")}, which this page does not compute.` };
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

  Object.assign(sim, { bound });
})(globalThis.boundkitSimulation);
