// One sample of a run.
(function (sim) {
  "use strict";
  const { applied, along, finite } = sim.matrices;
  const { roundAt } = sim;

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
  function gaussian(V, uniform) {
    const a = Math.sqrt(V[0][0]), first = normal(uniform);
    if (V.length === 1) return [a * first];
    const b = a > 0 ? V[1][0] / a : 0;
    return [a * first, b * first + Math.sqrt(Math.max(V[1][1] - b * b, 0)) * normal(uniform)];
  }
  // One sample of a run: the server's iterates, and the sampled clients of each round. Whole rounds are drawn, not
  // steps, from the same distribution.
  function sample(model, seed) {
    const uniform = mulberry32(seed), { d, centre } = model, x = [], sampled = [];
    let s = model.start;
    for (let t = 0; t <= model.rounds && finite(s); t++) {
      x.push(along(s.slice(0, d), centre, 1));
      if (t === model.rounds) break;
      const { outcomes, localMaps } = roundAt(model, t);
      let left = uniform(), k = 0;
      while (k < outcomes.length - 1 && left >= outcomes[k].probability) left -= outcomes[k++].probability;
      const { A, b, participants, noises } = outcomes[k];
      s = along(applied(A, s), b, 1);
      if (model.sigma > 0) for (const { client, B } of noises) s = along(s, applied(B, gaussian(localMaps[client].V, uniform)), 1);
      sampled.push(participants);
    }
    return { x, sampled };
  }

  Object.assign(sim, { mulberry32, sample });
})(globalThis.boundkitSimulation);
