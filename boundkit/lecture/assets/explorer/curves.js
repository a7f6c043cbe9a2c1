// The terms of a theorem along one quantity, and where its chart's numbers stand.
(function (explorer, drawing) {
  "use strict";
  const { clamp } = drawing;
  const { STEPS, valueAt, whole, meaningful, inside } = explorer, POINTS = 121;

  // The terms at every place of a slider where they have a meaning.
  function curves(theorem, slider, q) {
    const xs = new Set();
    for (let k = 0; k < POINTS; k++) xs.add(valueAt(slider, (STEPS * k) / (POINTS - 1)));
    return Array.from(xs, x => whole({ ...q, [slider.name]: x }))
      .filter((at, i, all) => meaningful(theorem, at) && (i === 0 || at[slider.name] !== all[i - 1][slider.name]))
      .map(at => ({ x: at[slider.name], terms: theorem.terms.map(t => t.value(at)), inside: inside(theorem, at) }))
      .filter(point => point.terms.every(Number.isFinite));
  }

  // Where the condition does not hold: pairs of ends.
  function stretches(points) {
    const found = [];
    points.forEach((p, i) => {
      if (p.inside) return;
      const before = i > 0 ? points[i - 1] : null;
      if (before && !before.inside) found[found.length - 1][1] = p.x;
      else found.push([before ? before.x : p.x, p.x]);
    });
    return found;
  }

  // The plane of a chart: x and y from values to pixels, and the ends of both. A stack begins at 0, and is cut
  // where it would hide what stands at the sliders, whose sum is ``total``; lines are logarithmic.
  function plane(points, { left, right, top, bottom, width, height }, slider, total, lines) {
    const low = points[0].x, high = points[points.length - 1].x, sums = points.map(p => p.terms.reduce((s, v) => s + v, 0));
    const positive = points.flatMap(p => p.terms).filter(v => v > 0);
    const most = Math.max(...sums), cut = Math.min(most, Math.max(8 * total, 1.3 * Math.min(...sums)));
    const roof = lines ? most * 1.5 : cut * 1.05, floor = lines ? Math.max(Math.min(...positive), roof * 1e-8) : 0;
    const x = v => left + (width - left - right) * (slider.log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
    const y = v => {
      const share = lines ? Math.log(Math.max(v, floor) / floor) / Math.log(roof / floor) : v / roof;
      return height - bottom - (height - bottom - top) * clamp(share, 0, 1.02);
    };
    return { low, high, floor, roof, sums, x, y };
  }

  Object.assign(explorer, { curves, stretches, plane });
})(globalThis.boundkitExplorer, globalThis.boundkitDrawing);
