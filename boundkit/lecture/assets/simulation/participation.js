// Client participation: for each round of a period every outcome, {probability, participants}.
(function (sim) {
  "use strict";
  const { range } = sim.matrices;
  const { refuse, isNumber, number, whole } = sim;

  const MOST_OUTCOMES = 4096;

  function* subsets(pool, size, from = 0) {
    if (size === 0) { yield []; return; }
    for (let k = from; k + size <= pool.length; k++)
      for (const rest of subsets(pool, size - 1, k + 1)) yield [pool[k], ...rest];
  }
  function uniformly(pool, size) {
    let count = 1;
    for (let k = 1; k <= size; k++) count = count * (pool.length - size + k) / k;
    if (count > MOST_OUTCOMES) refuse(`${size} of ${pool.length} clients come in ${Math.round(count)} ways; up to ${MOST_OUTCOMES} are listed.`);
    return [...subsets(pool, size)].map(participants => ({ probability: 1 / Math.round(count), participants }));
  }
  function independently(q) {
    const open = range(q.length).filter(i => q[i] > 0 && q[i] < 1);
    if (2 ** open.length > MOST_OUTCOMES) refuse(`${open.length} clients that may come or not are too many to list; up to 12 are.`);
    return range(2 ** open.length).map(code => {
      const comes = q.map(v => v === 1);
      let probability = 1;
      open.forEach((i, k) => { comes[i] = Boolean((code >> k) & 1); probability *= comes[i] ? q[i] : 1 - q[i]; });
      return { probability, participants: range(q.length).filter(i => comes[i]) };
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
  // the distribution of each round of a period: sets of participants with their probabilities
  function distributionsOf(run, m) {
    if (run.schedule) {
      if (!Array.isArray(run.schedule) || !run.schedule.length) refuse("schedule must be a list of rounds.");
      return run.schedule.map((participants, t) => {
        if (!Array.isArray(participants) || participants.some(i => !(Number.isInteger(i) && i >= 0 && i < m)) || new Set(participants).size < participants.length)
          refuse(`schedule[${t}] must hold clients 0 to ${m - 1}, each once at most.`);
        return [{ probability: 1, participants: [...participants].sort((a, b) => a - b) }];
      });
    }
    const given = run.participation || { kind: "full" }, everyone = range(m);
    if (given.kind === "full") return [[{ probability: 1, participants: everyone }]];
    if (given.kind === "uniform") {
      const count = Math.round(number("C", given.C, true) * m);
      if (count < 1 || count > m || Math.abs(count - given.C * m) > 1e-9)
        refuse(`C = ${given.C} of ${m} clients makes ${given.C * m} clients; C m must be a whole number from 1 to ${m}.`);
      return [uniformly(everyone, count)];
    }
    if (given.kind === "cyclic")
      return groupsOf(given.groups, m).map(g => uniformly(g, given.count ? whole("cyclic count", given.count, g.length) : g.length));
    if (given.kind === "bernoulli") {
      if (given.dynamics && given.dynamics !== "stationary") refuse("probabilities that change with time are not simulated here.");
      const q = isNumber(given.probabilities) ? everyone.map(() => given.probabilities) : given.probabilities;
      if (!Array.isArray(q) || q.length !== m || !q.every(v => isNumber(v) && v >= 0 && v <= 1))
        refuse(`probabilities must be one number, or ${m} numbers, from 0 to 1.`);
      return [independently(q)];
    }
    return refuse(`participation ${JSON.stringify(given.kind)} is not simulated here; full, uniform, cyclic and bernoulli are.`);
  }

  Object.assign(sim, { distributionsOf });
})(globalThis.boundkitSimulation);
