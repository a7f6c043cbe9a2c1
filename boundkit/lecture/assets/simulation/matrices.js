// Small dense matrices, as lists of rows: boundkitSimulation.matrices.
(function (root) {
  "use strict";

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
    let power = A, log = 0, result = 0;
    for (let k = 0; k < 60; k++) {
      const size = largest(power);
      if (!(size > 0)) return 0;
      log += Math.log(size);
      const now = Math.exp(log / 2 ** k);
      if (k > 12 && Math.abs(now - result) <= 1e-14 * now) return now;
      result = now;
      power = times(power, 1 / size);
      power = product(power, power);
      log *= 2;
    }
    return result;
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

  const matrices = {
    range, zeros, eye, transposed, dot, applied, plus, times, sum, norm, minus, along, largest, finite, product,
    solved, leftNull, spectralRadius, positive, eigen,
  };
  root.boundkitSimulation = { matrices, eigen };
})(globalThis);
