// The surrogate objective sum v_i F_i that small steps minimise, and its optimum.
(function (sim) {
  "use strict";
  const { range, zeros, applied, plus, sum, along, finite, solved, eigen } = sim.matrices;
  const { stepsAt, distributionAt, probabilitiesAt, mass, weights, limit } = sim;

  // v_i of the surrogate sum v_i F_i that small steps minimise; null where no client ever participates
  function surrogateWeights(model) {
    const { m, p, keeps, period, steps } = model, total = new Array(m).fill(0);
    const ever = range(m).map(i => range(period).some(t => probabilitiesAt(model, t)[i] > 0));
    if (keeps === "control") ever.forEach((participates, i) => { if (participates) total[i] = p[i]; });
    else if (keeps === "update" && steps.length === 1) ever.forEach((participates, i) => { if (participates) total[i] = steps[0][i]; });
    else if (keeps) return readOff(model);
    else for (let t = 0; t < period; t++) {
      const tau = stepsAt(model, t);
      for (const { probability, participants } of distributionAt(model, t))
        weights(model, t, participants).forEach((w, k) => { total[participants[k]] += probability * w * mass(model, tau[participants[k]]); });
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

  Object.assign(sim, { surrogateWeights, optimumOf });
})(globalThis.boundkitSimulation);
