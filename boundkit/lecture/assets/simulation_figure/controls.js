// Controls: choices and sliders, each reading the state and writing to it.
(function (sim, drawing) {
  "use strict";
  const { subscript, formatNumber, put } = drawing;
  const { range } = sim.matrices;
  const { OBSERVABLES, boundOf, aggregates } = sim.figure;
  const PARTICIPATION = {
    full: "full", uniform: "C m clients, sampled uniformly", cyclic: "cyclic groups", bernoulli: "independent, by own probability",
    schedule: "schedule",
  };
  const AGGREGATIONS = {
    weighted: "weighted mean of participants", mean: "plain mean of participants", all: "mean over all, absent ones 0",
    sum: "sum by p, not normalised", known: "divided by known probabilities", unbiased: "p divided by the probability",
  };
  const aggregationsOf = kind => Object.keys(AGGREGATIONS).filter(name =>
    name === "unbiased" ? kind === "uniform" || kind === "bernoulli" : name === "known" ? kind === "bernoulli" : true);

  // Both fill ``parent`` and return a function that updates them from the state.
  function choices(parent, settings, state, changed) {
    const choose = (name, label, entries, change) => {
      const box = put(parent, "label", { class: "choice" });
      put(box, "span", {}, label);
      const select = put(box, "select", { name });
      for (const [value, words] of entries) put(select, "option", { value }, words);
      select.addEventListener("change", () => { change(select.value); changed(); });
      return { box, select };
    };
    const m = settings.run.problem.e.length;
    const algorithm = choose("algorithm", "Algorithm", Object.entries(sim.ALGORITHMS).map(([k, v]) => [k, v.label]), v => { state.algorithm = v; });
    const kinds = Object.entries(PARTICIPATION).filter(([k]) => (k === "schedule" ? settings.run.schedule : k !== "cyclic" || m > 1));
    const participation = choose("participation", "Participation", kinds, v => {
      state.kind = v;
      if (!aggregationsOf(v).includes(state.aggregation)) state.aggregation = "weighted";
    });
    const aggregation = choose("aggregation", "Aggregation", Object.entries(AGGREGATIONS), v => { state.aggregation = v; });
    const curves = Object.entries(OBSERVABLES).map(([k, [, words]]) => [k, words]);
    const shown = boundOf(settings) ? [...curves, ["bound", `bound: ${settings.theorem.title}`]] : curves;
    const show = choose("show", "Curve", shown, v => { state.show = v; state.height = null; });
    const height = choose("height", "Scale", [["linear", "linear"], ["logarithmic", "logarithmic"]], v => { state.height = v; });
    return result => {
      const stacked = state.show === "bound" && result && result.bound && result.bound.applies;
      algorithm.select.value = state.algorithm;
      participation.select.value = state.kind;
      show.select.value = state.show;
      height.select.value = state.height || (stacked ? "linear" : "logarithmic");
      aggregation.select.value = state.aggregation;
      aggregation.box.hidden = !aggregates(state.algorithm) || state.kind === "full";
      for (const option of aggregation.select.options) option.hidden = option.disabled = !aggregationsOf(state.kind).includes(option.value);
    };
  }

  // Those named in ``settings.first`` come first, into ``parent``; the others into ``more``.
  function sliders(parent, more, settings, state, id, changed) {
    const { run, first = ["eta", "tau"] } = settings, m = run.problem.e.length, always = () => true, made = [], boxes = {};
    const ends = (name, low, high) => (settings.controls && settings.controls[name]) || [low, high];
    // ``when``: whether the slider is shown
    const slide = (name, label, [low, high], step, read, write, { words = formatNumber, when = always } = {}) => {
      const box = boxes[name] = put(more, "div", { class: "slider" }), key = `${id}-${name}`;
      put(box, "label", { for: key }, label);
      const output = put(box, "output", { for: key }), input = put(box, "input", { type: "range", id: key, name, min: low, max: high, step });
      input.addEventListener("input", () => { write(Number(input.value)); changed(); });
      made.push(() => {
        box.hidden = !when();
        input.value = read();
        output.textContent = words(read());
        input.setAttribute("aria-valuetext", output.textContent);
      });
    };
    const [low, high] = ends("eta", run.eta / 20, run.eta * 20), taus = ends("tau", 1, 40), noise = ends("sigma", 0, 4);
    slide("eta", "Step size η", [low, high], 10 ** Math.floor(Math.log10(high / 200)), () => state.eta, v => { state.eta = v; });
    const stepping = { when: () => state.algorithm !== "minibatch_sgd" };
    if (!Array.isArray(state.steps)) slide("tau", "Local steps τ", taus, 1, () => state.steps, v => { state.steps = v; }, stepping);
    else if (!Array.isArray(state.steps[0])) state.steps.forEach((_, i) =>
      slide(`tau_${i + 1}`, `Local steps τ${subscript(i + 1)}`, taus, 1, () => state.steps[i], v => { state.steps[i] = v; }, stepping));
    slide("C", "Clients a round", [1, m], 1, () => state.count, v => { state.count = v; }, { words: v => `${v} of ${m}`, when: () => state.kind === "uniform" });
    for (const i of range(m)) slide(`q_${i + 1}`, `Probability of client ${i + 1}`, [0.05, 1], 0.05, () => state.probabilities[i],
      v => { state.probabilities[i] = v; }, { when: () => state.kind === "bernoulli" });
    slide("mu", "Proximal weight μ", [0, 5], 0.1, () => state.mu, v => { state.mu = v; }, { when: () => state.algorithm === "fedprox" });
    slide("sigma", "Noise σ", noise, noise[1] / 80, () => state.sigma, v => { state.sigma = v; });
    slide("spread", "Distance of clients", ends("spread", 0, 2), 0.05, () => state.spread, v => { state.spread = v; }, { words: v => `${formatNumber(v)} ×` });
    slide("rounds", "Rounds T", ends("rounds", 5, 200), 1, () => state.rounds, v => {
      if (state.at === state.rounds || state.at > v) state.at = v;
      state.rounds = v;
    });
    parent.append(...first.map(name => boxes[name]));
    return () => made.forEach(refresh => refresh());
  }

  Object.assign(sim.figure, { choices, sliders });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
