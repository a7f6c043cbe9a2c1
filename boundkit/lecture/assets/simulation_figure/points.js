// Points and their names, each where there is room for it.
(function (sim, drawing) {
  "use strict";
  const { put, pixels } = drawing;
  const { norm, minus } = sim.matrices;

  const SYMBOLS = {
    optimum: r => `M0 ${-1.5 * r}L${0.4 * r} ${-0.45 * r}L${1.45 * r} ${-0.45 * r}L${0.6 * r} ${0.25 * r}L${0.9 * r} ${1.3 * r}L0 ${0.65 * r}L${-0.9 * r} ${1.3 * r}L${-0.6 * r} ${0.25 * r}L${-1.45 * r} ${-0.45 * r}L${-0.4 * r} ${-0.45 * r}Z`,
    surrogate: r => `M0 ${-1.35 * r}L${1.1 * r} 0L0 ${1.35 * r}L${-1.1 * r} 0Z`,
    fixed: r => `M${r} 0A${r} ${r} 0 1 1 ${-r} 0A${r} ${r} 0 1 1 ${r} 0Z`,
    start: r => `M${-r * 0.8} ${-r * 0.8}H${r * 0.8}V${r * 0.8}H${-r * 0.8}Z`,
  };
  function mark(parent, kind, [x, y], size) {
    put(parent, "path", { class: kind, d: SYMBOLS[kind](size), transform: `translate(${pixels(x)} ${pixels(y)})` });
  }
  // labels beside points, each at the first of eight places where nothing stands yet
  function labelled(parent, labels, em, box, taken) {
    for (const { words, at: [x, y], kind, below } of labels) {
      const w = 0.56 * em * words.length, h = em, gap = 0.75 * em;
      const places = below ? [[-w / 2, 0], [-w - 0.1 * em, 0], [0.1 * em, 0], [-w - 0.6 * em, 0], [0.6 * em, 0]] : [[gap, 0], [-gap - w, 0], [-w / 2, -1.3 * em], [-w / 2, 1.3 * em], [gap, -em], [gap, em], [-gap - w, -em], [-gap - w, em]];
      const fits = ([dx, dy]) => {
        const b = [x + dx, y + dy - h / 2, x + dx + w, y + dy + h / 2], room = below ? 0.4 * em : 0;
        return b[0] > box[0] && b[1] > box[1] && b[2] < box[2] && b[3] < box[3] &&
          taken.every(o => b[2] + room < o[0] || b[0] - room > o[2] || b[3] < o[1] || b[1] > o[3]) && b;
      };
      const chosen = places.find(fits);
      if (!chosen) continue;
      taken.push(fits(chosen));
      put(parent, "text", { class: `halo ${kind || ""}`, x: pixels(x + chosen[0]), y: pixels(y + chosen[1] + 0.35 * em) }, words);
    }
  }
  function named(result, t) {
    const { model, seen, limit, surrogate } = result;
    const points = [{ kind: "optimum", words: "x*", x: model.centre }];
    if (surrogate && norm(minus(surrogate, model.centre)) > 1e-9) points.push({ kind: "surrogate", words: "x̃", x: surrogate });
    if (limit && limit.stable) limit.points.forEach((x, k) => points.push({ kind: "fixed", words: k ? "" : "x∞", x }));
    if (t > 0) points.push({ kind: "start", words: "x₀", x: seen.x[0] });
    return points;
  }
  // the names of points that fall together become one
  function merged(points, to, em) {
    const labels = [];
    for (const { words, x, kind } of points.filter(p => p.words)) {
      const at = to(x), near = labels.find(l => Math.hypot(l.at[0] - at[0], l.at[1] - at[1]) < 0.5 * em);
      if (near) near.words += (norm(minus(near.x, x)) < 1e-9 * Math.max(1, norm(x)) ? " = " : ", ") + words;
      else labels.push({ words, at, x, kind: `of-${kind}` });
    }
    return labels;
  }

  Object.assign(sim.figure, { SYMBOLS, mark, labelled, named, merged });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
