// The plane of momentum and outer step, coloured by speed, and the error of a point of it round by round.
(function (root) {
  "use strict";
  const { heightOf, typeOf, formatNumber, ticks, logTicks, put, path } = root.boundkitDrawing;
  const COLUMNS = 120, ROWS = 150, CLASSES = [10, 30, 100, 300, Infinity], MOMENTA = [0, 0.5, 0.8, 0.9, 0.95, 0.99];
  const LEAST = 1e-4;

  // Rounds to a tenth of the error in the slower of the two extreme directions; infinite where it is unstable.
  function rounds(forms, q, { slowest, fastest }) {
    const factor = Math.max(...[slowest, fastest].map(d => forms.contraction({ ...q, q: d })));
    return factor < 1 ? Math.max(Math.LN10 / -Math.log(factor), 1) : Infinity;
  }
  // The first class that holds a number of rounds; -1 where it is unstable.
  const classOf = count => (count === Infinity ? -1 : CLASSES.findIndex(most => count <= most));

  function boxOf(svg, share) {
    const width = Math.max(svg.parentNode.getBoundingClientRect().width || 400, 260);
    const type = typeOf(width, 28, 13, 20), height = heightOf(width, share, 0.19);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    return { width, height, type, left: type * 3.4, right: type, top: type * 1.5, bottom: type * 2.7 };
  }
  function axes(svg, { width, height, type, left, right, top, bottom }, marks, words) {
    const size = 0.85 * type;
    for (const [at, text] of marks.x) put(svg, "text", { class: "tick", x: at, y: height - bottom + 1.1 * type, "text-anchor": "middle", "font-size": size }, text);
    for (const [at, text] of marks.y) put(svg, "text", { class: "tick", x: left - 0.4 * type, y: at + 0.35 * type, "text-anchor": "end", "font-size": size }, text);
    put(svg, "path", { class: "axis", d: `M${left},${top}V${height - bottom}H${width - right}` });
    put(svg, "text", { class: "tick", x: left, y: 0.9 * type, "font-size": size }, words.y);
    put(svg, "text", { x: (left + width - right) / 2, y: height - 0.35 * type, "text-anchor": "middle", "font-size": 0.9 * type }, words.x);
  }

  // ``ends``: of the momentum and of the step. Returns what a place in the picture means.
  function drawMap(svg, forms, q, decays, best, ends) {
    const box = boxOf(svg, 0.86), { width, height, type, left, right, top, bottom } = box, foot = height - bottom;
    const far = 1 / (1 - ends.beta_s[1]), [low, high] = ends.eta_s;
    const share = { x: beta => -Math.log(1 - beta) / Math.log(far), y: step => Math.log(step / low) / Math.log(high / low) };
    const x = beta => left + (width - left - right) * share.x(beta), y = step => foot - (foot - top) * Math.min(Math.max(share.y(step), 0), 1);
    const betaAt = part => 1 - Math.pow(far, -part), stepAt = part => low * Math.pow(high / low, part);
    const wide = (width - left - right) / COLUMNS, tall = (foot - top) / ROWS;
    for (let column = 0; column < COLUMNS; column++) {
      const beta_s = betaAt((column + 0.5) / COLUMNS);
      for (let row = 0, from = 0, before = null; row <= ROWS; row++) {
        const kind = row < ROWS ? classOf(rounds(forms, { ...q, beta_s, eta_s: stepAt((row + 0.5) / ROWS) }, decays)) : null;
        if (row && kind !== before) {
          if (before >= 0) put(svg, "rect", { class: `speed-${before}`, x: left + column * wide, y: foot - row * tall, width: wide + 0.4, height: (row - from) * tall + 0.4 });
          from = row;
        }
        before = kind;
      }
    }
    const edge = Array.from({ length: 80 }, (_, k) => betaAt(k / 79)).map(beta_s => [beta_s, forms.largest({ ...q, beta_s, q: decays.fastest })]);
    put(svg, "path", { class: "edge", d: path(edge.map(([beta, step]) => [x(beta), y(step)])) });
    const roof = y(Math.min(...edge.map(([, step]) => step)));
    if (roof - top > 2.4 * type) put(svg, "text", { class: "edge-label", x: width - right - 0.5 * type, y: top + 1.2 * type, "text-anchor": "end", "font-size": 0.9 * type }, "unstable");
    axes(svg, box, {
      x: MOMENTA.filter(beta => beta <= ends.beta_s[1] + 1e-9).map(beta => [x(beta), String(beta)]),
      y: logTicks(low, high, 6).map(step => [y(step), formatNumber(step)]),
    }, { x: "momentum of the server", y: "outer step" });
    const mark = (beta, step, words, kind) => {
      put(svg, "circle", { class: kind, cx: x(beta), cy: y(step), r: type / 2.4 });
      const after = x(beta) < width - right - 4 * type;
      put(svg, "text", { class: "halo", x: x(beta) + (after ? 0.7 : -0.7) * type, y: y(step) + (words === "best" ? 1.1 : -0.5) * type, "text-anchor": after ? "start" : "end", "font-size": 0.95 * type }, words);
    };
    mark(best.beta_s, best.eta_s, "best", "best");
    mark(q.beta_s, q.eta_s, "here", "at");
    const within = v => Math.min(Math.max(v, 0), 1);
    return (px, py) => ({
      beta_s: Math.min(betaAt(within((px * width - left) / (width - left - right))), ends.beta_s[1]),
      eta_s: stepAt(within((foot - py * height) / (foot - top))),
    });
  }

  // The errors along the slowest and the fastest direction, from 1, over so many rounds.
  function paths(forms, q, decays, count) {
    return Object.entries(decays).map(([name, decay]) => {
      const errors = [1];
      for (let t = 0, at = { residual: 1, buffer: 0 }; t < count; t++) {
        const given = { ...q, ...at, q: decay };
        at = { residual: forms.residual(given), buffer: forms.buffer(given) };
        errors.push(Math.abs(at.residual));
      }
      return { name, errors };
    });
  }
  function drawErrors(svg, forms, q, decays, count) {
    const box = boxOf(svg, 0.86), { width, height, type, left, right, top, bottom } = box, foot = height - bottom, roof = 10;
    const x = t => left + (width - left - right) * (t / count), y = v => foot - (foot - top) * Math.log(Math.max(v, LEAST) / LEAST) / Math.log(roof / LEAST);
    for (const v of logTicks(LEAST, roof, 6)) put(svg, "path", { class: "grid", d: `M${left},${y(v)}H${width - right}` });
    let leaves = false;
    for (const { name, errors } of paths(forms, q, decays, count)) {
      const out = errors.findIndex(v => !(v <= roof)), shown = errors.slice(0, out < 0 ? errors.findLastIndex(v => v >= LEAST) + 1 : out);
      leaves ||= out >= 0;
      put(svg, "path", { class: name, d: path(shown.map((v, t) => [x(t), y(v)])) });
    }
    axes(svg, box, {
      x: ticks(0, count, 4).map(t => [x(t), String(t)]), y: logTicks(LEAST, roof, 6).map(v => [y(v), formatNumber(v)]),
    }, { x: "round", y: "error, as a part of the first" });
    if (leaves) put(svg, "text", { class: "diverges halo", x: (left + width) / 2, y: top + 1.6 * type, "text-anchor": "middle", "font-size": type }, "diverges: it leaves the frame");
  }

  root.boundkitStability = { CLASSES, rounds, drawMap, drawErrors };
})(globalThis);
