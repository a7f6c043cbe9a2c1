"""The few functions that every exported script brings with it."""

PRELUDE = """\
  const sum = (n, f) => { let s = 0; for (let k = 0; k < n; k++) s += f(k); return s; };
  const max = (n, f) => { let s = -Infinity; for (let k = 0; k < n; k++) s = Math.max(s, f(k)); return s; };
  // E[1{i came}/number who came], from the chances that k of the others come
  const activeShare = (m, i, q) => {
    let e = [1];
    for (let j = 0; j < m; j++) if (j !== i) {
      const p = q(j), f = k => (k < e.length ? e[k] * (1 - p) : 0) + (k ? e[k - 1] * p : 0);
      e = Array.from({ length: e.length + 1 }, (_, k) => f(k));
    }
    return q(i) * sum(e.length, k => e[k] / (k + 1));
  };
  const rows = v => Array.isArray(v) && Array.isArray(v[0]);
  const at = (v, i, t) => !Array.isArray(v) ? v : rows(v) ? v[(t || 0) % v.length][i] : v[i];
  const rounds = q => Math.max(1, ...Object.values(q).filter(rows).map(v => v.length));
  // (1 + away)**exponent, exact to rounding where away is tiny and the exponent huge
  const openPower = (away, exponent) =>
    Math.abs(away) < 0.5 ? Math.exp(exponent * Math.log1p(away)) : Math.pow(1 + away, exponent);
  const oneMinusPower = (away, exponent) =>
    Math.abs(away) < 0.5 ? -Math.expm1(exponent * Math.log1p(away)) : 1 - Math.pow(1 + away, exponent);
  // as in Python, so that a limit computed in floating point satisfies itself
  const atMost = (a, b) => a <= b + 1e-12 * Math.max(Math.abs(a), Math.abs(b));
  const binomial = (n, k) => { let b = 1; for (let j = 1; j <= k; j++) b *= (n - k + j) / j; return b; };
  // the sum over j <= n of ((a^j - b^j)/(a - b))^power, from parts that are all positive
  const weightSum = (a, b, n, power) => {
    let weight = 0, kept = 1, s = 0;
    for (let j = 1; j <= n; j++) { weight = a * weight + kept; kept *= b; s += Math.pow(weight, power); }
    return s;
  };
  // what was given stays; a missing vector is alike for all clients; then each derived quantity in turn
  const derive = (given, alike, steps) => {
    const q = { ...given };
    const vector = Object.values(q).find(Array.isArray);
    if (vector && q.m === undefined) q.m = rows(vector) ? vector[0].length : vector.length;
    for (const [name, value] of alike) if (q[name] === undefined) q[name] = value(q);
    for (const [name, value] of steps) if (given[name] === undefined) q[name] = value(q);
    return q;
  };
"""
