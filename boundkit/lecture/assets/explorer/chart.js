// The chart of an explorer: terms by cause along one quantity, stacked or as lines.
(function (explorer, drawing) {
  "use strict";
  const { slug, heightOf, typeOf, formatNumber, ticks, logTicks, put, path } = drawing;
  const { whole, curves, stretches, plane } = explorer;
  const colour = cause => `var(--cause-${slug(cause)})`;

  function boxOf(svg) {
    const width = Math.max(svg.parentNode.getBoundingClientRect().width || 640, 300), narrow = width < 560;
    const type = typeOf(width, 42, 12, 19), height = heightOf(width, narrow ? 0.7 : 0.56, 0.34);
    return { width, height, type, left: type * 4.6, right: type, top: type * 1.6, bottom: type * 3.2 };
  }

  function drawAxes(svg, { width, height, type, left, right, top, bottom }, frame, slider, lines) {
    const { low, high, floor, roof, x, y } = frame, size = 0.85 * type;
    for (const v of lines ? logTicks(floor, roof, 7) : ticks(0, roof, 6)) {
      put(svg, "path", { class: "grid", d: `M${left},${y(v)}H${width - right}` });
      put(svg, "text", { class: "tick", x: left - 0.5 * type, y: y(v) + 0.35 * type, "text-anchor": "end", "font-size": size }, formatNumber(v));
    }
    for (const v of slider.log ? logTicks(low, high, 7) : ticks(low, high, 6)) {
      put(svg, "path", { class: "axis", d: `M${x(v)},${height - bottom}v5` });
      put(svg, "text", { class: "tick", x: x(v), y: height - bottom + 1.4 * type, "text-anchor": "middle", "font-size": size }, formatNumber(v));
    }
    put(svg, "text", { x: left, y: 0.8 * type, "font-size": 0.9 * type, class: "tick" }, lines ? "each term, and the bound above them" : "the bound, by cause");
    put(svg, "text", { x: (left + width - right) / 2, y: height - 0.5 * type, "text-anchor": "middle", "font-size": 0.95 * type }, slider.meaning);
  }

  function drawStack(svg, theorem, points, { x, y }) {
    let below = points.map(() => 0);
    theorem.terms.forEach((term, k) => {
      const under = below, above = below.map((v, i) => v + points[i].terms[k]), edge = all => points.map((p, i) => [x(p.x), y(all[i])]);
      put(svg, "path", { d: `${path([...edge(above), ...edge(under).reverse()])}Z`, style: `fill: ${colour(term.cause)}` });
      below = above;
    });
  }
  function drawLines(svg, theorem, points, { floor, sums, x, y }, type) {
    theorem.terms.forEach((term, k) => {
      const seen = points.filter(p => p.terms[k] >= floor).map(p => [x(p.x), y(p.terms[k])]);
      if (seen.length) put(svg, "path", { d: path(seen), style: `stroke: ${colour(term.cause)}; stroke-width: ${type / 5}; fill: none` });
    });
    put(svg, "path", { class: "here", style: "stroke-dasharray: none", d: path(points.map((p, i) => [x(p.x), y(sums[i])])) });
  }

  function drawForbidden(svg, theorem, points, { low, x }, { top, bottom, height, type }) {
    const id = `hatch-${theorem.name}`, size = 0.6 * type;
    const lines = put(put(svg, "defs"), "pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    put(lines, "rect", { class: "veil", width: size, height: size });
    put(lines, "path", { class: "hatch", d: `M0,0V${size}` });
    for (const [from, to] of stretches(points)) {
      const reaches = Math.max(x(to), x(from) + 2), foot = height - bottom;
      put(svg, "rect", { class: "forbidden", fill: `url(#${id})`, x: x(from), y: top, width: reaches - x(from), height: foot - top });
      put(svg, "path", { class: "edge", d: `M${from === low ? reaches : x(from)},${top}V${foot}` });
      if (reaches - x(from) > 9 * type) put(svg, "text", { class: "edge-label", x: (x(from) + reaches) / 2, y: top + 1.2 * type, "text-anchor": "middle", "font-size": 0.85 * type }, "outside the condition");
    }
  }

  // ``lacks``: what the theorem needs and does not get at the sliders.
  function chart(svg, theorem, slider, q, total, lines, lacks) {
    const box = boxOf(svg), { width, height, type, left, right, top, bottom } = box, points = curves(theorem, slider, q);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    if (points.length < 2) {
      put(svg, "text", { x: width / 2, y: height / 2, "text-anchor": "middle", "font-size": type }, lacks ? `no bound here: it needs ${lacks}` : "no bound along this slider");
      return;
    }
    const frame = plane(points, box, slider, total, lines), { low, high, x, y } = frame, at = whole(q)[slider.name];
    drawAxes(svg, box, frame, slider, lines);
    if (lines) drawLines(svg, theorem, points, frame, type);
    else drawStack(svg, theorem, points, frame);
    drawForbidden(svg, theorem, points, frame, box);
    put(svg, "path", { class: "axis", d: `M${left},${top}V${height - bottom}H${width - right}` });
    if (at >= low && at <= high) {
      put(svg, "path", { class: "here", d: `M${x(at)},${top}V${height - bottom}` });
      put(svg, "circle", { cx: x(at), cy: y(total), r: type / 3, style: "fill: var(--ink); stroke: var(--ground); stroke-width: 2" });
    }
  }

  Object.assign(explorer, { colour, chart });
})(globalThis.boundkitExplorer, globalThis.boundkitDrawing);
