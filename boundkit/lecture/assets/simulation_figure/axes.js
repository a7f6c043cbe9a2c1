// The axes of a curve: rounds across, what is observed upwards.
(function (sim, drawing) {
  "use strict";
  const { clamp, formatNumber, ticks, logTicks, put, pixels } = drawing;

  function axes(svg, plot, { width, height, last, low, high, log, title, em }) {
    const left = 4.2 * em, right = width - 0.9 * em, top = 2 * em, foot = height - 2.9 * em;
    const across = t => left + (right - left) * t / last;
    const part = log ? v => (Math.log10(Math.max(v, low)) - Math.log10(low)) / (Math.log10(high) - Math.log10(low)) : v => (v - low) / (high - low);
    const up = v => foot - (foot - top) * clamp(part(v), -0.05, 1.3);
    for (const v of (log ? logTicks : ticks)(low, high, Math.floor((foot - top) / (2.6 * em)))) {
      put(plot, "path", { class: "grid", d: `M${pixels(left)} ${pixels(up(v))}H${pixels(right)}` });
      put(plot, "text", { class: "quiet", x: pixels(left - 0.5 * em), y: pixels(up(v) + 0.35 * em), "text-anchor": "end" }, formatNumber(v));
    }
    for (const t of ticks(0, last, Math.min(8, Math.floor((right - left) / (4 * em)))).filter(Number.isInteger))
      put(plot, "text", { class: "quiet", x: pixels(across(t)), y: pixels(foot + 1.3 * em), "text-anchor": "middle" }, String(t));
    put(plot, "text", { class: "quiet", x: pixels((left + right) / 2), y: pixels(height - 0.4 * em), "text-anchor": "middle" }, "round");
    put(plot, "text", { x: pixels(0.2 * em), y: pixels(em) }, title);
    put(plot, "path", { class: "axis", d: `M${pixels(left)} ${pixels(top)}V${pixels(foot)}H${pixels(right)}` });
    return { left, right, top, foot, across, up };
  }
  function inner(svg, id, { left, right, top, foot }) {
    const clip = put(put(svg, "defs"), "clipPath", { id: `${id}-inner` });
    put(clip, "rect", { x: left, y: top, width: right - left, height: foot - top });
    return put(svg, "g", { "clip-path": `url(#${id}-inner)` });
  }

  Object.assign(sim.figure, { axes, inner });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
