// What a run must be: a mistake is an Error whose message is one sentence.
(function (sim) {
  "use strict";
  const { eye, times, largest } = sim.matrices;

  const MOST_STEPS = 5000;

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

  Object.assign(sim, { refuse, isNumber, number, whole, hessian, point, stepsOf });
})(globalThis.boundkitSimulation);
